#include "host/elf/loader.h"

#include <algorithm>
#include <deque>
#include <filesystem>

namespace envdoctor {
namespace {

constexpr const char* cache_path = "/etc/ld.so.cache";
constexpr std::size_t largest_cache = 64u << 20;
constexpr std::size_t most_objects = 1000;

struct Machine {
  const char* name = "";
  const char* triplet = "";   // Debian's folder
  const char* platform = "";  // the loader's $PLATFORM
  const char* lib = "lib64";  // $LIB of the others
};
constexpr Machine machines[] = {
    {"x86-64", "x86_64-linux-gnu", "x86_64"},       {"i386", "i386-linux-gnu", "i686", "lib"},
    {"aarch64", "aarch64-linux-gnu", "aarch64"},    {"arm", "arm-linux-gnueabihf", "v7l", "lib"},
    {"ppc64le", "powerpc64le-linux-gnu", "power8"}, {"riscv64", "riscv64-linux-gnu", "riscv64"},
    {"s390x", "s390x-linux-gnu", "z900"},
};

Machine machine_named(const std::string& name) {
  const auto* found = std::ranges::find_if(machines, [&](const Machine& one) { return name == one.name; });
  return found == std::end(machines) ? Machine{} : *found;
}

std::string folder_of(const std::string& path) { return std::filesystem::path(path).parent_path().string(); }
std::string name_of(const std::string& path) { return std::filesystem::path(path).filename().string(); }

void replace_all(std::string& text, const std::string& what, const std::string& with) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

std::string variable_in(const std::map<std::string, std::string>& env, const char* name) {
  const auto set = env.find(name);
  return set == env.end() ? "" : set->second;
}

std::vector<std::string> split(const std::string& list, const std::string& separators) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find_first_of(separators, begin), list.size());
    parts.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

}  // namespace

struct Loader::Asker {
  std::string path{};
  const Asker* asked_by = nullptr;
};

Loader::Loader(const Files& files, std::map<std::string, std::string> env, std::string machine)
    : files_(files), env_(std::move(env)), machine_(std::move(machine)) {
  const auto bytes = files.read(cache_path, largest_cache);
  cache_ = bytes.then([](const std::string& content) { return parse_ld_cache(content); });
  if (bytes.get() && !cache_.get()) cache_ = failed(std::string(cache_path) + ": " + cache_.why());
}

const Reading<ElfFacts>& Loader::facts(const std::string& path) const {
  const auto known = facts_.find(path);
  return known != facts_.end() ? known->second : facts_.emplace(path, elf_facts(files_, path)).first->second;
}

// The folders that a list names: $ORIGIN, $LIB and $PLATFORM replaced, an empty or relative one taken from PWD.
std::vector<std::string> Loader::folders(const std::string& list, const std::string& separators,
                                         const std::string& asker) const {
  const Machine machine = machine_named(machine_);
  const std::string working = variable_in(env_, "PWD");
  std::vector<std::string> all;
  for (std::string folder : split(list, separators)) {
    replace_all(folder, "${ORIGIN}", "$ORIGIN");
    replace_all(folder, "${LIB}", "$LIB");
    replace_all(folder, "${PLATFORM}", "$PLATFORM");
    if (folder.find("$ORIGIN") != std::string::npos) {
      const auto place = files_.resolve(asker);
      if (asker.empty() || !place.get()) continue;
      replace_all(folder, "$ORIGIN", folder_of(*place.get()));
    }
    replace_all(folder, "$PLATFORM", machine.platform);
    if (!folder.starts_with('/') && !env_.contains("PWD")) continue;
    if (!folder.starts_with('/')) folder = working + "/" + folder;
    while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
    if (folder.find("$LIB") == std::string::npos) {
      all.push_back(folder);
      continue;
    }
    for (const std::string& lib : {std::string("lib/") + machine.triplet, std::string(machine.lib)}) {
      all.push_back(folder);
      replace_all(all.back(), "$LIB", lib);
    }
  }
  return all;
}

// Every path that the loader would try, in order.
std::vector<Loader::Place> Loader::places(const std::string& soname, const Asker* asker) const {
  std::vector<Place> all;
  const auto add = [&](const std::vector<std::string>& named, const char* origin) {
    for (const std::string& folder : named) all.push_back({folder + "/" + soname, origin});
  };
  const ElfFacts* own = asker ? facts(asker->path).get() : nullptr;
  const std::string runpath = own ? own->runpath : "";
  for (const Asker* one = runpath.empty() ? asker : nullptr; one; one = one->asked_by) {
    const ElfFacts* about = facts(one->path).get();
    if (about && about->runpath.empty() && !about->rpath.empty()) add(folders(about->rpath, ":", one->path), "RPATH");
  }
  if (const std::string list = variable_in(env_, "LD_LIBRARY_PATH"); !list.empty())
    add(folders(list, ":;", ""), "LD_LIBRARY_PATH");
  if (!runpath.empty()) add(folders(runpath, ":", asker->path), "RUNPATH");
  if (const auto* cache = cache_.get()) {
    std::vector<Place> for_some;
    for (const CacheEntry& one : *cache) {
      if (one.soname != soname) continue;
      const bool fits = one.machine.empty() || machine_.empty() || one.machine == machine_;
      if (fits) (one.hwcap ? for_some : all).push_back({one.path, "ldcache"});
    }
    std::ranges::move(for_some, std::back_inserter(all));
  }
  const Machine machine = machine_named(machine_);
  const std::string triplet = machine.triplet;
  if (!triplet.empty()) add({"/lib/" + triplet, "/usr/lib/" + triplet}, "default");
  add({"/lib64", "/usr/lib64", "/lib", "/usr/lib"}, "default");
  return all;
}

// If LD_PRELOAD loads a library of that name, every object gets that one.
std::vector<Loader::Place> Loader::preloaded(const std::string& soname) const {
  std::vector<Place> all;
  for (const std::string& entry : split(variable_in(env_, "LD_PRELOAD"), ": ")) {
    if (entry.empty()) continue;
    const bool slash = entry.find('/') != std::string::npos;
    for (const Place& place : slash ? std::vector<Place>{{entry, ""}} : places(entry, nullptr)) {
      const auto status = files_.status(place.path);
      if (!status.get()) continue;
      const ElfFacts* about = facts(place.path).get();
      if (name_of(entry) == soname || (about && about->soname == soname)) all.push_back({place.path, "LD_PRELOAD"});
      break;
    }
  }
  return all;
}

Reading<LibrarySearch> Loader::search(const std::string& soname, const Asker* asker) const {
  std::vector<Place> all = preloaded(soname);
  if (soname.find('/') != std::string::npos) {
    all.push_back({soname, "path"});
  } else {
    const auto more = places(soname, asker);
    all.insert(all.end(), more.begin(), more.end());
  }
  LibrarySearch result;
  std::vector<FoundLibrary> found;
  std::set<std::string> seen;  // final targets: two names of one file are one copy
  for (const auto& [path, origin] : all) {
    const auto status = files_.status(path);
    if (!status.get() || status.get()->kind != FileStatus::Kind::file) continue;
    const auto target = files_.resolve(path);
    if (!target.get() || !seen.insert(*target.get()).second) continue;
    FoundLibrary one{.path = path, .origin = origin};
    const Reading<ElfFacts>& about = facts(path);
    const bool other = about.get() && !machine_.empty() && about.get()->machine != machine_;
    if (other) one.problem = "for " + about.get()->machine;
    if (!about.get() && !about.why().ends_with(": was not captured")) one.problem = about.why();
    const bool passed_over = other || one.problem.ends_with(": EACCES");
    (passed_over ? result.skipped : found).push_back(std::move(one));
  }
  const bool before_cache = !found.empty() && found.front().origin != "ldcache" && found.front().origin != "default";
  if (cache_.outcome() == Outcome::failed && !before_cache && soname.find('/') == std::string::npos)
    return cache_.missing();
  if (found.empty()) {
    const std::string where =
        result.skipped.empty() ? "" : ", but " + result.skipped[0].path + " is " + result.skipped[0].problem;
    return absent(soname + ": not found in the loader's search path" + where);
  }
  result.chosen = found.front();
  result.shadowed.assign(found.begin() + 1, found.end());
  return result;
}

Reading<LibrarySearch> Loader::look_up(const std::string& soname, const std::string& requester) const {
  const Asker asker{.path = requester};
  return search(soname, requester.empty() ? nullptr : &asker);
}

Reading<std::vector<MissingDependency>> Loader::missing_dependencies(const std::string& path) const {
  if (const auto& about = facts(path); !about.get()) return about.missing();
  std::vector<MissingDependency> missing;
  std::set<std::string> known;
  std::deque<Asker> objects = {{.path = path}};  // grows at its end only, so that pointers into it stay valid
  for (std::size_t i = 0; i < objects.size() && i < most_objects; ++i) {
    const Asker& asker = objects[i];
    const ElfFacts* about = facts(asker.path).get();
    for (const std::string& soname : about ? about->needed : std::vector<std::string>()) {
      if (!known.insert(soname).second) continue;  // loaded once for all objects
      const auto found = search(soname, &asker);
      if (found.outcome() == Outcome::failed) return found.missing();
      if (!found.get()) {
        missing.push_back({.soname = soname, .needed_by = asker.path, .why = found.why()});
      } else if (!found.get()->chosen.problem.empty()) {
        missing.push_back({.soname = soname, .needed_by = asker.path, .why = found.get()->chosen.problem});
      } else {
        objects.push_back({.path = found.get()->chosen.path, .asked_by = &asker});
      }
    }
  }
  return missing;
}

}  // namespace envdoctor

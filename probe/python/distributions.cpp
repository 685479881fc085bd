#include "probe/python/distributions.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "knowledge/gpus/drivers.h"
#include "probe/text.h"

namespace envdoctor {

namespace {

constexpr std::size_t longest_record = 32u << 20;

// "torch-2.3.0+cu121.dist-info" -> torch, 2.3.0+cu121; an egg's Python version and platform are dropped.
Distribution named(std::string_view entry) {
  for (const std::string_view suffix : {".dist-info", ".egg-info"}) {
    if (!entry.ends_with(suffix)) continue;
    entry.remove_suffix(suffix.size());
    const auto dash = entry.find('-');
    if (dash == 0) return {};
    if (dash == entry.npos) return {.name = std::string(entry)};
    const std::string_view version = entry.substr(dash + 1);
    return {.name = std::string(entry.substr(0, dash)), .version = std::string(version.substr(0, version.find("-py")))};
  }
  return {};
}

}  // namespace

std::string normal_name(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool mark = c == '-' || c == '_' || c == '.';
    if (mark && (out.empty() || out.back() == '-')) continue;
    out += mark ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  }
  return out;
}

std::string header(std::string_view text, std::string_view name) {
  for (const std::string_view line : lines_of(text)) {
    if (trimmed(line).empty()) break;  // the description follows
    if (line.starts_with(name) && line.substr(name.size()).starts_with(':'))
      return std::string(trimmed(line.substr(name.size() + 1)));
  }
  return {};
}

std::vector<Distribution> distributions_in(const Host& host, const std::string& folder) {
  std::vector<Distribution> all;
  const auto names = host.files.list(folder);
  if (!names.get()) return all;
  for (const std::string& entry : *names.get()) {
    Distribution one = named(entry);
    if (one.name.empty() || one.name.starts_with('~')) continue;
    one.folder = folder;
    one.metadata = folder + "/" + entry;
    if (entry.ends_with(".dist-info")) {
      auto record = host.files.read(one.metadata + "/RECORD", longest_record);
      if (record.get()) one.record = std::move(*record.get());
    } else if (one.version.empty()) {
      const auto info = host.files.read(one.metadata + "/PKG-INFO");
      if (info.get()) one.version = header(*info.get(), "Version");
    }
    if (!one.version.empty()) all.push_back(std::move(one));
  }
  return all;
}

// Distributions that write each other's files, and what broken installs and removals leave.

namespace {

constexpr std::size_t files_compared = 50;  // those whose recorded sizes differ

// What is imported: "torch" of "torch/nn/x.py", "six.py" of "six.py". Empty: nothing that is.
std::string_view imported(std::string_view path) {
  const std::string_view top = path.substr(0, path.find('/'));
  if (top.empty() || top == ".." || top == "bin" || top == "__pycache__" || top.ends_with("-info")) return {};
  return top.size() != path.size() || top.ends_with(".py") ? top : std::string_view{};
}

using Sizes = std::map<std::string_view, std::int64_t>;

Sizes sizes_under(const Distribution& one, std::string_view top) {
  Sizes sizes;
  each_recorded(one.record, [&](const RecordedFile& file) {
    if (imported(file.path) == top && file.size > 0) sizes.emplace(file.path, file.size);
  });
  return sizes;
}

std::string label(const Distribution& one) { return normal_name(one.name) + " " + one.version; }

// The one of two whose files lie there: every file that they record with different sizes is asked.
Text winner_of(const Host& host, const Distribution& a, const Distribution& b, const Sizes& in_a, const Sizes& in_b) {
  std::size_t for_a = 0, for_b = 0, neither = 0;
  for (const auto& [path, size] : in_a) {
    const auto other = in_b.find(path);
    if (other == in_b.end() || other->second == size || for_a + for_b + neither >= files_compared) continue;
    const auto status = host.files.status(a.folder + "/" + std::string(path));
    const auto real = status.get() ? static_cast<std::int64_t>(status.get()->size) : -1;
    ++(real == size ? for_a : real == other->second ? for_b : neither);
  }
  if (for_a > 0 && for_b == 0) return label(a);
  if (for_b > 0 && for_a == 0) return label(b);
  if (for_a + for_b > 0) return failed("files of both packages are installed there");
  return absent(neither > 0 ? "the files belong to neither package" : "the files of both packages have equal sizes");
}

void compare(const Host& host, std::string_view top, const Distribution& a, const Distribution& b,
             std::vector<WrittenTwice>& found) {
  const Sizes in_a = sizes_under(a, top), in_b = sizes_under(b, top);
  const std::string init = std::string(top) + "/__init__.py";  // namespace packages share it
  const bool shared =
      std::ranges::any_of(in_a, [&](const auto& entry) { return entry.first != init && in_b.contains(entry.first); });
  if (!shared) return;
  found.push_back({.folder = std::string(top),
                   .packages = std::vector<std::string>{label(a), label(b)},
                   .winner = winner_of(host, a, b, in_a, in_b)});
}

// The tops that a distribution records, and whether each holds code of its own.
std::set<std::string_view> tops_of(const Distribution& one) {
  std::set<std::string_view> tops;
  std::string_view last;
  each_recorded(one.record, [&](const RecordedFile& file) {
    if (!last.empty() && file.path.starts_with(last) && file.path.substr(last.size()).starts_with('/')) return;
    const std::string_view top = imported(file.path);
    if (!top.empty()) tops.insert(last = top);
  });
  return tops;
}

// Recorded files whose absence stops an import: packages' own __init__.py, and libraries.
std::string missing_file(const Host& host, const Distribution& one) {
  std::string missing;
  each_recorded(one.record, [&](const RecordedFile& file) {
    if (!missing.empty() || imported(file.path).empty()) return;
    const auto slash = file.path.find('/');
    const bool init = slash != file.path.npos && file.path.substr(slash) == "/__init__.py";
    if (!init && !file.path.ends_with(".so")) return;
    const std::string path = one.folder + "/" + std::string(file.path);
    if (host.files.status(path).outcome() == Outcome::absent) missing = path;
  });
  return missing;
}

}  // namespace

std::vector<WrittenTwice> written_twice(const Host& host, const std::vector<Distribution>& all) {
  std::map<std::pair<std::string_view, std::string_view>, std::vector<const Distribution*>> owners;
  for (const Distribution& one : all) {
    for (const std::string_view top : tops_of(one)) owners[{one.folder, top}].push_back(&one);
  }
  std::vector<WrittenTwice> found;
  for (const auto& [where, list] : owners) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      for (std::size_t j = i + 1; j < list.size(); ++j) {
        // The same one twice is a broken upgrade, told as damage.
        if (normal_name(list[i]->name) != normal_name(list[j]->name))
          compare(host, where.second, *list[i], *list[j], found);
      }
    }
  }
  return found;
}

std::vector<PackageDamage> damage_in(const Host& host, const std::vector<std::string>& folders,
                                     const std::vector<Distribution>& all) {
  std::vector<PackageDamage> found;
  std::map<std::pair<std::string, std::string>, const Distribution*> known;
  std::set<std::string, std::less<>> owned;
  for (const Distribution& one : all) {
    const auto [entry, fresh] = known.try_emplace({one.folder, normal_name(one.name)}, &one);
    if (!fresh) found.push_back({.package = normal_name(one.name), .what = "recorded-twice", .path = one.metadata});
    if (const std::string path = missing_file(host, one); !path.empty())
      found.push_back({.package = normal_name(one.name), .what = "files-missing", .path = path});
    for (const std::string_view top : tops_of(one)) owned.emplace(top);
    owned.insert(one.name);
    if (one.record.empty()) owned.insert(std::string(one.name.substr(0, one.name.find('_'))));
  }
  for (const std::string& folder : folders) {
    const auto names = host.files.list(folder);
    for (std::size_t i = 0; names.get() && i < names.get()->size(); ++i) {
      const std::string& name = (*names.get())[i];
      const bool framework = name == "tensorflow" || name == "torch" || name == "jax" || name == "jaxlib" ||
                             name == "keras" || name == "numpy";
      if (name.starts_with('~'))
        found.push_back({.package = name, .what = "leftover", .path = folder + "/" + name});
      else if (framework && !owned.contains(name))
        found.push_back({.package = name, .what = "metadata-missing", .path = folder + "/" + name});
    }
  }
  return found;
}

// What frameworks ask of other packages (Requires-Dist), and the packages that carry GPU libraries.

namespace {

bool is_framework(const std::string& name) {
  constexpr std::array names = {"torch", "jax", "jaxlib", "keras", "tf-keras", "tf-nightly"};
  const bool tensorflow = name == "tensorflow" || name == "tensorflow-cpu" || name == "tensorflow-gpu" ||
                          name == "tensorflow-rocm" || name == "tensorflow-intel" || name == "tensorflow-macos";
  return tensorflow || std::ranges::find(names, name) != names.end() || name.starts_with("jax-cuda") ||
         name.starts_with("jax-rocm");
}

std::string_view unquoted(std::string_view text) {
  text = trimmed(text);
  return text.size() >= 2 && (text[0] == '"' || text[0] == '\'') ? text.substr(1, text.size() - 2) : text;
}

// One comparison of a marker. Nothing: it can't be told here.
std::optional<bool> holds(std::string_view clause, const std::string& python) {
  clause = trimmed(clause);
  const auto at = clause.find_first_of("<>=!");
  if (at == clause.npos) return std::nullopt;
  const auto end = clause.find_first_not_of("<>=!", at);
  if (end == clause.npos) return std::nullopt;
  const std::string_view name = trimmed(clause.substr(0, at)), how = clause.substr(at, end - at);
  const std::string_view value = unquoted(clause.substr(end));
  if (name == "sys_platform" || name == "platform_system") {
    const bool same = value == "linux" || value == "Linux";
    if (how == "==") return same;
    return how == "!=" ? std::optional(!same) : std::nullopt;
  }
  if (name != "python_version" && name != "python_full_version") return std::nullopt;
  const int order =
      knowledge::compare_versions(name == "python_version" ? knowledge::major_minor_of(python) : python, value);
  if (how == "<") return order < 0;
  if (how == "<=") return order <= 0;
  if (how == ">") return order > 0;
  if (how == ">=") return order >= 0;
  if (how == "==") return order == 0;
  return how == "!=" ? std::optional(order != 0) : std::nullopt;
}

// Whether a requirement stands: its marker is a chain of "and" that holds here.
bool applies(std::string_view marker, const std::string& python) {
  if (trimmed(marker).empty()) return true;
  if (marker.find(" or ") != marker.npos || marker.find('(') != marker.npos) return false;
  while (!marker.empty()) {
    const auto next = marker.find(" and ");
    if (!holds(marker.substr(0, next), python).value_or(false)) return false;
    marker = next == marker.npos ? std::string_view{} : marker.substr(next + 5);
  }
  return true;
}

// "numpy (<2.0.0,>=1.23.5)" or "numpy<2.0.0,>=1.23.5" with an optional marker behind ';'.
std::optional<PackageRequirement> requirement(std::string_view line, const std::string& by, const std::string& python) {
  const auto semicolon = line.find(';');
  if (semicolon != line.npos && !applies(line.substr(semicolon + 1), python)) return std::nullopt;
  line = trimmed(line.substr(0, semicolon));
  const auto end = line.find_first_of(" (<>=!~[");
  const std::string name = normal_name(line.substr(0, end));
  std::string_view range = end == line.npos ? std::string_view{} : line.substr(end);
  if (const auto extra = range.find(']'); extra != range.npos) range = range.substr(extra + 1);
  range = trimmed(range);
  if (range.starts_with('(') && range.ends_with(')')) range = range.substr(1, range.size() - 2);
  if (name.empty() || range.empty() || range.find('@') != range.npos) return std::nullopt;
  return PackageRequirement{.by = by, .name = name, .range = std::string(range)};
}

}  // namespace

std::vector<PackageRequirement> requirements_of(const Host& host, const std::vector<Distribution>& all,
                                                const std::string& python) {
  std::vector<PackageRequirement> found;
  for (const Distribution& one : all) {
    const std::string by = normal_name(one.name);
    if (!is_framework(by)) continue;
    const auto text = host.files.read(one.metadata + "/METADATA", 4 << 20);
    if (!text.get()) continue;
    for (const std::string_view line : lines_of(*text.get())) {
      if (trimmed(line).empty()) break;
      constexpr std::string_view key = "Requires-Dist:";
      if (!line.starts_with(key)) continue;
      auto one_need = requirement(line.substr(key.size()), by, python);
      if (!one_need) continue;
      one_need->installed = absent("not installed");
      for (const Distribution& other : all) {
        if (normal_name(other.name) != *one_need->name.get()) continue;
        one_need->installed = other.version;
        break;
      }
      found.push_back(std::move(*one_need));
    }
  }
  return found;
}

std::vector<GpuPackage> gpu_packages_in(const std::vector<Distribution>& all) {
  std::vector<GpuPackage> found;
  for (const Distribution& one : all) {
    const std::string name = normal_name(one.name);
    const bool carries = name.starts_with("nvidia-") || name.starts_with("jax-cuda") || name.starts_with("jax-rocm") ||
                         name == "tensorflow-directml-plugin" || name == "tensorflow-metal" || name == "triton" ||
                         name == "intel-extension-for-tensorflow";
    if (!carries) continue;
    GpuPackage package{.package = name, .version = one.version};
    auto& libraries = package.libraries.fill();
    each_recorded(one.record, [&](const RecordedFile& file) {
      const std::string_view base = base_name(file.path);
      if (base.starts_with("lib") && base.find(".so") != base.npos) libraries.emplace_back(base);
    });
    std::ranges::sort(libraries);
    found.push_back(std::move(package));
  }
  return found;
}

}  // namespace envdoctor

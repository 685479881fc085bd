#include "probe/library_rows.h"

#include <algorithm>
#include <set>

namespace envdoctor {
namespace {

// By a package's own search path: pip's libraries have RPATHs from one package to the next, conda's to its lib folder.
bool leads_there(const std::string& origin) { return origin == "pip" || origin == "conda"; }

}  // namespace

LibraryRows::LibraryRows(const Host& host, const LibraryPlaces& places)
    : files_(host.files), places_(places), loader_(host.files, host.env), packages_(host.files) {}

std::string LibraryRows::real_path(const std::string& path) const {
  const auto real = files_.resolve(path);
  return real.get() != nullptr ? *real.get() : path;
}

SharedLibrary LibraryRows::row(const WantedLibrary& wanted, const std::string& path, const std::string& real,
                               const std::string& origin) {
  SharedLibrary row{.soname = wanted.soname, .found = true, .path = path, .origin = origin};
  row.version = version_of_file_name(real, wanted.soname);
  if (row.version.get() == nullptr) {
    const Text packaged = packages_.of(real, wanted.library);
    if (packaged.get() != nullptr) row.version = packaged;
  }
  row.stub = is_stub(files_, path, real, wanted.soname);
  return row;
}

std::vector<SharedLibrary> LibraryRows::of(const WantedLibrary& wanted) {
  std::vector<SharedLibrary> rows;
  std::set<std::string> told;  // files, links followed
  const auto search = loader_.look_up(wanted.soname);
  const LibrarySearch* found = search.get();
  if (found != nullptr) {
    const auto tell = [&](const FoundLibrary& copy) -> SharedLibrary* {
      const std::string real = real_path(copy.path);
      if (!told.insert(real).second) return nullptr;
      rows.push_back(row(wanted, copy.path, real, copy.origin));
      if (!copy.trouble.empty()) rows.back().found = failed(copy.path + ": " + copy.trouble);
      return &rows.back();
    };
    tell(found->chosen);
    for (const FoundLibrary& copy : found->shadowed) {
      if (SharedLibrary* shadowed = tell(copy)) shadowed->shadowed_by = found->chosen.path;
    }
  } else if (search.outcome() == Outcome::failed) {
    rows.push_back({.soname = wanted.soname, .found = search.missing()});
  }

  std::vector<SharedLibrary> elsewhere;
  for (const LibraryCopy& copy : places_.copies_of(wanted.soname)) {
    if (!told.insert(copy.real).second) continue;
    SharedLibrary further = row(wanted, copy.path, copy.real, copy.origin);
    further.found = leads_there(copy.origin);
    // A package's own search path yields to LD_LIBRARY_PATH, to nothing else that the loader goes by.
    const bool wins = found != nullptr && (!leads_there(copy.origin) || found->chosen.origin == "LD_LIBRARY_PATH" ||
                                           found->chosen.origin == "LD_PRELOAD");
    if (wins) further.shadowed_by = found->chosen.path;
    elsewhere.push_back(std::move(further));
  }
  if (rows.empty() && wanted.always &&
      std::ranges::none_of(elsewhere, [](const SharedLibrary& copy) { return copy.found.is(true); })) {
    rows.push_back({.soname = wanted.soname, .found = false});
  }
  std::ranges::move(elsewhere, std::back_inserter(rows));
  return rows;
}

}  // namespace envdoctor

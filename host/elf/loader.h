#pragma once
// What the dynamic loader (glibc's ld.so) would pick, computed from files and environment: nothing is loaded.
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/reading.h"
#include "host/elf/elf.h"
#include "host/files/files.h"

namespace envdoctor {

// /etc/ld.so.cache, the loader's index of the system's libraries.
struct CacheEntry {
  std::string soname{};
  std::string path{};
  std::string machine{};  // as in ElfFacts; "" if the cache's flag isn't known here
  bool hwcap = false;     // only for some CPUs
};

// Parses "glibc-ld.so.cache1.1", alone or after the older "ld.so-1.7.0". Otherwise failed with the offset in the file.
Reading<std::vector<CacheEntry>> parse_ld_cache(std::string_view bytes);

struct FoundLibrary {
  std::string path{};    // as the loader would open it, links not followed
  std::string origin{};  // LD_PRELOAD, RPATH, LD_LIBRARY_PATH, RUNPATH, ldcache, default, path (asked for with a slash)
  // Why loading it would fail: "not an ELF file"; the loader stops at such a file. Empty if it would load, or if only
  // its name was captured.
  std::string problem{};
};

struct LibrarySearch {
  FoundLibrary chosen{};
  std::vector<FoundLibrary> shadowed{};  // other copies, in the order they would be picked without the ones before
  std::vector<FoundLibrary> skipped{};   // skipped: for another machine
};

struct MissingDependency {
  std::string soname{};
  std::string needed_by{};  // path
  std::string why{};
};

class Loader {
 public:
  // `files` must outlive it. Libraries for another `machine` are skipped, as the loader does.
  Loader(const Files& files, std::map<std::string, std::string> env, std::string machine = own_machine());

  // `requester` is the object that asks, for its RPATH and RUNPATH; may be empty. Absent if nothing is found; failed if
  // a place before the first find couldn't be read.
  [[nodiscard]] Reading<LibrarySearch> look_up(const std::string& soname, const std::string& requester = "") const;

  // The direct and indirect dependencies of `path` that nothing provides. Failed if `path` itself can't be read.
  [[nodiscard]] Reading<std::vector<MissingDependency>> missing_dependencies(const std::string& path) const;

 private:
  struct Asker;  // an object that needs another, and who needs it in turn
  struct Place {
    std::string path{};
    std::string origin{};
  };
  [[nodiscard]] std::vector<Place> places(const std::string& soname, const Asker* asker) const;
  [[nodiscard]] std::vector<Place> preloaded(const std::string& soname) const;
  [[nodiscard]] Reading<LibrarySearch> search(const std::string& soname, const Asker* asker) const;
  [[nodiscard]] const Reading<ElfFacts>& facts(const std::string& path) const;
  [[nodiscard]] std::vector<std::string> folders(const std::string& list, const std::string& separators,
                                                 const std::string& asker) const;

  const Files& files_;
  std::map<std::string, std::string> env_;
  std::string machine_;
  Reading<std::vector<CacheEntry>> cache_{};
  mutable std::map<std::string, Reading<ElfFacts>> facts_{};
};

}  // namespace envdoctor

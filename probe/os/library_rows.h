#pragma once
// From what the loader and the folders hold to the rows of the snapshot.
#include <string>
#include <vector>

#include "evidence/software.h"
#include "host/elf/loader.h"
#include "probe/os/library_copies.h"

namespace envdoctor {

struct WantedLibrary {
  std::string soname{};
  std::string library{};  // "cudnn", as knowledge calls it
  bool always = false;    // told also where no copy is found
  bool operator==(const WantedLibrary&) const = default;
};

// Every soname that knowledge lists, and the driver's. `toolkits` and `packages` decide which of them are told even if
// they are found nowhere: those that an installed CUDA or TensorFlow would look for.
std::vector<WantedLibrary> wanted_libraries(const Files& files, const std::vector<Toolkit>& toolkits,
                                            const std::vector<std::string>& packages);

class LibraryRows {
 public:
  LibraryRows(const Host& host, const LibraryPlaces& places);
  // The loader's choice first, then the copies it shadows, then those it can't reach. Empty if there is none.
  [[nodiscard]] std::vector<SharedLibrary> of(const WantedLibrary& wanted);

 private:
  [[nodiscard]] SharedLibrary row(const WantedLibrary& wanted, const std::string& path, const std::string& real,
                                  const std::string& origin);

  const Files& files_;
  const LibraryPlaces& places_;
  Loader loader_;
  PackageVersions packages_;
};

}  // namespace envdoctor

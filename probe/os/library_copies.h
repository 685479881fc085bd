#pragma once
// Where GPU libraries lie that the dynamic loader need not know of: toolkits, pip packages, conda, mounted drivers.
#include <map>
#include <set>
#include <string>
#include <vector>

#include "evidence/software.h"
#include "host/host.h"

namespace envdoctor {

struct LibraryCopy {
  std::string path{};
  std::string real{};    // links followed
  std::string origin{};  // toolkit, pip, conda, mounted
};

class LibraryPlaces {
 public:
  // Lists each folder once. `packages` are the active Python's package folders.
  LibraryPlaces(const Host& host, const std::vector<Toolkit>& toolkits, const std::vector<std::string>& packages);
  // Every copy of a soname, in the order of the folders; copies that are one file are given once.
  [[nodiscard]] std::vector<LibraryCopy> copies_of(const std::string& soname) const;

 private:
  void add_folder(const std::string& folder, const std::string& origin);
  // Of each child of `parent` whose name starts so.
  void add_children(const std::string& parent, const std::string& inside, const std::string& origin,
                    const std::string& begin = "");

  const Files& files_;
  std::set<std::string> seen_{};                                   // folders, links followed
  std::multimap<std::string, LibraryCopy, std::less<>> copies_{};  // by soname; `real` is left to be found
};

// What version a library is, and whether it is a stub, without loading it.
// From the name of the file itself, links followed: libcudnn.so.9.3.0 for libcudnn.so.9 -> "9.3.0". Absent where the
// name says no more than the soname does.
Text version_of_file_name(const std::string& real, const std::string& soname);

// The versions of pip packages by their .dist-info folders, each package folder listed once.
class PackageVersions {
 public:
  explicit PackageVersions(const Files& files) : files_(files) {}
  // Of the pip package that a library of this name ("cudnn") at this path belongs to. Absent if none is recorded.
  [[nodiscard]] Text of(const std::string& real, const std::string& library);

 private:
  const Files& files_;
  std::map<std::string, std::map<std::string, std::string>> listed_{};  // folder -> package (with _) -> version
};

// A toolkit's stand-in for libcuda or NVML, which programs are linked against and which can't run anything. By its
// folder's name (stubs), links followed, or by its size: the real ones without a driver version in their name, as on
// Jetson, take megabytes, stubs about 100 KiB; WSL's thin library is known by its folder. Not probed for others.
Flag is_stub(const Files& files, const std::string& path, const std::string& real, const std::string& soname);

}  // namespace envdoctor

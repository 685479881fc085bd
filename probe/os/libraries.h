#pragma once
// GPU libraries and toolkits: where they are, which one the dynamic loader picks, and their versions.
#include <map>
#include <set>
#include <string>
#include <vector>

#include "evidence/software.h"
#include "host/elf/loader.h"
#include "host/host.h"

namespace envdoctor {

// CUDA toolkits under /usr/local, in folders that variables name, in conda and where distributions install them. A
// folder that several paths lead to is listed once, by its real path.
std::vector<Toolkit> find_toolkits(const Host& host);

// "12.4.1" from the text of version.json, "10.1.243" from version.txt, "13.0" from cuda.h. Failed if none is found.
Text version_of_version_json(const std::string& text);
Text version_of_version_txt(const std::string& text);
Text version_of_cuda_header(const std::string& text);

struct LibraryCopy {
  std::string path{};
  std::string real{};    // links followed
  std::string origin{};  // toolkit, pip, conda, mounted
};

class LibraryPlaces {
 public:
  // Lists each folder once. `packages` are the active Python's package folders.
  LibraryPlaces(const Host& host, const std::vector<Toolkit>& toolkits, const std::vector<std::string>& packages);
  // Every copy of a soname, in the order of the folders; copies that are the same file are listed once.
  [[nodiscard]] std::vector<LibraryCopy> copies_of(const std::string& soname) const;

 private:
  void add_folder(const std::string& folder, const std::string& origin);
  // Of each child of `parent` whose name starts so.
  void add_children(const std::string& parent, const std::string& inside, const std::string& origin,
                    const std::string& begin = "");

  const Files& files_;
  std::set<std::string> seen_{};                                   // folders, links followed
  std::multimap<std::string, LibraryCopy, std::less<>> copies_{};  // by soname; `real` is not set yet
};

// A library's version, and whether it is a stub, without loading it.
// From the name of the file itself, links followed: libcudnn.so.9.3.0 for libcudnn.so.9 -> "9.3.0". Absent where the
// name has no more digits than the soname.
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

// A toolkit's stub of libcuda or NVML, which programs link against and which can't run anything. Recognised by its
// folder's name (stubs), links followed, or by its size: the real ones without a driver version in their name, as on
// Jetson, take megabytes, stubs about 100 KiB; WSL's thin library is known by its folder. Not probed for others.
Flag is_stub(const Files& files, const std::string& path, const std::string& real, const std::string& soname);

// Whether a function is known that returns the version of this library ("cublas") without a GPU.
bool has_version_symbol(const std::string& library);

// Loads the file and calls it. Use in a child only: loading a library runs its initialisers.
Text ask_version(const std::string& path, const std::string& library);

// ncclGetVersion's number: 2708 -> "2.7.8", 22809 -> "2.28.9".
std::string nccl_version_text(int number);
// cudnnGetVersion's: 8902 -> "8.9.2", 91900 -> "9.19.0".
std::string cudnn_version_text(std::size_t number);

struct WantedLibrary {
  std::string soname{};
  std::string library{};  // "cudnn", its name in knowledge
  bool always = false;    // listed even where no copy is found
  bool operator==(const WantedLibrary&) const = default;
};

// Every soname that knowledge lists, and the driver's. `toolkits` and `packages` decide which of them are listed even
// if they are found nowhere: those that an installed CUDA or TensorFlow would look for.
std::vector<WantedLibrary> wanted_libraries(const Files& files, const std::vector<Toolkit>& toolkits,
                                            const std::vector<std::string>& packages);

class LibraryRows {
 public:
  LibraryRows(const Host& host, const LibraryPlaces& places);
  // The loader's choice first, then the copies it shadows, then those that it can't find. Empty if there is none.
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

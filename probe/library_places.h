#pragma once
// Where GPU libraries lie that the dynamic loader need not know of: toolkits, pip packages, conda, mounted drivers.
#include <map>
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
  void add_children(const std::string& parent, const std::string& inside, const std::string& origin);

  const Files& files_;
  std::map<std::string, bool> seen_{};                             // folders, links followed
  std::multimap<std::string, LibraryCopy, std::less<>> copies_{};  // by soname; `real` is left to be found
};

}  // namespace envdoctor

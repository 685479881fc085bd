#pragma once
// A shared library opened at run time, for use in a child only.
#include <initializer_list>
#include <memory>
#include <string>

#include "evidence/reading.h"

namespace envdoctor {

class Library {
 public:
  // Absent if the loader finds no such file; failed with the loader's words for anything else.
  // Lazily: functions that it lacks are missed when they are called, not now.
  static Reading<Library> open(const std::string& soname_or_path, bool lazily = false);

  // The first of these symbols that the library has, newest name first; null if none.
  template <class Function>
  void bind(Function*& function, std::initializer_list<const char*> names) const {
    function = reinterpret_cast<Function*>(symbol(names));
  }
  [[nodiscard]] void* symbol(std::initializer_list<const char*> names) const;
  // The file that was loaded.
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::shared_ptr<void> handle_{};
  std::string path_{};
};

}  // namespace envdoctor

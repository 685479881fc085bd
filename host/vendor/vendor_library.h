#pragma once
// Shared libraries opened at run time, for use in a child only, and the common part of the vendor APIs: a library that
// may be missing, and calls that are traced before they are made.
#include <array>
#include <climits>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "evidence/reading.h"

namespace envdoctor {

class Library {
 public:
  // Absent if the loader finds no such file; otherwise failed with the loader's message.
  // Binds lazily: a missing function fails when it is called, not now.
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

// Receives the name of each call before it is made, so that a crash or a hang can be attributed to it.
using Trace = std::function<void(const std::string&)>;

// Codes of ours; no vendor uses them.
constexpr int library_not_found = INT_MIN;
constexpr int function_not_found = INT_MIN + 1;
constexpr int makes_no_sense = INT_MIN + 2;  // the library reports success with an impossible answer

class VendorLibrary {
 public:
  VendorLibrary(const std::string& soname_or_path, Trace trace) : VendorLibrary(std::vector{soname_or_path}, trace) {}
  // The first of these that exists.
  VendorLibrary(const std::vector<std::string>& sonames_or_paths, Trace trace);

  // The file that was loaded; absent if the loader finds none, failed with its message if it can't load it.
  [[nodiscard]] Reading<std::string> file() const;
  // Null without the library.
  [[nodiscard]] const Library* loaded() const { return library_.get(); }
  void trace(const std::string& call) const {
    if (trace_) trace_(call);
  }

 private:
  Trace trace_{};
  Reading<Library> library_{};
};

// One function of a vendor library, which must outlive it. Calls return one of our codes where it is missing.
template <class... Parameters>
class VendorFunction {
 public:
  // The symbols that may provide it, newest first. The trace gets the last one, without its version ("_v2").
  VendorFunction(const VendorLibrary& library, std::initializer_list<const char*> symbols)
      : library_(library), name_(*(symbols.end() - 1)) {
    if (library.loaded()) library.loaded()->bind(function_, symbols);
    if (const auto version = name_.rfind("_v"); version != std::string::npos) name_.erase(version);
  }

  explicit operator bool() const { return function_ != nullptr; }
  int operator()(Parameters... arguments) const {
    if (!library_.loaded()) return library_not_found;
    if (!function_) return function_not_found;
    library_.trace(name_);
    return function_(arguments...);
  }

 private:
  const VendorLibrary& library_;
  std::string name_;
  int (*function_)(Parameters...) = nullptr;
};

// Reads a text from a function that takes a subject, a buffer and its size, with the subject first or last. The library
// may not terminate what it writes: the last byte stays zero.
template <class Function, class... Subject>
int read_text(std::string& out, const Function& function, Subject... subject) {
  std::array<char, 256> buffer{};
  constexpr int size = buffer.size() - 1;
  int code = 0;
  if constexpr (std::is_invocable_v<Function, Subject..., char*, int>)
    code = function(subject..., buffer.data(), size);
  else
    code = function(buffer.data(), size, subject...);
  buffer.back() = 0;
  out = buffer.data();
  return code;
}

}  // namespace envdoctor

#pragma once
// What the vendor APIs have in common: a library that may be missing, and calls that are named before they are made.
#include <climits>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "host/library.h"

namespace envdoctor {

// Told the name of each call before it is made, so that a crash or a hang can be blamed on it.
using Trace = std::function<void(const std::string&)>;

// Codes of ours; no vendor uses them.
constexpr int library_not_found = INT_MIN;
constexpr int function_not_found = INT_MIN + 1;
constexpr int makes_no_sense = INT_MIN + 2;  // the library called it a success, but what it answered can't be

class VendorLibrary {
 public:
  VendorLibrary(const std::string& soname_or_path, Trace trace) : VendorLibrary(std::vector{soname_or_path}, trace) {}
  // The first of these that there is.
  VendorLibrary(const std::vector<std::string>& sonames_or_paths, Trace trace);

  // The file that was loaded; absent if the loader finds none, failed in its words if it can't load it.
  [[nodiscard]] Reading<std::string> file() const;

  template <class Function>
  void bind(Function*& function, std::initializer_list<const char*> names) const {
    if (const Library* library = library_.get()) library->bind(function, names);
  }

  // One call of a bound function. `name` is what the trace is told.
  template <class... Parameters, class... Arguments>
  int call(const char* name, int (*function)(Parameters...), Arguments... arguments) const {
    if (!library_.get()) return library_not_found;
    if (!function) return function_not_found;
    if (trace_) trace_(name);
    return function(arguments...);
  }

 private:
  Trace trace_{};
  Reading<Library> library_{};
};

}  // namespace envdoctor

#include "host/vendor.h"

namespace envdoctor {

VendorLibrary::VendorLibrary(const std::vector<std::string>& sonames_or_paths, Trace trace) : trace_(std::move(trace)) {
  std::string tried;
  for (const std::string& name : sonames_or_paths) {
    if (trace_) trace_("dlopen(" + name + ")");
    library_ = Library::open(name);
    if (library_.outcome() != Outcome::absent) return;
    tried += (tried.empty() ? "" : ", ") + name;
  }
  library_ = absent((sonames_or_paths.size() > 1 ? "none of " + tried + " is" : tried + " is not") +
                    " found by the dynamic loader");
}

Reading<std::string> VendorLibrary::file() const {
  return library_.then([](const Library& library) { return library.path(); });
}

}  // namespace envdoctor

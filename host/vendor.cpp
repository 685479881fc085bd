#include "host/vendor.h"

namespace envdoctor {

VendorLibrary::VendorLibrary(const std::string& soname_or_path, Trace trace) : trace_(std::move(trace)) {
  if (trace_) trace_("dlopen(" + soname_or_path + ")");
  library_ = Library::open(soname_or_path);
  if (library_.outcome() == Outcome::absent) library_ = absent(soname_or_path + " is not found by the dynamic loader");
}

Reading<std::string> VendorLibrary::file() const {
  return library_.then([](const Library& library) { return library.path(); });
}

}  // namespace envdoctor

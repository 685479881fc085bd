#include "host/vendor/vendor_library.h"

#include <dlfcn.h>
#include <link.h>

namespace envdoctor {
Reading<Library> Library::open(const std::string& soname_or_path, bool lazily) {
  void* handle = dlopen(soname_or_path.c_str(), (lazily ? RTLD_LAZY : RTLD_NOW) | RTLD_LOCAL);
  if (!handle) {
    const char* error = dlerror();
    const std::string words = error ? error : "no reason given";
    // dlopen prints the same message for a missing library and for a missing dependency of it; only the name at the
    // front differs.
    const bool missing =
        words.starts_with(soname_or_path + ": cannot open shared object file: No such file or directory");
    return missing ? absent(words) : failed(words);
  }
  Library library;
  // Never closed: drivers crash when unloaded.
  library.handle_ = std::shared_ptr<void>(handle, [](void*) {});
  const link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map && map->l_name) library.path_ = map->l_name;
  return library;
}

void* Library::symbol(std::initializer_list<const char*> names) const {
  for (const char* name : names) {
    if (void* found = handle_ ? dlsym(handle_.get(), name) : nullptr) return found;
  }
  return nullptr;
}

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

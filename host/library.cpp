#include "host/library.h"

#include <dlfcn.h>
#include <link.h>

namespace envdoctor {
namespace {

// The loader says the same of a missing library and of one whose own dependency is missing; only the name at the front
// tells them apart.
bool says_not_there(const std::string& words, const std::string& name) {
  return words.rfind(name + ": cannot open shared object file: No such file or directory", 0) == 0;
}

}  // namespace

Reading<Library> Library::open(const std::string& soname_or_path, bool lazily) {
  void* handle = dlopen(soname_or_path.c_str(), (lazily ? RTLD_LAZY : RTLD_NOW) | RTLD_LOCAL);
  if (!handle) {
    const char* error = dlerror();
    const std::string words = error ? error : "no reason given";
    return says_not_there(words, soname_or_path) ? absent(words) : failed(words);
  }
  Library library;
  // Never closed: drivers don't survive it.
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

}  // namespace envdoctor

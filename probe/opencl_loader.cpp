// Which libOpenCL an application would get, and whose it is; why a driver can't be loaded. All from files.
#include <fmt/format.h>

#include "probe/opencl.h"

namespace envdoctor::opencl {
namespace {

constexpr std::size_t longest_library = 64u << 20;

void blame(OpenclIcd& icd, const char* kind, const std::string& error) {
  icd.loads = false;
  icd.error_kind = std::string(kind);
  icd.error = error;
}

// A relative name with a slash counts from the working folder.
std::string from_here(const Host& host, const std::string& library) {
  const auto here = host.env.find("PWD");
  const bool relative = library.find('/') != std::string::npos && !library.starts_with('/');
  return relative && here != host.env.end() ? here->second + "/" + library : library;
}

// Without its cache nothing can be said of where the loader of a captured host would have looked.
bool can_tell(const Host& host) { return host.live || host.files.status("/etc/ld.so.cache").get(); }
Missing cannot_tell() { return failed("/etc/ld.so.cache was not captured"); }

}  // namespace

std::string loader_kind(std::string_view library) {
  const auto holds = [&](std::string_view text) { return library.find(text) != std::string_view::npos; };
  // Variables that only one of the two reads.
  if (holds("OCL_ICD_PLATFORM_SORT") || holds("OPENCL_VENDOR_PATH")) return "ocl-icd";
  if (holds("OCL_ICD_FILENAMES")) return "khronos";
  if (holds("/etc/OpenCL/vendors")) return "unknown";
  return holds("clBuildProgram") ? "vendor" : "unknown";
}

Reading<OpenclLoader> find_loader(const Host& host, const Loader& loader) {
  const auto search = loader.look_up(loader_name);
  if (!search.get() && !can_tell(host)) return cannot_tell();
  return search.then([&](const LibrarySearch& found) {
    OpenclLoader chosen{.path = found.chosen.path};
    const auto bytes = host.files.read(found.chosen.path, longest_library);
    chosen.kind = bytes.then([](const std::string& content) { return loader_kind(content); });
    return chosen;
  });
}

void explain(const Host& host, const Loader& loader, OpenclIcd& icd) {
  if (!icd.library.get()) return;
  const std::string library = from_here(host, *icd.library.get());
  const auto found = loader.look_up(library);
  if (!found.get() && !can_tell(host)) {
    icd.path = cannot_tell();
    return;
  }
  if (!found.get()) {
    if (!icd.path.get()) icd.path = found.missing();
    if (found.outcome() != Outcome::absent) return;
    const bool foreign = found.why().find(" is for ") != std::string::npos;
    const bool denied = found.why().ends_with(": EACCES");
    return blame(icd, foreign ? "wrong-architecture" : denied ? "denied" : "not-found", found.why());
  }
  const FoundLibrary& chosen = found.get()->chosen;
  if (!icd.path.get()) icd.path = chosen.path;
  if (!chosen.trouble.empty()) return blame(icd, "not-a-library", chosen.trouble);
  if (!can_tell(host)) return;
  const auto missing = loader.missing_dependencies(chosen.path);
  if (!missing.get() || missing.get()->empty()) return;
  const MissingDependency& first = missing.get()->front();
  icd.missing_dependency = first.soname;
  blame(icd, "missing-dependency",
        fmt::format("{} needs {}, which is missing: {}", first.needed_by, first.soname, first.why));
}

}  // namespace envdoctor::opencl

// Which libOpenCL an application would get, and who made it; why a driver can't be loaded. All from files.
#include <fmt/format.h>

#include <algorithm>

#include "host/text.h"
#include "probe/opencl/opencl_platforms.h"

namespace envdoctor::opencl {

namespace {

constexpr std::size_t longest_library = 64u << 20;

void cannot_load(OpenclIcd& icd, const char* kind, const std::string& error) {
  icd.loads = false;
  icd.error_kind = std::string(kind);
  icd.error = error;
}

// A relative name with a slash is relative to the working folder.
std::string from_here(const Host& host, const std::string& library) {
  const bool relative = library.find('/') != std::string::npos && !library.starts_with('/');
  return relative && host.env.contains("PWD") ? variable(host, "PWD") + "/" + library : library;
}

// Without the cache it is unknown where the loader of a captured host would have looked.
bool search_path_known(const Host& host) { return host.live || host.files.status("/etc/ld.so.cache").get(); }
Missing cache_not_captured() { return failed("/etc/ld.so.cache was not captured"); }

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
  if (!search.get() && !search_path_known(host)) return cache_not_captured();
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
  if (!found.get() && !search_path_known(host)) {
    icd.path = cache_not_captured();
    return;
  }
  if (!found.get()) {
    if (!icd.path.get()) icd.path = found.missing();
    if (found.outcome() != Outcome::absent) return;
    const bool foreign = found.why().find(" is for ") != std::string::npos;
    const bool denied = found.why().ends_with(": EACCES");
    return cannot_load(icd, foreign ? "wrong-architecture" : denied ? "denied" : "not-found", found.why());
  }
  const FoundLibrary& chosen = found.get()->chosen;
  if (!icd.path.get()) icd.path = chosen.path;
  if (!chosen.problem.empty()) return cannot_load(icd, "not-a-library", chosen.problem);
  if (!search_path_known(host)) return;
  const auto missing = loader.missing_dependencies(chosen.path);
  if (!missing.get() || missing.get()->empty()) return;
  const MissingDependency& first = missing.get()->front();
  icd.missing_dependency = first.soname;
  cannot_load(icd, "missing-dependency",
              fmt::format("{} needs {}, which is missing: {}", first.needed_by, first.soname, first.why));
}

// Which folder, file or libraries an ICD loader reads. ocl-icd: libOpenCL(7). Khronos: its README and icd_linux.c.

namespace {

constexpr const char* standard_folder = "/etc/OpenCL/vendors";

Registration khronos(const Host& host) {
  Registration where{.folder = standard_folder};
  const std::string names = variable(host, "OCL_ICD_FILENAMES");
  for (const std::string_view name : pieces(names, ':'))
    if (!name.empty()) where.libraries.emplace_back(name);
  if (!where.libraries.empty()) where.variable = "OCL_ICD_FILENAMES";
  // A variable that is set but empty counts: no folder has that name, so none is read.
  if (host.env.contains("OCL_ICD_VENDORS")) {
    where.folder = variable(host, "OCL_ICD_VENDORS");
    where.variable = "OCL_ICD_VENDORS";
  }
  return where;
}

Registration ocl_icd(const Host& host) {
  Registration where{.folder = standard_folder};
  if (const std::string folder = variable(host, "OPENCL_VENDOR_PATH"); !folder.empty())
    where = {.folder = folder, .variable = "OPENCL_VENDOR_PATH"};
  const std::string value = variable(host, "OCL_ICD_VENDORS");
  if (value.empty()) return where;
  const std::string inside = where.folder + "/" + value;
  where = {.variable = "OCL_ICD_VENDORS"};
  if (const auto status = host.files.status(value); status.get() && status.get()->kind == FileStatus::Kind::folder)
    where.folder = value;
  else if (!value.ends_with(".icd") || value.size() < 5)
    where.libraries = {value};
  else
    where.file = value.find('/') == std::string::npos && host.files.status(inside).get() ? inside : value;
  return where;
}

}  // namespace

Registration registration(const Host& host, const std::string& kind) {
  // It is the driver itself and looks for no others; registered drivers are installed anyway.
  if (kind == "vendor") return {.folder = standard_folder, .libraries = {loader_name}};
  return kind == "khronos" ? khronos(host) : ocl_icd(host);
}

// The .icd files, as files.

namespace {

constexpr std::size_t longest_path = 4096;  // PATH_MAX: dlopen takes no longer one

OpenclIcd read_icd(const Files& files, const std::string& file, const std::string& kind) {
  OpenclIcd icd{.file = file};
  const auto content = files.read(file);
  icd.library = content.get() ? library_line(*content.get(), kind) : Text(failed(content.why()));
  if (!icd.library.get()) cannot_load(icd, content.get() ? "malformed" : "unreadable", icd.library.why());
  return icd;
}

}  // namespace

Text library_line(std::string_view content, const std::string& kind) {
  if (content.empty()) return failed("the file is empty");
  // Khronos' loader takes the whole file except one line end, ocl-icd the first line.
  if (kind == "khronos") {
    if (content.ends_with('\n')) content.remove_suffix(1);
  } else {
    content = content.substr(0, content.find('\n'));
  }
  content = content.substr(0, content.find('\0'));
  if (content.empty()) return failed("the file begins with an empty line");
  if (content.size() >= longest_path) return failed("the file names no library: its first line is too long for a path");
  const auto strange = [](unsigned char c) { return c < 0x20 && c != '\r' && c != '\n' && c != '\t'; };
  if (std::ranges::any_of(content, strange)) return failed("the file is binary, not the name of a library");
  return std::string(content);
}

List<OpenclIcd> registered(const Host& host, const Registration& where, const std::string& kind) {
  std::vector<OpenclIcd> icds;
  for (const std::string& library : where.libraries) {
    const std::string why = where.variable.empty() ? "the driver is libOpenCL itself" : "named by " + where.variable;
    icds.push_back({.file = absent(why), .library = library});
  }
  if (!where.file.empty()) icds.push_back(read_icd(host.files, where.file, kind));
  if (!where.folder.empty()) {
    const auto names = host.files.list(where.folder);
    if (names.outcome() == Outcome::failed) return failed(names.why());
    for (const std::string& name : names.or_empty())
      if (name.size() >= 5 && name.ends_with(".icd"))
        icds.push_back(read_icd(host.files, where.folder + "/" + name, kind));
  }
  return icds;
}

}  // namespace envdoctor::opencl

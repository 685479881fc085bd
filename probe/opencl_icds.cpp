// The .icd files, as files.
#include <algorithm>

#include "probe/opencl.h"

namespace envdoctor::opencl {
namespace {

constexpr std::size_t longest_name = 4096;  // PATH_MAX: dlopen takes no longer one

OpenclIcd broken(OpenclIcd icd, const char* kind, const std::string& error) {
  icd.loads = false;
  icd.error_kind = std::string(kind);
  icd.error = error;
  return icd;
}

OpenclIcd read_icd(const Files& files, const std::string& file, const std::string& kind) {
  OpenclIcd icd{.file = file};
  const auto content = files.read(file);
  icd.library = content.get() ? library_line(*content.get(), kind) : Text(failed(content.why()));
  if (!content.get()) return broken(std::move(icd), "unreadable", content.why());
  const std::string why = icd.library.why();
  if (!icd.library.get()) return broken(std::move(icd), "malformed", why);
  return icd;
}

}  // namespace

Text library_line(std::string_view content, const std::string& kind) {
  if (content.empty()) return failed("the file is empty");
  // Khronos' loader takes the whole file but for one line end, ocl-icd the first line.
  if (kind == "khronos") {
    if (content.ends_with('\n')) content.remove_suffix(1);
  } else {
    content = content.substr(0, content.find('\n'));
  }
  content = content.substr(0, content.find('\0'));
  if (content.empty()) return failed("the file begins with an empty line");
  if (content.size() >= longest_name) return failed("the file names no library: its first line is too long for a path");
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
    if (names.get()) {
      for (const std::string& name : *names.get()) {
        if (name.size() < 5 || !name.ends_with(".icd")) continue;
        icds.push_back(read_icd(host.files, where.folder + "/" + name, kind));
      }
    }
  }
  return icds;
}

}  // namespace envdoctor::opencl

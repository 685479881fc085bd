// Which libOpenCL an application would get, and whose it is.
#include "probe/opencl.h"

namespace envdoctor::opencl {
namespace {

constexpr const char* soname = "libOpenCL.so.1";
constexpr std::size_t longest_library = 64u << 20;

std::vector<std::string> folders(const Host& host) {
  std::vector<std::string> all;
  if (const auto path = host.env.find("LD_LIBRARY_PATH"); path != host.env.end()) {
    const std::string& text = path->second;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find(':', begin), text.size());
      if (end > begin) all.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  for (const char* folder : {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/lib64", "/usr/lib64", "/lib",
                             "/usr/lib", "/usr/local/lib"}) {
    all.emplace_back(folder);
  }
  return all;
}

}  // namespace

std::string loader_kind(std::string_view library) {
  const auto holds = [&](std::string_view text) { return library.find(text) != std::string_view::npos; };
  // Variables that only one of the two reads.
  if (holds("OCL_ICD_PLATFORM_SORT") || holds("OPENCL_VENDOR_PATH")) return "ocl-icd";
  if (holds("OCL_ICD_FILENAMES")) return "khronos";
  if (holds("/etc/OpenCL/vendors")) return "unknown";
  return holds("clBuildProgram") ? "vendor" : "unknown";
}

Reading<OpenclLoader> find_loader(const Host& host) {
  for (const std::string& folder : folders(host)) {
    const auto path = host.files.resolve(folder + "/" + soname);
    if (!path.get()) continue;
    const auto bytes = host.files.read(*path.get(), longest_library);
    OpenclLoader loader{.path = path};
    loader.kind = bytes.then([](const std::string& content) { return loader_kind(content); });
    return loader;
  }
  return absent("no libOpenCL.so.1 where the dynamic loader looks");
}

}  // namespace envdoctor::opencl

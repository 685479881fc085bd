// In a child: OpenCL as an application gets it, through whatever libOpenCL the dynamic loader picks.
#include <fmt/format.h>

#include "knowledge/names.h"
#include "probe/opencl.h"

namespace envdoctor::opencl {
namespace {

// ocl-icd's call, later taken over by Khronos' loader; 2 asks for the version, 3 for the name.
Text loader_version(const OpenclCalls& calls) {
  using Info = cl_int (*)(cl_uint, std::size_t, void*, std::size_t*);
  if (!calls.clGetExtensionFunctionAddress) return failed("this libOpenCL has no clGetExtensionFunctionAddress");
  const auto info = reinterpret_cast<Info>(calls.clGetExtensionFunctionAddress("clGetICDLoaderInfoOCLICD"));
  if (!info) return absent("this libOpenCL does not tell its version");
  return ask_text("clGetICDLoaderInfoOCLICD", [&](auto... where) { return info(2, where...); });
}

}  // namespace

Opencl ask_as_application(const Channel& channel) {
  Opencl seen;
  channel.step("dlopen");
  const auto library = Library::open("libOpenCL.so.1");
  if (!library.get()) {
    seen.loader = library.missing();
    seen.error = failed(library.why());
    seen.application_platforms = failed(library.why());
    return seen;
  }
  const OpenclCalls calls = opencl_calls(*library.get());
  channel.step("clGetICDLoaderInfoOCLICD");
  seen.loader = OpenclLoader{.path = library.get()->path(), .version = loader_version(calls)};
  constexpr const char* call = "clGetPlatformIDs";
  if (!calls.clGetPlatformIDs) {
    seen.error = failed("this libOpenCL has no clGetPlatformIDs");
    seen.application_platforms = failed("this libOpenCL has no clGetPlatformIDs");
    return seen;
  }
  channel.step(call);
  cl_uint count = 0;
  const cl_int code = calls.clGetPlatformIDs(0, nullptr, &count);
  const std::string name = knowledge::code_name("opencl", code);
  if (code == CL_SUCCESS) {
    seen.error = absent("CL_SUCCESS");
    seen.application_platforms = std::int64_t{count};
  } else {
    seen.error = name.empty() ? std::to_string(code) : name;
    // The loaders give this code for an empty list.
    seen.application_platforms = code == CL_PLATFORM_NOT_FOUND_KHR ? Number(0) : Number(failed(call_error(call, code)));
  }
  return seen;
}

}  // namespace envdoctor::opencl

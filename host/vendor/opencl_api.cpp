#include "host/vendor/opencl_api.h"

#include <cstdint>
#include <cstring>

namespace envdoctor {
namespace {

// Looks up the calls that this program makes, each by name.
template <class Find>
void fill_calls(OpenclCalls& calls, Find find) {
  const auto set = [&](auto& call, const char* name) {
    call = reinterpret_cast<std::remove_reference_t<decltype(call)>>(find(name));
  };
#define ENVDOCTOR_CALL(name) set(calls.name, #name)
  ENVDOCTOR_CALL(clGetPlatformIDs);
  ENVDOCTOR_CALL(clGetPlatformInfo);
  ENVDOCTOR_CALL(clGetDeviceIDs);
  ENVDOCTOR_CALL(clGetDeviceInfo);
  ENVDOCTOR_CALL(clCreateContext);
  ENVDOCTOR_CALL(clReleaseContext);
  ENVDOCTOR_CALL(clCreateCommandQueue);
  ENVDOCTOR_CALL(clReleaseCommandQueue);
  ENVDOCTOR_CALL(clCreateBuffer);
  ENVDOCTOR_CALL(clCreateSubBuffer);
  ENVDOCTOR_CALL(clReleaseMemObject);
  ENVDOCTOR_CALL(clCreateProgramWithSource);
  ENVDOCTOR_CALL(clBuildProgram);
  ENVDOCTOR_CALL(clReleaseProgram);
  ENVDOCTOR_CALL(clCreateKernel);
  ENVDOCTOR_CALL(clReleaseKernel);
  ENVDOCTOR_CALL(clSetKernelArg);
  ENVDOCTOR_CALL(clEnqueueNDRangeKernel);
  ENVDOCTOR_CALL(clEnqueueReadBuffer);
  ENVDOCTOR_CALL(clEnqueueWriteBuffer);
  ENVDOCTOR_CALL(clEnqueueCopyBuffer);
  ENVDOCTOR_CALL(clEnqueueMapBuffer);
  ENVDOCTOR_CALL(clEnqueueUnmapMemObject);
  ENVDOCTOR_CALL(clFinish);
  ENVDOCTOR_CALL(clGetEventInfo);
  ENVDOCTOR_CALL(clGetEventProfilingInfo);
  ENVDOCTOR_CALL(clReleaseEvent);
  ENVDOCTOR_CALL(clGetProgramBuildInfo);
  ENVDOCTOR_CALL(clGetExtensionFunctionAddress);
#undef ENVDOCTOR_CALL
}

// cl_khr_icd 2.0.0: a table whose clGetPlatformIDs is this number holds no calls; newer headers name it
// CL_ICD2_TAG_KHR.
bool left_to_loader(const OpenclCalls& calls) {
  const std::uintptr_t tag =
      sizeof(void*) == 8 ? static_cast<std::uintptr_t>(0x4F50454E434C3331) : static_cast<std::uintptr_t>(0x434C3331);
  return reinterpret_cast<std::uintptr_t>(calls.clGetPlatformIDs) == tag;
}

}  // namespace

Reading<OpenclEntry> opencl_entry(const Library& driver) {
  OpenclEntry entry;
  driver.bind(entry.address, {"clGetExtensionFunctionAddress"});
  // Both loaders refuse a driver without it, whatever else it exports.
  if (!entry.address) return failed("the library does not export clGetExtensionFunctionAddress");
  entry.platforms = reinterpret_cast<clIcdGetPlatformIDsKHR_fn>(entry.address("clIcdGetPlatformIDsKHR"));
  if (!entry.platforms) driver.bind(entry.platforms, {"clIcdGetPlatformIDsKHR"});
  if (!entry.platforms) return failed("the library has no clIcdGetPlatformIDsKHR");
  return entry;
}

const OpenclCalls* opencl_calls(cl_platform_id platform, const OpenclEntry& entry, OpenclCalls& own) {
  const OpenclCalls* calls = nullptr;
  std::memcpy(&calls, platform, sizeof(calls));  // the first member of every object a driver hands out
  if (!calls || !left_to_loader(*calls)) return calls;
  using Find = void* (*)(cl_platform_id, const char*);
  const auto find = reinterpret_cast<Find>(entry.address("clIcdGetFunctionAddressForPlatformKHR"));
  if (!find) return nullptr;
  fill_calls(own, [&](const char* name) { return find(platform, name); });
  return &own;
}

OpenclCalls opencl_calls(const Library& loader) {
  OpenclCalls calls{};
  fill_calls(calls, [&](const char* name) { return loader.symbol({name}); });
  return calls;
}

}  // namespace envdoctor

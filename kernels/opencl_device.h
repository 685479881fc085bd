#pragma once
// The parts of the OpenCL device: how its calls are made, and how the device is found.
#include <memory>
#include <string>
#include <utility>

#include "host/opencl.h"
#include "kernels/device.h"

namespace envdoctor::kernels {

// Makes calls: each is told to the trace first, and one that fails is thrown with its name.
struct OpenclTalk {
  OpenOptions options{};

  void tell(const std::string& what) const {
    if (options.trace) options.trace(what);
  }
  [[nodiscard]] std::string code_text(cl_int code) const;
  template <class F, class... Args>
  void quietly(const char* name, F function, Args... args) const {
    if (!function) throw DeviceError(std::string("the driver has no ") + name);
    if (const cl_int code = function(args...); code != CL_SUCCESS) throw DeviceError(std::string(name) + ": " + code_text(code));
  }
  template <class F, class... Args>
  void code(const char* name, F function, Args... args) const {
    tell(name);
    quietly(name, function, args...);
  }
  template <class F, class... Args>
  auto made(const char* name, F function, Args... args) const {
    tell(name);
    if (!function) throw DeviceError(std::string("the driver has no ") + name);
    cl_int error = CL_SUCCESS;
    const auto object = function(args..., &error);
    if (error != CL_SUCCESS) throw DeviceError(std::string(name) + ": " + code_text(error));
    if (!object) throw DeviceError(std::string(name) + ": no error and no object");
    return object;
  }
};

struct OpenclFound {
  std::shared_ptr<Library> library{};
  std::shared_ptr<OpenclCalls> own{};  // where the driver leaves its table to the loader
  const OpenclCalls* calls = nullptr;
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  DeviceFacts facts{};
};

// Loads the driver and looks the device up by platform name and index.
OpenclFound find_opencl(const OpenclTalk& talk, const Target& target);

std::unique_ptr<Copy> opencl_copy(const OpenclTalk& talk, const OpenclCalls& calls, cl_context context,
                                  cl_command_queue queue, const CopySpec& spec);

}  // namespace envdoctor::kernels

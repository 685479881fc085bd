// In a child: a tiny kernel, built and run, and its answer looked at.
#include <array>

#include "probe/opencl/opencl_platforms.h"

namespace envdoctor::opencl {
namespace {

constexpr std::size_t count = 256;

const char* const source =
    "__kernel void envdoctor(__global uint* out) {\n"
    "  const uint i = (uint)get_global_id(0);\n"
    "  out[i] = i * i + 7u;\n"
    "}\n";

class Launch {
 public:
  Launch(const Channel& channel, const OpenclCalls& calls) : channel_(channel), calls_(calls) {}

  // Each call is named before it is made; the first that fails ends the launch.
  template <class F, class... Args>
  bool code(const char* name, F function, Args... args) {
    if (!ready(name, function)) return false;
    return good(name, function(args...));
  }
  template <class T, class F, class... Args>
  bool made(T& object, const char* name, F function, Args... args) {
    if (!ready(name, function)) return false;
    cl_int error = CL_SUCCESS;
    object = function(args..., &error);
    if (error == CL_SUCCESS && !object) {
      outcome_ = std::string(name) + ": no error and no object";
      return false;
    }
    return good(name, error);
  }

  std::string run(cl_platform_id platform, cl_device_id device) {
    const std::array<cl_context_properties, 3> properties = {CL_CONTEXT_PLATFORM,
                                                             reinterpret_cast<cl_context_properties>(platform), 0};
    std::array<cl_uint, count> out{};
    const char* text = source;
    const std::size_t length = std::char_traits<char>::length(source);
    cl_context context = nullptr;
    cl_command_queue queue = nullptr;
    cl_program program = nullptr;
    cl_kernel kernel = nullptr;
    cl_mem buffer = nullptr;
    using Notify = void(CL_CALLBACK*)(const char*, const void*, std::size_t, void*);
    using Built = void(CL_CALLBACK*)(cl_program, void*);
    // Nothing is released: this child ends soon, and releasing is one more thing that could go wrong.
    const bool ran =
        made(context, "clCreateContext", calls_.clCreateContext, properties.data(), 1u, &device, Notify(nullptr),
             static_cast<void*>(nullptr)) &&
        made(queue, "clCreateCommandQueue", calls_.clCreateCommandQueue, context, device,
             cl_command_queue_properties{0}) &&
        made(buffer, "clCreateBuffer", calls_.clCreateBuffer, context, cl_mem_flags{CL_MEM_READ_WRITE}, sizeof(out),
             static_cast<void*>(nullptr)) &&
        made(program, "clCreateProgramWithSource", calls_.clCreateProgramWithSource, context, 1u, &text, &length) &&
        code("clBuildProgram", calls_.clBuildProgram, program, 1u, &device, "", Built(nullptr),
             static_cast<void*>(nullptr)) &&
        made(kernel, "clCreateKernel", calls_.clCreateKernel, program, "envdoctor") &&
        code("clSetKernelArg", calls_.clSetKernelArg, kernel, 0u, sizeof(buffer), &buffer) &&
        code("clEnqueueNDRangeKernel", calls_.clEnqueueNDRangeKernel, queue, kernel, 1u,
             static_cast<const std::size_t*>(nullptr), &count, static_cast<const std::size_t*>(nullptr), 0u,
             static_cast<const cl_event*>(nullptr), static_cast<cl_event*>(nullptr)) &&
        code("clEnqueueReadBuffer", calls_.clEnqueueReadBuffer, queue, buffer, cl_bool{CL_TRUE}, std::size_t{0},
             sizeof(out), out.data(), 0u, static_cast<const cl_event*>(nullptr), static_cast<cl_event*>(nullptr));
    if (!ran) return outcome_;
    for (cl_uint i = 0; i < count; ++i) {
      if (out[i] != i * i + 7u) return "wrong result";
    }
    return "ran";
  }

 private:
  template <class F>
  bool ready(const char* name, F function) {
    channel_.step(name);
    if (!function) outcome_ = std::string("the driver has no ") + name;
    return function != nullptr;
  }
  bool good(const char* name, cl_int error) {
    if (error != CL_SUCCESS) outcome_ = call_error(name, error);
    return error == CL_SUCCESS;
  }

  const Channel& channel_;
  const OpenclCalls& calls_;
  std::string outcome_{};
};

}  // namespace

std::string launch(const Channel& channel, const OpenclCalls& calls, cl_platform_id platform, cl_device_id device) {
  return Launch(channel, calls).run(platform, device);
}

}  // namespace envdoctor::opencl

// OpenCL without libOpenCL: the driver's own calls, as the loader would reach them.
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <utility>

#include "host/vendor/opencl_api.h"
#include "kernels/core/device_source.h"
#include "kernels/devices/device.h"

namespace envdoctor::kernels {
namespace {

using ContextNotify = void(CL_CALLBACK*)(const char*, const void*, std::size_t, void*);
using BuildNotify = void(CL_CALLBACK*)(cl_program, void*);

// Makes calls: each is traced first, and one that fails throws with its name.
struct OpenclCaller {
  OpenOptions options{};

  void trace(const std::string& what) const {
    if (options.trace) options.trace(what);
  }
  [[nodiscard]] std::string code_text(cl_int code) const {
    const std::string name = options.code_name ? options.code_name("opencl", code) : "";
    return name.empty() ? "error " + std::to_string(code) : name;
  }
  template <class F, class... Args>
  void check(const char* name, F function, Args... args) const {
    if (!function) throw DeviceError(std::string("the driver has no ") + name);
    if (const cl_int code = function(args...); code != CL_SUCCESS)
      throw DeviceError(std::string(name) + ": " + code_text(code));
  }
  template <class F, class... Args>
  void call(const char* name, F function, Args... args) const {
    trace(name);
    check(name, function, args...);
  }
  template <class F, class... Args>
  auto create(const char* name, F function, Args... args) const {
    trace(name);
    if (!function) throw DeviceError(std::string("the driver has no ") + name);
    cl_int error = CL_SUCCESS;
    const auto object = function(args..., &error);
    if (error != CL_SUCCESS) throw DeviceError(std::string(name) + ": " + code_text(error));
    if (!object) throw DeviceError(std::string(name) + ": succeeded without returning an object");
    return object;
  }
};

struct OpenclHandles {
  std::shared_ptr<Library> library{};
  std::shared_ptr<OpenclCalls> own{};  // where the driver leaves its table to the loader
  const OpenclCalls* calls = nullptr;
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  DeviceFacts facts{};
};

constexpr cl_uint most_platforms = 64;
constexpr cl_uint most_devices = 1024;

template <class T>
T number(const OpenclCalls& calls, cl_device_id device, cl_device_info what, T otherwise) {
  T value{};
  std::size_t size = 0;
  const bool answered =
      calls.clGetDeviceInfo && calls.clGetDeviceInfo(device, what, sizeof(value), &value, &size) == CL_SUCCESS;
  return answered && size == sizeof(value) ? value : otherwise;
}

template <class Ask>
std::string text_of(Ask ask) {
  std::string text(std::size_t{64} << 10, '\0');
  if (ask(text.size() - 1, text.data()) != CL_SUCCESS) return "";
  return text.c_str();
}

Capabilities capabilities_of(const OpenclCalls& calls, cl_device_id device) {
  const std::string extensions = text_of([&](std::size_t size, void* out) {
    return calls.clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, size, out, nullptr);
  });
  const auto memory = number<cl_ulong>(calls, device, CL_DEVICE_GLOBAL_MEM_SIZE, 0);
  return {
      .fp16 = extensions.find("cl_khr_fp16") != extensions.npos,
      .fp64 = extensions.find("cl_khr_fp64") != extensions.npos,
      .max_local_items = std::max<std::size_t>(1, number<std::size_t>(calls, device, CL_DEVICE_MAX_WORK_GROUP_SIZE, 1)),
      .memory_bytes = memory / 4,
      .largest_buffer_bytes = number<cl_ulong>(calls, device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, 0),
      .vector_bytes = number<cl_uint>(calls, device, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, 8) >= 16 ? 64U : 32U,
  };
}

// Vendors' own queries (cl_nv_device_attribute_query, cl_amd_device_attribute_query, cl_intel_device_attribute_query).
DeviceSpecs specs_of(const OpenclCalls& calls, cl_device_id device) {
  const auto count = [&](cl_device_info what) {
    return static_cast<int>(std::min<cl_uint>(number<cl_uint>(calls, device, what, 0), 1U << 16));
  };
  return {.clock_mhz = static_cast<double>(count(CL_DEVICE_MAX_CLOCK_FREQUENCY)),
          .units = count(CL_DEVICE_MAX_COMPUTE_UNITS),
          .nvidia_major = count(0x4000),
          .nvidia_minor = count(0x4001),
          .amd_simds = count(0x4040),
          .amd_simd_width = count(0x4041),
          .amd_instruction_width = count(0x4042),
          .intel_slices = count(0x4252),
          .intel_subslices = count(0x4253),
          .intel_units = count(0x4254),
          .clock_origin = "CL_DEVICE_MAX_CLOCK_FREQUENCY"};
}

std::vector<cl_platform_id> platforms_of(const OpenclCaller& caller, const Target& target, OpenclHandles& handles,
                                         const OpenclEntry* entry) {
  cl_uint count = 0;
  const auto list = [&](cl_uint room, cl_platform_id* out, cl_uint* listed) {
    if (entry) return caller.call("clIcdGetPlatformIDsKHR", entry->platforms, room, out, listed);
    return caller.call("clGetPlatformIDs", handles.own->clGetPlatformIDs, room, out, listed);
  };
  list(0, nullptr, &count);
  if (count > most_platforms) throw DeviceError(target.library + " lists too many platforms");
  std::vector<cl_platform_id> platforms(count, nullptr);
  if (count > 0) list(count, platforms.data(), nullptr);
  std::erase(platforms, nullptr);
  return platforms;
}

// Loads the driver and looks the device up by platform name and index.
OpenclHandles find_opencl(const OpenclCaller& caller, const Target& target) {
  OpenclHandles handles;
  caller.trace("dlopen of " + target.library);
  const auto library = Library::open(target.library, true);
  if (!library.get()) throw DeviceError(target.library + ": " + library.why());
  handles.library = std::make_shared<Library>(*library.get());
  handles.own = std::make_shared<OpenclCalls>();
  Reading<OpenclEntry> entry;
  if (target.through_loader) {
    *handles.own = opencl_calls(*library.get());
  } else {
    entry = opencl_entry(*library.get());
    if (!entry.get()) throw DeviceError(target.library + ": " + entry.why());
  }
  const std::vector<cl_platform_id> platforms = platforms_of(caller, target, handles, entry.get());
  for (std::size_t i = 0; i < platforms.size(); ++i) {
    cl_platform_id platform = platforms[i];
    handles.calls = entry.get() ? opencl_calls(platform, *entry.get(), *handles.own) : handles.own.get();
    if (!handles.calls || !handles.calls->clGetPlatformInfo || !handles.calls->clGetDeviceIDs ||
        !handles.calls->clGetDeviceInfo)
      continue;
    // A loader numbers the platforms of all drivers, so the platform is found by name.
    const std::string name = text_of([&](std::size_t size, void* out) {
      return handles.calls->clGetPlatformInfo(platform, CL_PLATFORM_NAME, size, out, nullptr);
    });
    if (target.through_loader ? name != target.platform : static_cast<int>(i) != target.platform_index) continue;
    std::vector<cl_device_id> devices(most_devices, nullptr);
    cl_uint count = 0;
    caller.call("clGetDeviceIDs", handles.calls->clGetDeviceIDs, platform, cl_device_type{CL_DEVICE_TYPE_ALL},
                most_devices, devices.data(), &count);
    devices.resize(std::min(count, most_devices));
    if (static_cast<std::size_t>(target.index) >= devices.size() || !devices[static_cast<std::size_t>(target.index)])
      throw DeviceError("the driver no longer lists this device");
    handles.platform = platform;
    handles.device = devices[static_cast<std::size_t>(target.index)];
    const auto type = number<cl_device_type>(*handles.calls, handles.device, CL_DEVICE_TYPE, 0);
    handles.facts = {.subject = target.subject,
                     .backend = "opencl",
                     .math_library = "the driver's compiler",
                     .on_host_cores = (type & CL_DEVICE_TYPE_CPU) != 0,
                     .variants = {Variant::cpu, Variant::gpu},
                     .capabilities = capabilities_of(*handles.calls, handles.device),
                     .specs = specs_of(*handles.calls, handles.device)};
    if (caller.options.vector_bytes > 0) handles.facts.capabilities.vector_bytes = caller.options.vector_bytes;
    return handles;
  }
  throw DeviceError(target.library + " has no platform " + target.platform);
}

constexpr const cl_event* nothing_first = nullptr;
constexpr cl_event* no_event = nullptr;

// Buffers and what goes through a device's queue.
struct OpenclQueue {
  const OpenclCaller& caller;
  const OpenclCalls& calls;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;

  [[nodiscard]] cl_mem buffer(cl_mem_flags flags, std::size_t bytes) const {
    return caller.create("clCreateBuffer", calls.clCreateBuffer, context, flags, bytes, static_cast<void*>(nullptr));
  }
  void write(cl_mem to, std::size_t offset, std::span<const std::byte> bytes, cl_bool wait = CL_TRUE) const {
    if (wait) caller.trace("clEnqueueWriteBuffer");
    caller.check("clEnqueueWriteBuffer", calls.clEnqueueWriteBuffer, queue, to, wait, offset, bytes.size(),
                 static_cast<const void*>(bytes.data()), 0U, nothing_first, no_event);
  }
  void read(cl_mem from, std::span<std::byte> bytes, cl_bool wait = CL_TRUE) const {
    if (wait) caller.trace("clEnqueueReadBuffer");
    caller.check("clEnqueueReadBuffer", calls.clEnqueueReadBuffer, queue, from, wait, std::size_t{0}, bytes.size(),
                 static_cast<void*>(bytes.data()), 0U, nothing_first, no_event);
  }
};

class OpenclCopy : public DeviceCopy {
 public:
  OpenclCopy(const OpenclQueue& queue, const CopySpec& spec)
      : DeviceCopy(spec), queue_(queue), near_(queue.buffer(CL_MEM_READ_WRITE, spec.bytes)) {
    if (spec.direction == CopyDirection::on_device) {
      far_ = queue_.buffer(CL_MEM_READ_WRITE, spec.bytes);
    } else if (spec.pinned) {
      far_ = queue_.buffer(CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, spec.bytes);
      host_ = static_cast<std::byte*>(queue_.caller.create(
          "clEnqueueMapBuffer", queue_.calls.clEnqueueMapBuffer, queue_.queue, far_, cl_bool{CL_TRUE},
          cl_map_flags{CL_MAP_READ | CL_MAP_WRITE}, std::size_t{0}, spec.bytes, 0U, nothing_first, no_event));
    } else {
      memory_.resize(spec.bytes);
      host_ = memory_.data();
    }
  }
  OpenclCopy(const OpenclCopy&) = delete;
  OpenclCopy& operator=(const OpenclCopy&) = delete;
  // Releases memory, which the next rows need. Errors can't be reported here.
  ~OpenclCopy() override {
    const OpenclCalls& calls = queue_.calls;
    if (spec_.pinned && host_ && calls.clEnqueueUnmapMemObject)
      calls.clEnqueueUnmapMemObject(queue_.queue, far_, host_, 0, nullptr, nullptr);
    if (calls.clFinish) calls.clFinish(queue_.queue);
    for (cl_mem memory : {near_, far_}) {
      if (memory && calls.clReleaseMemObject) calls.clReleaseMemObject(memory);
    }
  }

 private:
  void write(End to, std::span<const std::byte> bytes) override {
    queue_.write(to == End::near ? near_ : far_, 0, bytes);
  }
  void read(End from, std::span<std::byte> bytes) override { queue_.read(from == End::near ? near_ : far_, bytes); }
  void finish() override { queue_.caller.check("clFinish", queue_.calls.clFinish, queue_.queue); }
  void enqueue() override {
    constexpr std::size_t start = 0;
    if (spec_.direction == CopyDirection::to_device) {
      queue_.write(near_, start, {host_, spec_.bytes}, CL_FALSE);
    } else if (spec_.direction == CopyDirection::to_host) {
      queue_.read(near_, {host_, spec_.bytes}, CL_FALSE);
    } else {
      queue_.caller.check("clEnqueueCopyBuffer", queue_.calls.clEnqueueCopyBuffer, queue_.queue, near_, far_, start,
                          start, spec_.bytes, 0U, nothing_first, no_event);
    }
  }

  OpenclQueue queue_;
  cl_mem near_ = nullptr, far_ = nullptr;
  std::vector<std::byte> memory_{};
};

class OpenclComputeDevice : public BufferedDevice {
 public:
  OpenclComputeDevice(OpenclCaller caller, OpenclHandles handles)
      : BufferedDevice(caller.options.guard_bytes), caller_(std::move(caller)), handles_(std::move(handles)) {
    facts_ = handles_.facts;
    const std::array<cl_context_properties, 3> properties = {
        CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(handles_.platform), 0};
    queue_.context = caller_.create("clCreateContext", calls().clCreateContext, properties.data(), 1U, &handles_.device,
                                    ContextNotify(nullptr), static_cast<void*>(nullptr));
    queue_.queue = caller_.create("clCreateCommandQueue", calls().clCreateCommandQueue, queue_.context, handles_.device,
                                  cl_command_queue_properties{CL_QUEUE_PROFILING_ENABLE});
  }
  // Nothing is released at the end: the child exits, and releasing could fail as well.

  void build(const std::vector<const Kernel*>& kernels, const std::string& options) override {
    for (const auto& [name, kernel] : functions_) caller_.call("clReleaseKernel", calls().clReleaseKernel, kernel);
    functions_.clear();
    if (program_) caller_.call("clReleaseProgram", calls().clReleaseProgram, program_);
    const std::string source = program_source(kernels, facts_.capabilities);
    const char* text = source.c_str();
    const std::size_t length = source.size();
    program_ = caller_.create("clCreateProgramWithSource", calls().clCreateProgramWithSource, queue_.context, 1U, &text,
                              &length);
    try {
      caller_.call("clBuildProgram", calls().clBuildProgram, program_, 1U, &handles_.device, options.c_str(),
                   BuildNotify(nullptr), static_cast<void*>(nullptr));
    } catch (const DeviceError& error) {
      throw DeviceError(std::string(error.what()) + build_log());
    }
  }

  RunTime run(int times) override {
    cl_event first = nullptr;
    cl_event last = nullptr;
    const Stopwatch time;
    for (int i = 0; i < times; ++i) {
      for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
        const bool opens = i == 0 && s == 0;
        const bool closes = i + 1 == times && s + 1 == plan_.steps.size();
        enqueue(plan_.steps[s], opens ? &first : closes ? &last : nullptr, opens);
      }
    }
    caller_.call("clFinish", calls().clFinish, queue_.queue);
    RunTime ran{.wall_ms = time.ms()};
    ran.event_ms = between(first, last ? last : first);
    for (cl_event event : {first, last}) {
      if (event) caller_.call("clReleaseEvent", calls().clReleaseEvent, event);
    }
    return ran;
  }

  std::unique_ptr<Copy> copy(const CopySpec& spec) override { return std::make_unique<OpenclCopy>(queue_, spec); }

 protected:
  void release_buffers() override {
    for (const Memory& memory : buffers_) {
      if (memory.part != memory.whole) caller_.call("clReleaseMemObject", calls().clReleaseMemObject, memory.part);
      caller_.call("clReleaseMemObject", calls().clReleaseMemObject, memory.whole);
    }
    buffers_.clear();
  }
  // Without a band before it if the driver can't create sub-buffers.
  std::size_t allocate(std::size_t bytes) override {
    Memory& memory = buffers_.emplace_back();
    memory.whole = memory.part = queue_.buffer(CL_MEM_READ_WRITE, std::max<std::size_t>(1, bytes + 2 * guard_bytes_));
    if (guard_bytes_ == 0 || !calls().clCreateSubBuffer) return 0;
    const cl_buffer_region region{.origin = guard_bytes_, .size = std::max<std::size_t>(1, bytes)};
    cl_int error = CL_SUCCESS;
    caller_.trace("clCreateSubBuffer");
    const cl_mem part =
        calls().clCreateSubBuffer(memory.whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    if (!part || error != CL_SUCCESS) return 0;
    memory.part = part;
    return guard_bytes_;
  }
  void write_bytes(std::size_t buffer, std::size_t offset, std::span<const std::byte> bytes) override {
    queue_.write(buffers_[buffer].whole, offset, bytes);
  }
  void read_bytes(std::size_t buffer, std::span<std::byte> bytes) override {
    queue_.read(buffers_[buffer].whole, bytes);
  }

 private:
  // `part` is passed to kernels: `whole` without its guard bands.
  struct Memory {
    cl_mem whole = nullptr, part = nullptr;
  };

  const OpenclCalls& calls() const { return *handles_.calls; }

  cl_kernel function(const std::string& name) {
    cl_kernel& kernel = functions_[name];
    if (!kernel) kernel = caller_.create("clCreateKernel", calls().clCreateKernel, program_, name.c_str());
    return kernel;
  }

  // Only the first launch is traced, with its function, so that tracing isn't timed.
  void enqueue(const Step& step, cl_event* event, bool traced) {
    const cl_kernel kernel = function(step.function);
    if (traced) caller_.trace("clEnqueueNDRangeKernel of " + step.function);
    for (cl_uint i = 0; i < step.arguments.size(); ++i) {
      const auto value =
          bytes_of(step.arguments[i], [this](std::size_t b) -> const cl_mem& { return buffers_.at(b).part; });
      caller_.check("clSetKernelArg", calls().clSetKernelArg, kernel, i, value.size(),
                    static_cast<const void*>(value.data()));
    }
    const cl_uint dimensions = step.global[2] > 1 ? 3 : step.global[1] > 1 ? 2 : 1;
    caller_.check("clEnqueueNDRangeKernel", calls().clEnqueueNDRangeKernel, queue_.queue, kernel, dimensions,
                  static_cast<const std::size_t*>(nullptr), step.global.data(), step.local.data(), 0U, nothing_first,
                  event);
  }

  // From the start of the first to the end of the last; nothing if either has no time or the launch failed.
  std::optional<double> between(cl_event first, cl_event last) {
    cl_ulong start = 0;
    cl_ulong end = 0;
    const auto ask = [&](cl_event event, cl_profiling_info what, cl_ulong& out) {
      return event && calls().clGetEventProfilingInfo &&
             calls().clGetEventProfilingInfo(event, what, sizeof(out), &out, nullptr) == CL_SUCCESS;
    };
    for (cl_event event : {first, last}) {
      cl_int status = CL_COMPLETE;
      if (event && calls().clGetEventInfo &&
          calls().clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, nullptr) ==
              CL_SUCCESS &&
          status < 0)
        throw DeviceError("a launch ended with " + caller_.code_text(status));
    }
    if (!ask(first, CL_PROFILING_COMMAND_START, start) || !ask(last, CL_PROFILING_COMMAND_END, end) || end < start)
      return std::nullopt;
    return static_cast<double>(end - start) * 1e-6;
  }

  // The driver's message, as far as it fits on one line.
  std::string build_log() {
    if (!calls().clGetProgramBuildInfo) return "";
    const std::string log = text_of([this](std::size_t size, void* out) {
      return calls().clGetProgramBuildInfo(program_, handles_.device, CL_PROGRAM_BUILD_LOG, size, out, nullptr);
    });
    return log.empty() ? "" : ": " + log.substr(0, 400);
  }

  OpenclCaller caller_;
  OpenclHandles handles_;
  OpenclQueue queue_{caller_, calls()};
  cl_program program_ = nullptr;
  std::map<std::string, cl_kernel> functions_{};
  std::vector<Memory> buffers_{};
};

}  // namespace

std::unique_ptr<Device> open_opencl(const Target& target, const OpenOptions& options) {
  OpenclCaller caller{options};
  OpenclHandles handles = find_opencl(caller, target);
  return std::make_unique<OpenclComputeDevice>(std::move(caller), std::move(handles));
}

}  // namespace envdoctor::kernels

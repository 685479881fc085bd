// OpenCL without libOpenCL: the driver's own calls, as the loader would reach them.
#include "kernels/opencl_device.h"

#include <array>
#include <chrono>
#include <map>
#include <tuple>

#include "kernels/poison.h"
#include "kernels/source.h"

namespace envdoctor::kernels {
namespace {

using Clock = std::chrono::steady_clock;
using Told = void(CL_CALLBACK*)(const char*, const void*, std::size_t, void*);
using Built = void(CL_CALLBACK*)(cl_program, void*);

class OpenclDevice : public Device {
 public:
  OpenclDevice(OpenclTalk talk, OpenclFound found) : talk_(std::move(talk)), found_(std::move(found)) {
    const std::array<cl_context_properties, 3> properties = {
        CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(found_.platform), 0};
    context_ = talk_.made("clCreateContext", calls().clCreateContext, properties.data(), 1U, &found_.device,
                          Told(nullptr), static_cast<void*>(nullptr));
    queue_ = talk_.made("clCreateCommandQueue", calls().clCreateCommandQueue, context_, found_.device,
                        cl_command_queue_properties{CL_QUEUE_PROFILING_ENABLE});
  }
  // Nothing is released at the end: the child ends with it, and releasing is one more thing that could go wrong.

  const DeviceFacts& facts() const override { return found_.facts; }

  void build(const std::vector<const Kernel*>& kernels, const std::string& options) override {
    for (const auto& [name, kernel] : functions_) talk_.code("clReleaseKernel", calls().clReleaseKernel, kernel);
    functions_.clear();
    if (program_) talk_.code("clReleaseProgram", calls().clReleaseProgram, program_);
    const std::string source = program_source(kernels, found_.facts.abilities);
    const char* text = source.c_str();
    const std::size_t length = source.size();
    program_ = talk_.made("clCreateProgramWithSource", calls().clCreateProgramWithSource, context_, 1U, &text, &length);
    try {
      talk_.code("clBuildProgram", calls().clBuildProgram, program_, 1U, &found_.device, options.c_str(),
                 Built(nullptr), static_cast<void*>(nullptr));
    } catch (const DeviceError& error) {
      throw DeviceError(std::string(error.what()) + build_log());
    }
  }

  void load(const Plan& plan, const std::vector<Array>& inputs) override {
    for (const Memory& memory : buffers_) {
      if (memory.part != memory.whole) talk_.code("clReleaseMemObject", calls().clReleaseMemObject, memory.part);
      talk_.code("clReleaseMemObject", calls().clReleaseMemObject, memory.whole);
    }
    buffers_.clear();
    plan_ = plan;
    for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
      const BufferSpec& spec = plan.buffers[i];
      buffers_.push_back(take(spec.bytes));
      if (spec.input < 0) continue;
      const Array& input = inputs.at(static_cast<std::size_t>(spec.input));
      write(i, buffers_[i].lead, std::span(input.bytes).first(std::min(spec.bytes, input.bytes.size())));
    }
  }

  void poison() override {
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      const BufferSpec& spec = plan_.buffers[i];
      const std::size_t from = spec.input < 0 ? 0 : spec.bytes;
      std::vector<std::byte> pattern(spec.bytes + talk_.options.guard_bytes - from);
      fill_poison(pattern, from);
      write(i, buffers_[i].lead + from, pattern);
      std::vector<std::byte> before(buffers_[i].lead);
      fill_poison(before, 0);
      write(i, 0, before);
    }
  }

  Ran run(int times) override {
    cl_event first = nullptr;
    cl_event last = nullptr;
    const auto start = Clock::now();
    for (int i = 0; i < times; ++i) {
      for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
        const bool opens = i == 0 && s == 0;
        const bool closes = i + 1 == times && s + 1 == plan_.steps.size();
        enqueue(plan_.steps[s], opens ? &first : closes ? &last : nullptr, opens);
      }
    }
    talk_.code("clFinish", calls().clFinish, queue_);
    Ran ran{.wall_ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count()};
    ran.event_ms = between(first, last ? last : first);
    for (cl_event event : {first, last}) {
      if (event) talk_.code("clReleaseEvent", calls().clReleaseEvent, event);
    }
    return ran;
  }

  Contents read(int buffer) override {
    const auto index = static_cast<std::size_t>(buffer);
    const std::size_t size = plan_.buffers.at(index).bytes, lead = buffers_.at(index).lead;
    std::vector<std::byte> all(lead + size + talk_.options.guard_bytes);
    if (all.empty()) return {};
    talk_.code("clEnqueueReadBuffer", calls().clEnqueueReadBuffer, queue_, buffers_.at(index).whole, cl_bool{CL_TRUE},
               std::size_t{0}, all.size(), all.data(), 0U, static_cast<const cl_event*>(nullptr),
               static_cast<cl_event*>(nullptr));
    const std::span<const std::byte> bytes = std::span(all).subspan(lead, size);
    return {.bytes = {bytes.begin(), bytes.end()},
            .guard_intact =
                is_poison(std::span(all).first(lead), 0) && is_poison(std::span(all).subspan(lead + size), size)};
  }

  void send(int input, const Array& array) override {
    for (std::size_t i = 0; i < plan_.buffers.size(); ++i) {
      if (plan_.buffers[i].input == input)
        write(i, 0, std::span(array.bytes).first(std::min(plan_.buffers[i].bytes, array.bytes.size())));
    }
  }

  std::unique_ptr<Copy> copy(const CopySpec& spec) override {
    return opencl_copy(talk_, calls(), context_, queue_, spec);
  }

 private:
  // `part` is what kernels are given, a piece of `whole` with `lead` bytes before and a guard band behind it.
  struct Memory {
    cl_mem whole = nullptr, part = nullptr;
    std::size_t lead = 0;
  };

  const OpenclCalls& calls() const { return *found_.calls; }

  // Without a band before it where the driver makes no pieces of buffers.
  Memory take(std::size_t bytes) {
    const std::size_t guard = talk_.options.guard_bytes;
    Memory memory;
    memory.whole = memory.part =
        talk_.made("clCreateBuffer", calls().clCreateBuffer, context_, cl_mem_flags{CL_MEM_READ_WRITE},
                   std::max<std::size_t>(1, guard + bytes + guard), static_cast<void*>(nullptr));
    if (guard == 0 || !calls().clCreateSubBuffer) return memory;
    const cl_buffer_region region{.origin = guard, .size = std::max<std::size_t>(1, bytes)};
    cl_int error = CL_SUCCESS;
    talk_.tell("clCreateSubBuffer");
    const cl_mem part =
        calls().clCreateSubBuffer(memory.whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    if (!part || error != CL_SUCCESS) return memory;
    memory.part = part;
    memory.lead = guard;
    return memory;
  }

  void write(std::size_t buffer, std::size_t offset, std::span<const std::byte> bytes) {
    if (bytes.empty()) return;
    talk_.code("clEnqueueWriteBuffer", calls().clEnqueueWriteBuffer, queue_, buffers_[buffer].whole, cl_bool{CL_TRUE},
               offset, bytes.size(), static_cast<const void*>(bytes.data()), 0U, static_cast<const cl_event*>(nullptr),
               static_cast<cl_event*>(nullptr));
  }

  cl_kernel function(const std::string& name) {
    cl_kernel& kernel = functions_[name];
    if (!kernel) kernel = talk_.made("clCreateKernel", calls().clCreateKernel, program_, name.c_str());
    return kernel;
  }

  // Only the first launch is told to the trace by its function, lest telling be what is timed.
  void enqueue(const Step& step, cl_event* event, bool told) {
    const cl_kernel kernel = function(step.function);
    if (told) talk_.tell("clEnqueueNDRangeKernel of " + step.function);
    for (cl_uint i = 0; i < step.arguments.size(); ++i) {
      const auto set = [&](std::size_t size, const void* value) {
        talk_.quietly("clSetKernelArg", calls().clSetKernelArg, kernel, i, size, value);
      };
      std::visit(
          [&](const auto& argument) {
            if constexpr (std::is_same_v<std::remove_cvref_t<decltype(argument)>, BufferArgument>) {
              set(sizeof(cl_mem), &buffers_.at(static_cast<std::size_t>(argument.buffer)).part);
            } else {
              set(sizeof(argument), &argument);
            }
          },
          step.arguments[i]);
    }
    const cl_uint dimensions = step.global[2] > 1 ? 3 : step.global[1] > 1 ? 2 : 1;
    talk_.quietly("clEnqueueNDRangeKernel", calls().clEnqueueNDRangeKernel, queue_, kernel, dimensions,
                  static_cast<const std::size_t*>(nullptr), step.global.data(), step.local.data(), 0U,
                  static_cast<const cl_event*>(nullptr), event);
  }

  // From the start of the first to the end of the last; nothing if either can't tell or the launch came to grief.
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
        throw DeviceError("a launch ended with " + talk_.code_text(status));
    }
    if (!ask(first, CL_PROFILING_COMMAND_START, start) || !ask(last, CL_PROFILING_COMMAND_END, end) || end < start)
      return std::nullopt;
    return static_cast<double>(end - start) * 1e-6;
  }

  // The driver's words, as far as a line holds them.
  std::string build_log() {
    std::string log(8192, '\0');
    std::size_t size = 0;
    if (!calls().clGetProgramBuildInfo || calls().clGetProgramBuildInfo(program_, found_.device, CL_PROGRAM_BUILD_LOG,
                                                                        log.size(), log.data(), &size) != CL_SUCCESS)
      return "";
    log.resize(log.find('\0') == log.npos ? log.size() : log.find('\0'));
    return log.empty() ? "" : ": " + log.substr(0, 400);
  }

  OpenclTalk talk_;
  OpenclFound found_;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  cl_program program_ = nullptr;
  std::map<std::string, cl_kernel> functions_{};
  std::vector<Memory> buffers_{};
  Plan plan_{};
};

}  // namespace

std::unique_ptr<Device> open_opencl(const Target& target, const OpenOptions& options) {
  OpenclTalk talk{options};
  OpenclFound found = find_opencl(talk, target);
  return std::make_unique<OpenclDevice>(std::move(talk), std::move(found));
}

}  // namespace envdoctor::kernels

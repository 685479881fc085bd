// NVIDIA without OpenCL: the kernels as PTX, through the CUDA driver API.
#include <functional>
#include <map>

#include "host/vendor/cuda_compute_api.h"
#include "kernels/core/device_source.h"
#include "kernels/devices/device.h"

namespace envdoctor::kernels {
namespace {

using CudaCheck = std::function<void(const char* call, cuda::Code code)>;  // throws DeviceError unless it succeeded

class CudaCopy : public DeviceCopy {
 public:
  CudaCopy(cuda::ComputeApi& api, CudaCheck check, const CopySpec& spec)
      : DeviceCopy(spec), api_(api), check_(std::move(check)) {
    check_("cuMemAlloc", api_.allocate(spec.bytes, near_));
    if (spec.direction == CopyDirection::on_device) {
      check_("cuMemAlloc", api_.allocate(spec.bytes, far_));
    } else if (spec.pinned) {
      check_("cuMemAllocHost", api_.allocate_host(spec.bytes, pinned_));
      host_ = static_cast<std::byte*>(pinned_);
    } else {
      memory_.resize(spec.bytes);
      host_ = memory_.data();
    }
  }
  CudaCopy(const CudaCopy&) = delete;
  CudaCopy& operator=(const CudaCopy&) = delete;
  ~CudaCopy() override {
    if (near_) api_.release(near_);
    if (far_) api_.release(far_);
    if (pinned_) api_.release_host(pinned_);
  }

 private:
  void write(End to, std::span<const std::byte> bytes) override {
    check_("cuMemcpyHtoD", api_.copy_in(to == End::near ? near_ : far_, bytes.data(), bytes.size()));
  }
  void read(End from, std::span<std::byte> bytes) override {
    check_("cuMemcpyDtoH", api_.copy_out(bytes.data(), from == End::near ? near_ : far_, bytes.size()));
  }
  void finish() override { check_("cuCtxSynchronize", api_.synchronize()); }
  void enqueue() override {
    if (spec_.direction == CopyDirection::to_device) {
      check_("cuMemcpyHtoDAsync", api_.start_copy_in(near_, host_, spec_.bytes));
    } else if (spec_.direction == CopyDirection::to_host) {
      check_("cuMemcpyDtoHAsync", api_.start_copy_out(host_, near_, spec_.bytes));
    } else {
      check_("cuMemcpyDtoDAsync", api_.start_copy_on_device(far_, near_, spec_.bytes));
    }
  }

  cuda::ComputeApi& api_;
  CudaCheck check_;
  cuda::Pointer near_ = 0, far_ = 0;
  void* pinned_ = nullptr;
  std::vector<std::byte> memory_{};
};

class CudaComputeDevice : public BufferedDevice {
 public:
  CudaComputeDevice(std::unique_ptr<cuda::ComputeApi> api, const Target& target, OpenOptions options)
      : BufferedDevice(options.guard_bytes), api_(std::move(api)), options_(std::move(options)) {
    check("cuDevicePrimaryCtxRetain", api_->open(target.index));
    int items = 0, clock_khz = 0, memory_clock_khz = 0;
    DeviceSpecs specs{.clock_origin = "CU_DEVICE_ATTRIBUTE_CLOCK_RATE",
                      .memory_origin = "CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE"};
    std::size_t memory = 0;
    check("cuDeviceGetAttribute", api_->attribute(cuda::Attribute::max_threads_per_block, items));
    check("cuDeviceGetAttribute", api_->attribute(cuda::Attribute::multiprocessor_count, specs.units));
    // Without these there is no peak to compare with, but everything else works.
    api_->attribute(cuda::Attribute::clock_khz, clock_khz);
    api_->attribute(cuda::Attribute::memory_clock_khz, memory_clock_khz);
    api_->attribute(cuda::Attribute::memory_bus_bits, specs.memory_bus_bits);
    api_->attribute(cuda::Attribute::compute_capability_major, specs.nvidia_major);
    api_->attribute(cuda::Attribute::compute_capability_minor, specs.nvidia_minor);
    specs.clock_mhz = clock_khz * 1e-3;
    specs.memory_clock_mhz = memory_clock_khz * 1e-3;
    check("cuMemGetInfo", api_->memory_free(memory));
    for (cuda::Handle* event : {&start_, &end_}) check("cuEventCreate", api_->create_event(*event));
    facts_ = {.subject = target.subject,
              .backend = "cuda",
              .math_library = "libclc in our PTX",
              .variants = {Variant::gpu},
              .capabilities = {.fp16 = true,
                               .fp64 = true,
                               .max_local_items = static_cast<std::size_t>(std::max(1, items)),
                               .memory_bytes = memory / 2},
              .specs = specs};
  }

  void build(const std::vector<const Kernel*>& kernels, const std::string& options) override {
    functions_.clear();
    for (const cuda::Handle module : modules_) check("cuModuleUnload", api_->unload_module(module));
    modules_.clear();
    const int optimisation = options.find("-cl-opt-disable") == std::string::npos ? 4 : 0;
    for (const Kernel* kernel : kernels) {
      const Reading<std::string> text = ptx(*kernel);
      if (!text.get()) throw DeviceError(text.why());
      cuda::Handle module;
      std::string log;
      const cuda::Code code = api_->load_module(*text.get(), optimisation, module, log);
      if (code != cuda::success && !log.empty())
        throw DeviceError("cuModuleLoadDataEx: " + code_text(code) + ": " + log);
      check("cuModuleLoadDataEx", code);
      modules_.push_back(module);
    }
  }

  RunTime run(int times) override {
    check("cuCtxSynchronize", api_->synchronize());
    for (const Step& step : plan_.steps) function(step.function);  // looked up before the clock starts
    if (options_.trace && !plan_.steps.empty()) options_.trace("cuLaunchKernel of " + plan_.steps.front().function);
    const Stopwatch time;
    check("cuEventRecord", api_->record(start_));
    for (int i = 0; i < times; ++i) {
      for (const Step& step : plan_.steps) launch(step);
    }
    check("cuEventRecord", api_->record(end_));
    check("cuCtxSynchronize", api_->synchronize());
    RunTime ran{.wall_ms = time.ms()};
    float ms = 0;
    if (api_->elapsed_ms(start_, end_, ms) == cuda::success) ran.event_ms = static_cast<double>(ms);
    return ran;
  }

  std::unique_ptr<Copy> copy(const CopySpec& spec) override {
    return std::make_unique<CudaCopy>(
        *api_, [this](const char* call, cuda::Code code) { check(call, code); }, spec);
  }

 protected:
  void release_buffers() override {
    for (const cuda::Pointer buffer : buffers_) check("cuMemFree", api_->release(buffer - guard_bytes_));
    buffers_.clear();
  }
  std::size_t allocate(std::size_t bytes) override {
    cuda::Pointer pointer = 0;
    check("cuMemAlloc", api_->allocate(std::max<std::size_t>(1, bytes + 2 * guard_bytes_), pointer));
    buffers_.push_back(pointer + guard_bytes_);
    return guard_bytes_;
  }
  void write_bytes(std::size_t buffer, std::size_t offset, std::span<const std::byte> bytes) override {
    check("cuMemcpyHtoD", api_->copy_in(buffers_[buffer] - guard_bytes_ + offset, bytes.data(), bytes.size()));
  }
  void read_bytes(std::size_t buffer, std::span<std::byte> bytes) override {
    check("cuMemcpyDtoH", api_->copy_out(bytes.data(), buffers_[buffer] - guard_bytes_, bytes.size()));
  }

 private:
  std::string code_text(cuda::Code code) const {
    if (code == library_not_found) return "library not found";
    if (code == function_not_found) return "the library has no such function";
    const std::string name = options_.code_name ? options_.code_name("cuda_driver", code) : "";
    return name.empty() ? "error " + std::to_string(code) : name;
  }
  void check(const char* call, cuda::Code code) const {
    if (code != cuda::success) throw DeviceError(std::string(call) + ": " + code_text(code));
  }

  cuda::Handle function(const std::string& name) {
    if (const auto known = functions_.find(name); known != functions_.end()) return known->second;
    cuda::Code code = function_not_found;
    for (const cuda::Handle module : modules_) {
      cuda::Handle found;
      code = api_->function(module, name, found);
      if (code == cuda::success) return functions_[name] = found;
    }
    throw DeviceError("cuModuleGetFunction of " + name + ": " + code_text(code));
  }

  void launch(const Step& step) {
    std::vector<void*> parameters;  // the driver only reads them
    for (const Argument& argument : step.arguments) {
      const auto value = bytes_of(argument, [this](std::size_t b) -> const cuda::Pointer& { return buffers_.at(b); });
      parameters.push_back(const_cast<std::byte*>(value.data()));
    }
    const auto groups = [&](std::size_t i) { return static_cast<unsigned>(step.global[i] / step.local[i]); };
    const auto items = [&](std::size_t i) { return static_cast<unsigned>(step.local[i]); };
    check("cuLaunchKernel", api_->launch(function(step.function), {groups(0), groups(1), groups(2)},
                                         {items(0), items(1), items(2)}, parameters));
  }

  std::unique_ptr<cuda::ComputeApi> api_;
  OpenOptions options_;
  std::vector<cuda::Handle> modules_{};
  std::map<std::string, cuda::Handle> functions_{};
  std::vector<cuda::Pointer> buffers_{};  // each with a guard band before and behind it
  cuda::Handle start_{}, end_{};
};

}  // namespace

std::unique_ptr<Device> cuda_device(std::unique_ptr<cuda::ComputeApi> api, const Target& target,
                                    const OpenOptions& options) {
  return std::make_unique<CudaComputeDevice>(std::move(api), target, options);
}

std::unique_ptr<Device> open_cuda(const Target& target, const OpenOptions& options) {
  return cuda_device(cuda::open_compute(target.library, options.trace), target, options);
}

}  // namespace envdoctor::kernels

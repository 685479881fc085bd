// NVIDIA without any OpenCL: the kernels as PTX, through the CUDA driver API.
#include <chrono>
#include <map>

#include "host/cuda_compute.h"
#include "kernels/cuda_copy.h"
#include "kernels/device.h"
#include "kernels/poison.h"
#include "kernels/source.h"

namespace envdoctor::kernels {
namespace {

using Clock = std::chrono::steady_clock;

class CudaDevice : public Device {
 public:
  CudaDevice(std::unique_ptr<cuda::ComputeApi> api, const Target& target, OpenOptions options)
      : api_(std::move(api)), options_(std::move(options)) {
    check("cuDevicePrimaryCtxRetain", api_->open(target.index));
    int items = 0, shared = 0, units = 0, clock_khz = 0, memory_clock_khz = 0;
    Clues clues{.clock_origin = "CU_DEVICE_ATTRIBUTE_CLOCK_RATE",
                .memory_origin = "CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE"};
    std::size_t memory = 0;
    check("cuDeviceGetAttribute", api_->attribute(cuda::Attribute::max_threads_per_block, items));
    check("cuDeviceGetAttribute", api_->attribute(cuda::Attribute::max_shared_memory_per_block, shared));
    check("cuDeviceGetAttribute", api_->attribute(cuda::Attribute::multiprocessor_count, units));
    // Without these there is no peak to compare with, and nothing else is amiss.
    api_->attribute(cuda::Attribute::clock_khz, clock_khz);
    api_->attribute(cuda::Attribute::memory_clock_khz, memory_clock_khz);
    api_->attribute(cuda::Attribute::memory_bus_bits, clues.memory_bus_bits);
    api_->attribute(cuda::Attribute::compute_capability_major, clues.nvidia_major);
    api_->attribute(cuda::Attribute::compute_capability_minor, clues.nvidia_minor);
    clues.clock_mhz = clock_khz * 1e-3;
    clues.memory_clock_mhz = memory_clock_khz * 1e-3;
    clues.units = units;
    check("cuMemGetInfo", api_->memory_free(memory));
    for (cuda::Handle* event : {&start_, &end_}) check("cuEventCreate", api_->create_event(*event));
    facts_ = {.subject = target.subject,
              .backend = "cuda",
              .math_library = "libclc in our PTX",
              .variants = {Variant::gpu},
              .abilities = {.fp16 = true,
                            .fp64 = true,
                            .max_local_items = static_cast<std::size_t>(std::max(1, items)),
                            .local_memory_bytes = static_cast<std::size_t>(std::max(0, shared)),
                            .memory_bytes = memory / 2,
                            .compute_units = std::max(1, units)},
              .clues = clues};
  }

  const DeviceFacts& facts() const override { return facts_; }

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

  void load(const Plan& plan, const std::vector<Array>& inputs) override {
    for (const cuda::Pointer buffer : buffers_) check("cuMemFree", api_->release(buffer - options_.guard_bytes));
    buffers_.clear();
    plan_ = plan;
    for (const BufferSpec& spec : plan.buffers) {
      cuda::Pointer pointer = 0;
      const std::size_t guard = options_.guard_bytes;
      check("cuMemAlloc", api_->allocate(std::max<std::size_t>(1, guard + spec.bytes + guard), pointer));
      buffers_.push_back(pointer += guard);
      if (spec.input < 0) continue;
      const Array& input = inputs.at(static_cast<std::size_t>(spec.input));
      copy_in(pointer, std::span(input.bytes).first(std::min(spec.bytes, input.bytes.size())));
    }
  }

  void poison() override {
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      const BufferSpec& spec = plan_.buffers[i];
      const std::size_t from = spec.input < 0 ? 0 : spec.bytes;
      std::vector<std::byte> pattern(spec.bytes + options_.guard_bytes - from);
      fill_poison(pattern, from);
      copy_in(buffers_[i] + from, pattern);
      std::vector<std::byte> before(options_.guard_bytes);
      fill_poison(before, 0);
      copy_in(buffers_[i] - before.size(), before);
    }
  }

  Ran run(int times) override {
    check("cuCtxSynchronize", api_->synchronize());
    for (const Step& step : plan_.steps) function(step.function);  // looked up before the clock starts
    if (options_.trace && !plan_.steps.empty()) options_.trace("cuLaunchKernel of " + plan_.steps.front().function);
    const auto begin = Clock::now();
    check("cuEventRecord", api_->record(start_));
    for (int i = 0; i < times; ++i) {
      for (const Step& step : plan_.steps) launch(step);
    }
    check("cuEventRecord", api_->record(end_));
    check("cuCtxSynchronize", api_->synchronize());
    Ran ran{.wall_ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count()};
    float ms = 0;
    if (api_->elapsed_ms(start_, end_, ms) == cuda::success) ran.event_ms = static_cast<double>(ms);
    return ran;
  }

  Contents read(int buffer) override {
    const auto index = static_cast<std::size_t>(buffer);
    const std::size_t size = plan_.buffers.at(index).bytes, guard = options_.guard_bytes;
    std::vector<std::byte> all(guard + size + guard);
    if (all.empty()) return {};
    check("cuMemcpyDtoH", api_->copy_out(all.data(), buffers_.at(index) - guard, all.size()));
    const std::span<const std::byte> bytes = std::span(all).subspan(guard, size);
    return {.bytes = {bytes.begin(), bytes.end()},
            .guard_intact =
                is_poison(std::span(all).first(guard), 0) && is_poison(std::span(all).subspan(guard + size), size)};
  }

  void send(int input, const Array& array) override {
    for (std::size_t i = 0; i < plan_.buffers.size(); ++i) {
      if (plan_.buffers[i].input == input)
        copy_in(buffers_[i], std::span(array.bytes).first(std::min(plan_.buffers[i].bytes, array.bytes.size())));
    }
  }

  std::unique_ptr<Copy> copy(const CopySpec& spec) override {
    return cuda_copy(
        *api_, [this](const char* call, cuda::Code code) { check(call, code); }, spec);
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

  void copy_in(cuda::Pointer to, std::span<const std::byte> bytes) {
    if (!bytes.empty()) check("cuMemcpyHtoD", api_->copy_in(to, bytes.data(), bytes.size()));
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
    std::vector<Argument> values = step.arguments;
    std::vector<void*> parameters;
    for (Argument& value : values) {
      std::visit(
          [&](auto& one) {
            if constexpr (std::is_same_v<std::remove_cvref_t<decltype(one)>, BufferArgument>) {
              parameters.push_back(&buffers_.at(static_cast<std::size_t>(one.buffer)));
            } else {
              parameters.push_back(&one);
            }
          },
          value);
    }
    const auto groups = [&](std::size_t i) { return static_cast<unsigned>(step.global[i] / step.local[i]); };
    const auto items = [&](std::size_t i) { return static_cast<unsigned>(step.local[i]); };
    check("cuLaunchKernel", api_->launch(function(step.function), {groups(0), groups(1), groups(2)},
                                         {items(0), items(1), items(2)}, parameters));
  }

  std::unique_ptr<cuda::ComputeApi> api_;
  OpenOptions options_;
  DeviceFacts facts_{};
  std::vector<cuda::Handle> modules_{};
  std::map<std::string, cuda::Handle> functions_{};
  std::vector<cuda::Pointer> buffers_{};  // each with a guard band before and behind it
  cuda::Handle start_{}, end_{};
  Plan plan_{};
};

}  // namespace

std::unique_ptr<Device> cuda_device(std::unique_ptr<cuda::ComputeApi> api, const Target& target,
                                    const OpenOptions& options) {
  return std::make_unique<CudaDevice>(std::move(api), target, options);
}

std::unique_ptr<Device> open_cuda(const Target& target, const OpenOptions& options) {
  return cuda_device(cuda::open_compute(target.library, options.trace), target, options);
}

}  // namespace envdoctor::kernels

// The host device: the kernels in plain C++ on this machine's cores.
#include <algorithm>
#include <chrono>
#include <cstring>

#include "kernels/device.h"
#include "kernels/parallel.h"
#include "kernels/poison.h"

namespace envdoctor::kernels {
namespace {

class HostCopy : public Copy {
 public:
  explicit HostCopy(std::size_t bytes) : from_(bytes), to_(bytes) {}
  void fill(std::span<const std::byte> bytes) override {
    std::ranges::copy(bytes, from_.begin());
    std::ranges::fill(to_, std::byte{0xA5});
  }
  Ran run(int times) override {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < times; ++i) {
      parallel_for(from_.size(), [&](std::size_t begin, std::size_t end) {
        std::memcpy(to_.data() + begin, from_.data() + begin, end - begin);
      });
    }
    return {.wall_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count()};
  }
  std::vector<std::byte> arrived() override { return to_; }

 private:
  std::vector<std::byte> from_, to_;
};

class HostDevice : public Device {
 public:
  HostDevice(OpenOptions options, Lie lie) : options_(std::move(options)), lie_(std::move(lie)) {
    facts_ = {.subject = "host",
              .backend = "host",
              .math_library = "libm",
              .on_host_cores = true,
              .variants = {Variant::host},
              .abilities = {.fp64 = true}};
  }

  const DeviceFacts& facts() const override { return facts_; }

  void build(const std::vector<const Kernel*>& kernels, const std::string& /*options*/) override { kernels_ = kernels; }

  void load(const Plan& plan, const std::vector<Array>& inputs) override {
    plan_ = plan;
    memory_.clear();
    views_.clear();
    for (const BufferSpec& spec : plan.buffers) {
      std::vector<std::byte>& bytes = memory_.emplace_back(2 * options_.guard_bytes + spec.bytes);
      views_.push_back(std::span(bytes).subspan(options_.guard_bytes, spec.bytes));
      if (spec.input >= 0) {
        const Array& input = inputs.at(static_cast<std::size_t>(spec.input));
        std::memcpy(views_.back().data(), input.bytes.data(), std::min(spec.bytes, input.bytes.size()));
      }
    }
  }

  void poison() override {
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      const std::size_t from = plan_.buffers[i].input < 0 ? 0 : plan_.buffers[i].bytes;
      fill_poison(std::span(memory_[i]).first(options_.guard_bytes), 0);
      fill_poison(std::span(memory_[i]).subspan(options_.guard_bytes + from), from);
    }
  }

  Ran run(int times) override {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < times; ++i) {
      for (const Step& step : plan_.steps) {
        if (options_.trace) options_.trace(step.function);
        function(step.function)(HostCall(step, views_));
        for (std::size_t b = 0; lie_ && b < views_.size(); ++b) lie_(step, static_cast<int>(b), views_[b]);
      }
    }
    return {.wall_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count()};
  }

  Contents read(int buffer) override {
    const auto index = static_cast<std::size_t>(buffer);
    const std::span<std::byte> view = views_.at(index);
    const std::span<const std::byte> whole = memory_[index];
    const std::size_t guard = options_.guard_bytes;
    return {
        .bytes = {view.begin(), view.end()},
        .guard_intact = is_poison(whole.first(guard), 0) && is_poison(whole.subspan(guard + view.size()), view.size())};
  }

  void send(int input, const Array& array) override {
    for (std::size_t i = 0; i < plan_.buffers.size(); ++i) {
      if (plan_.buffers[i].input == input)
        std::memcpy(memory_[i].data(), array.bytes.data(), std::min(plan_.buffers[i].bytes, array.bytes.size()));
    }
  }

  // Memory to memory, on all cores.
  std::unique_ptr<Copy> copy(const CopySpec& spec) override {
    return spec.way == Way::on_device ? std::make_unique<HostCopy>(spec.bytes) : nullptr;
  }

 private:
  HostFunction function(const std::string& name) const {
    for (const Kernel* kernel : kernels_) {
      if (const auto at = kernel->host.find(name); at != kernel->host.end()) return at->second;
    }
    throw DeviceError(name + ": not among what was built");
  }

  DeviceFacts facts_{};
  OpenOptions options_;
  Lie lie_;
  std::vector<const Kernel*> kernels_{};
  Plan plan_{};
  std::vector<std::vector<std::byte>> memory_{};  // with a guard band before and behind
  std::vector<std::span<std::byte>> views_{};     // without
};

}  // namespace

std::unique_ptr<Device> open_host(const OpenOptions& options, Lie lie) {
  return std::make_unique<HostDevice>(options, std::move(lie));
}

}  // namespace envdoctor::kernels

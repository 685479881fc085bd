// The host device: the kernels in plain C++ on this machine's cores.
#include <algorithm>
#include <cstring>

#include "kernels/core/parallel.h"
#include "kernels/devices/device.h"

namespace envdoctor::kernels {
namespace {

class HostCopy : public Copy {
 public:
  explicit HostCopy(std::size_t bytes) : from_(bytes), to_(bytes) {}
  void fill(std::span<const std::byte> bytes) override {
    std::ranges::copy(bytes, from_.begin());
    std::ranges::fill(to_, std::byte{0xA5});
  }
  RunTime run(int times) override {
    const Stopwatch time;
    for (int i = 0; i < times; ++i) {
      parallel_for(from_.size(), [&](std::size_t begin, std::size_t end) {
        std::memcpy(to_.data() + begin, from_.data() + begin, end - begin);
      });
    }
    return {.wall_ms = time.ms()};
  }
  std::vector<std::byte> arrived() override { return to_; }

 private:
  std::vector<std::byte> from_, to_;
};

class HostDevice : public BufferedDevice {
 public:
  HostDevice(const OpenOptions& options, Fault fault)
      : BufferedDevice(options.guard_bytes), trace_(options.trace), fault_(std::move(fault)) {
    facts_ = {.subject = "host",
              .backend = "host",
              .math_library = "libm",
              .on_host_cores = true,
              .variants = {Variant::host},
              .capabilities = {.fp64 = true}};
  }

  void build(const std::vector<const Kernel*>& kernels, const std::string& /*options*/) override { kernels_ = kernels; }

  RunTime run(int times) override {
    const Stopwatch time;
    for (int i = 0; i < times; ++i) {
      for (const Step& step : plan_.steps) {
        if (trace_) trace_(step.function);
        function(step.function)(HostCall(step, views_));
        for (std::size_t b = 0; fault_ && b < views_.size(); ++b) fault_(step, static_cast<int>(b), views_[b]);
      }
    }
    return {.wall_ms = time.ms()};
  }

  // Memory to memory, on all cores.
  std::unique_ptr<Copy> copy(const CopySpec& spec) override {
    return spec.direction == CopyDirection::on_device ? std::make_unique<HostCopy>(spec.bytes) : nullptr;
  }

 protected:
  void release_buffers() override {
    memory_.clear();
    views_.clear();
  }
  std::size_t allocate(std::size_t bytes) override {
    views_.push_back(std::span(memory_.emplace_back(2 * guard_bytes_ + bytes)).subspan(guard_bytes_, bytes));
    return guard_bytes_;
  }
  void write_bytes(std::size_t buffer, std::size_t offset, std::span<const std::byte> bytes) override {
    std::ranges::copy(bytes, memory_[buffer].begin() + static_cast<std::ptrdiff_t>(offset));
  }
  void read_bytes(std::size_t buffer, std::span<std::byte> bytes) override {
    std::ranges::copy(memory_[buffer], bytes.begin());
  }

 private:
  HostFunction function(const std::string& name) const {
    for (const Kernel* kernel : kernels_) {
      if (const auto at = kernel->host.find(name); at != kernel->host.end()) return at->second;
    }
    throw DeviceError(name + " was not built");
  }

  std::function<void(const std::string&)> trace_;
  Fault fault_;
  std::vector<const Kernel*> kernels_{};
  std::vector<std::vector<std::byte>> memory_{};  // with a guard band before and behind
  std::vector<std::span<std::byte>> views_{};     // without
};

}  // namespace

std::unique_ptr<Device> open_host(const OpenOptions& options, Fault fault) {
  return std::make_unique<HostDevice>(options, std::move(fault));
}

}  // namespace envdoctor::kernels

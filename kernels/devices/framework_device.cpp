// A device behind a framework: its own operations, run by the user's Python. A program of ours in
// that interpreter takes the same arguments as the kernels do; arrays are in a file that both have open.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <sstream>

#include "host/process/request_channel.h"
#include "kernels/devices/device.h"

namespace envdoctor::kernels {
namespace {

constexpr std::int64_t memory_limit_mib = 16'384;
constexpr int most_starts = 3;

struct Place {
  std::size_t offset = 0, bytes = 0;
};

DeviceError no_shared_memory() {
  return DeviceError(fmt::format("could not create shared memory: {}", std::strerror(errno)));
}

// Build options of this device: the parts to disable, "-off=cudnn".
constexpr std::string_view option_off = "-off=";

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) parts.push_back(part);
  return parts;
}

class FrameworkDevice : public Device {
 public:
  FrameworkDevice(Target target, OpenOptions options)
      : target_(std::move(target)), options_(std::move(options)), memory_(memfd_create("envdoctor", MFD_CLOEXEC)) {
    if (!memory_) throw no_shared_memory();
    facts_ = {.subject = target_.subject,
              .backend = "framework",
              .on_host_cores = target_.is_cpu,
              .variants = {Variant::host}};
    take_facts(start());
  }

  void build(const std::vector<const Kernel*>& /*kernels*/, const std::string& options) override {
    off_.clear();
    for (const std::string& option : split(options, ' ')) {
      if (option.starts_with(option_off)) off_ += " " + option.substr(option_off.size());
    }
  }

  void load(const Plan& plan, const std::vector<Array>& inputs) override {
    if (plan.steps.size() != 1) throw DeviceError("frameworks run plans of one step only");
    plan_ = plan;
    lay_out(plan);
    for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
      const BufferSpec& spec = plan.buffers[i];
      if (spec.input >= 0) put(places_[i].offset, inputs.at(static_cast<std::size_t>(spec.input)).bytes);
    }
    const std::vector<std::string> name = split(plan.steps.front().function, '_');  // gemm, fp32, host
    ask("switch" + off_);
    loading_ = fmt::format("load {} {}{}", name.at(0), name.at(1), arguments(plan));
    ask(loading_);
  }

  void poison() override {
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (plan_.buffers[i].input >= 0) continue;
      std::vector<std::byte> bytes(places_[i].bytes);
      fill_poison(bytes, 0);
      put(places_[i].offset, bytes);
    }
  }

  // "12.5 without cuDNN".
  RunTime run(int times) override {
    const std::string answer = ask(fmt::format("run {}", times));
    std::size_t end = 0;
    try {
      const double wall_ms = std::stod(answer, &end);
      mode_ = answer.substr(std::min(answer.size(), end + 1));
      return {.wall_ms = wall_ms};
    } catch (const std::logic_error&) {
      throw DeviceError(target_.library + " returned no time");
    }
  }

  std::string mode() const override { return mode_; }

  void send(int input, const Array& array) override {
    for (std::size_t i = 0; i < plan_.buffers.size(); ++i) {
      if (plan_.buffers[i].input == input) put(places_[i].offset, array.bytes);
    }
    ask(loading_);
  }

  Contents read(int buffer) override {
    const Place& place = places_.at(static_cast<std::size_t>(buffer));
    Contents contents{.bytes = std::vector<std::byte>(place.bytes)};
    if (pread(memory_.get(), contents.bytes.data(), place.bytes, static_cast<off_t>(place.offset)) !=
        static_cast<ssize_t>(place.bytes))
      throw DeviceError(fmt::format("{} returned no results", target_.library));
    return contents;
  }

 private:
  std::string start() {
    ++starts_;
    channel_.emplace(target_.command, target_.environment, memory_.get(), memory_limit_mib);
    return ask("start " + target_.device);
  }

  // "precisions=fp16,fp32 library=torch_2.5.1 switches=tf32,cudnn".
  void take_facts(const std::string& answer) {
    for (const std::string& fact : split(answer, ' ')) {
      const auto equals = fact.find('=');
      const std::string name = fact.substr(0, equals), value = equals == fact.npos ? "" : fact.substr(equals + 1);
      if (name == "library") {
        facts_.math_library = value;
        std::ranges::replace(facts_.math_library, '_', ' ');
      } else if (name == "switches") {
        for (const std::string& one : split(value, ',')) facts_.switches.push_back(library_switch(one));
      } else if (name == "precisions") {
        const std::vector<std::string> offered = split(value, ',');
        const auto has = [&](const char* word) { return std::ranges::find(offered, word) != offered.end(); };
        facts_.capabilities = {.fp16 = has("fp16"), .fp64 = has("fp64"), .bf16 = has("bf16"), .tf32 = has("tf32")};
      }
    }
  }

  static Switch library_switch(const std::string& name) {
    const std::string option = std::string(option_off) + name;
    if (name == "tf32") return {option, WrongResult::tf32_inputs, "TF32 inputs"};
    if (name == "cudnn") return {option, WrongResult::cudnn, "right without cuDNN"};
    return {option, wrong_result_of(name).value_or(WrongResult::unnamed), "right without " + name};
  }

  // The text after "ok". Restarts a program that ended, so that one bad operation loses only its own result.
  std::string ask(const std::string& question) {
    try {
      if (!channel_ && starts_ < most_starts) start();
      if (!channel_) throw DeviceError(fmt::format("{} ended {} times", target_.library, starts_));
      const std::string answer = channel_->request(question, [this](const std::string& step) {
        if (options_.trace) options_.trace(step);
      });
      const auto space = answer.find(' ');
      const std::string how = answer.substr(0, space), rest = space == answer.npos ? "" : answer.substr(space + 1);
      if (how == "missing") throw Unsupported(rest);
      if (how != "ok") throw DeviceError(rest);
      return rest;
    } catch (const RequestChannelClosed& over) {
      channel_.reset();
      throw DeviceError(fmt::format("{} {}", target_.library, over.what()));
    }
  }

  void lay_out(const Plan& plan) {
    constexpr std::size_t alignment = 64;
    places_.clear();
    std::size_t end = 0;
    for (const BufferSpec& spec : plan.buffers) {
      places_.push_back({.offset = end, .bytes = spec.bytes});
      end = round_up(end + spec.bytes, alignment);
    }
    if (ftruncate(memory_.get(), static_cast<off_t>(end)) != 0) throw no_shared_memory();
  }

  void put(std::size_t offset, const std::vector<std::byte>& bytes) {
    for (std::size_t at = 0; at < bytes.size();) {
      const ssize_t count =
          pwrite(memory_.get(), bytes.data() + at, bytes.size() - at, static_cast<off_t>(offset + at));
      if (count <= 0) throw no_shared_memory();
      at += static_cast<std::size_t>(count);
    }
  }

  [[nodiscard]] std::string arguments(const Plan& plan) const {
    std::string text;
    const auto add = [&](const auto& value) {
      using Value = std::decay_t<decltype(value)>;
      if constexpr (std::is_same_v<Value, BufferArgument>) {
        const auto index = static_cast<std::size_t>(value.buffer);
        text += fmt::format(" {}:{}:{}", plan.buffers[index].input >= 0 ? "in" : "out", places_[index].offset,
                            places_[index].bytes);
      } else {
        text += fmt::format(" {}:{}", std::is_floating_point_v<Value> ? "real" : "int", value);
      }
    };
    for (const Argument& argument : plan.steps.front().arguments) std::visit(add, argument);
    return text;
  }

  Target target_;
  OpenOptions options_;
  Descriptor memory_;
  std::optional<RequestChannel> channel_{};
  int starts_ = 0;
  std::string off_{}, mode_{};
  std::string loading_{};  // the request that loaded this plan's inputs
  Plan plan_{};
  std::vector<Place> places_{};  // of the plan's buffers in the shared memory
};

}  // namespace

std::unique_ptr<Device> open_framework(const Target& target, const OpenOptions& options) {
  return std::make_unique<FrameworkDevice>(target, options);
}

}  // namespace envdoctor::kernels

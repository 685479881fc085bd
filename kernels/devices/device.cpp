#include "kernels/devices/device.h"

#include <algorithm>
#include <bit>

namespace envdoctor::kernels {

namespace {

// Fills memory before something is read into it: not with poison, so that missing data can be distinguished from
// unwritten data.
constexpr std::byte unread{0xC9};

int changed_bits(std::span<const std::byte> band, std::size_t phase) {
  std::vector<std::byte> before(band.size());
  fill_poison(before, phase);
  int bits = 0;
  for (std::size_t i = 0; i < band.size(); ++i) bits += std::popcount(std::to_integer<unsigned>(band[i] ^ before[i]));
  return bits;
}

}  // namespace

void DeviceCopy::fill(std::span<const std::byte> bytes) {
  const std::vector<std::byte> other(spec_.bytes, std::byte{0xA5});
  const bool to_device = spec_.direction == CopyDirection::to_device;
  write(End::near, to_device ? other : bytes);
  if (host_) {
    std::ranges::copy(to_device ? bytes : other, host_);
  } else {
    write(End::far, other);
  }
}

RunTime DeviceCopy::run(int times) {
  finish();
  const Stopwatch time;
  for (int i = 0; i < times; ++i) enqueue();
  finish();
  return {.wall_ms = time.ms()};
}

std::vector<std::byte> DeviceCopy::arrived() {
  if (spec_.direction == CopyDirection::to_host) return {host_, host_ + spec_.bytes};
  std::vector<std::byte> bytes(spec_.bytes);
  read(spec_.direction == CopyDirection::to_device ? End::near : End::far, bytes);
  return bytes;
}

void BufferedDevice::load(const Plan& plan, const std::vector<Array>& inputs) {
  release_buffers();
  offsets_.clear();
  plan_ = plan;
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    offsets_.push_back(allocate(plan.buffers[i].bytes));
    if (plan.buffers[i].input >= 0) write_input(i, inputs.at(static_cast<std::size_t>(plan.buffers[i].input)));
  }
}

void BufferedDevice::poison() {
  const auto fill = [this](std::size_t buffer, std::size_t offset, std::size_t count, std::size_t phase) {
    std::vector<std::byte> pattern(count);
    fill_poison(pattern, phase);
    if (count > 0) write_bytes(buffer, offset, pattern);
  };
  for (std::size_t i = 0; i < offsets_.size(); ++i) {
    const BufferSpec& spec = plan_.buffers[i];
    const std::size_t from = spec.input < 0 ? 0 : spec.bytes;
    fill(i, offsets_[i] + from, spec.bytes + guard_bytes_ - from, from);
    fill(i, 0, offsets_[i], 0);
  }
}

Contents BufferedDevice::read(int buffer) {
  const auto index = static_cast<std::size_t>(buffer);
  const std::size_t size = plan_.buffers.at(index).bytes, offset = offsets_.at(index);
  std::vector<std::byte> all(offset + size + guard_bytes_, unread);
  if (all.empty()) return {};
  read_bytes(index, all);
  const std::span<const std::byte> bytes = all;
  const std::span<const std::byte> before = bytes.first(offset), behind = bytes.subspan(offset + size);
  const bool intact = is_poison(before, 0) && is_poison(behind, size);
  const int bits = intact ? 0 : changed_bits(before, 0) + changed_bits(behind, size);
  const auto end = behind.last(std::min<std::size_t>(16, behind.size()));
  const bool cut = !intact && !end.empty() && std::ranges::all_of(end, [](std::byte b) { return b == unread; });
  all.resize(offset + size);
  all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(offset));
  return {.bytes = std::move(all), .guard_intact = intact, .guard_bits = bits, .cut = cut};
}

void BufferedDevice::send(int input, const Array& array) {
  for (std::size_t i = 0; i < plan_.buffers.size(); ++i) {
    if (plan_.buffers[i].input == input) write_input(i, array);
  }
}

void BufferedDevice::write_input(std::size_t buffer, const Array& input) {
  const std::size_t count = std::min(plan_.buffers[buffer].bytes, input.bytes.size());
  if (count > 0) write_bytes(buffer, offsets_[buffer], std::span(input.bytes).first(count));
}

std::unique_ptr<Device> open_device(const Target& target, const OpenOptions& options) {
  if (target.backend == "opencl") return open_opencl(target, options);
  if (target.backend == "cuda") return open_cuda(target, options);
  if (target.backend == "host") return open_host(options);
  if (target.backend == "framework") return open_framework(target, options);
  throw DeviceError("unknown kind of device: " + target.backend);
}

}  // namespace envdoctor::kernels

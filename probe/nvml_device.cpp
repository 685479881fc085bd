#include <fmt/format.h>

#include <array>

#include "probe/nvml.h"
#include "probe/nvml_ask.h"

namespace envdoctor {
namespace {

using nvml::Api;

constexpr unsigned most_mig_slots = 64;  // a GPU has seven instances today

Number number(const Reading<unsigned>& reading) {
  return reading.then([](unsigned value) { return static_cast<std::int64_t>(value); });
}

Flag flag(const Reading<unsigned>& reading) {
  return reading.then([](unsigned value) { return value != 0; });
}

Text name(NvmlAsk& ask) { return ask.read(&Api::name).then(tame); }

Text uuid(NvmlAsk& ask, bool redact) {
  return ask.read(&Api::uuid).then([&](const std::string& text) { return told_uuid(tame(text), redact); });
}

std::string address_text(const nvml::PciPlace& place) {
  return fmt::format("{:04x}:{:02x}:{:02x}.0", place.domain, place.bus, place.device);
}

Number error_count(NvmlAsk& ask, nvml::ErrorKind kind) {
  return ask.read(&Api::ecc_errors, kind).then([](std::uint64_t count) { return static_cast<std::int64_t>(count); });
}

// Older GPUs retire pages, from Ampere on rows are remapped; a GPU knows one of the two.
Number retired(NvmlAsk& ask, const Reading<nvml::RemappedRows>& rows) {
  if (const auto* remapped = rows.get()) return std::int64_t{remapped->correctable} + remapped->uncorrectable;
  const auto single = ask.read(&Api::retired_pages, nvml::RetirementCause::single_bit);
  const auto both = ask.read(&Api::retired_pages, nvml::RetirementCause::double_bit);
  return single.then([&](unsigned a) { return both.then([&](unsigned b) { return std::int64_t{a} + b; }); });
}

Ecc ecc(NvmlAsk& ask) {
  const auto rows = ask.read(&Api::remapped_rows);
  return {.enabled = flag(ask.read(&Api::ecc_mode)),
          .corrected = error_count(ask, nvml::ErrorKind::corrected),
          .uncorrected = error_count(ask, nvml::ErrorKind::uncorrected),
          .retired_pages = retired(ask, rows),
          .remap_pending = rows.get() ? Flag(rows.get()->pending != 0) : flag(ask.read(&Api::retirement_pending)),
          .remap_failed = rows.then([](const nvml::RemappedRows& known) { return known.failed != 0; })};
}

List<MigDevice> mig_devices(Api& api, NvmlAsk& ask, bool redact) {
  const auto slots = ask.read(&Api::mig_slots);
  if (!slots.get()) return slots.missing();
  if (*slots.get() > most_mig_slots) return failed(fmt::format("NVML tells of {} MIG slots", *slots.get()));
  std::vector<MigDevice> found;
  for (unsigned slot = 0; slot < *slots.get(); ++slot) {
    nvml::Device handle = nullptr;
    if (api.mig_device(ask.device(), slot, handle) != nvml::success) continue;  // an empty slot
    NvmlAsk slice(api, handle);
    found.push_back({.index = std::int64_t{slot},
                     .name = name(slice),
                     .uuid = uuid(slice, redact),
                     .memory_total_mib = slice.read(&Api::memory).then([](const nvml::Memory& memory) {
                       return mib(memory.total_bytes);
                     })});
  }
  return found;
}

Text compute_mode(unsigned mode) {
  switch (mode) {
    case 0:
      return std::string("default");
    case 1:
      return std::string("exclusive_thread");
    case 2:
      return std::string("prohibited");
    case 3:
      return std::string("exclusive_process");
    default:
      return failed(fmt::format("NVML tells of compute mode {}", mode));
  }
}

Text fabric_state(unsigned state) {
  constexpr std::array names = {"not_supported", "not_started", "in_progress", "completed"};
  if (state >= names.size()) return failed(fmt::format("NVML tells of fabric state {}", state));
  return std::string(names.at(state));
}

// Bits that merely say "idle" or "clocks were set by someone" are left out.
std::vector<std::string> throttle_reasons(std::uint64_t bits) {
  struct Reason {
    std::uint64_t bit;
    const char* name;
  };
  constexpr std::array reasons = {Reason{0x04, "power_cap"},  Reason{0x08, "hw_slowdown"},
                                  Reason{0x10, "sync_boost"}, Reason{0x20, "sw_thermal"},
                                  Reason{0x40, "hw_thermal"}, Reason{0x80, "hw_power_brake"}};
  std::vector<std::string> found;
  for (const Reason& reason : reasons)
    if ((bits & reason.bit) != 0) found.emplace_back(reason.name);
  return found;
}

Real link_speed(const Reading<unsigned>& generation) {
  constexpr std::array speeds_gtps = {2.5, 5.0, 8.0, 16.0, 32.0, 64.0};
  return generation.then([&](unsigned g) -> Real {
    if (g == 0 || g > speeds_gtps.size()) return failed(fmt::format("NVML tells of PCIe generation {}", g));
    return speeds_gtps.at(g - 1);
  });
}

PciLink link(NvmlAsk& ask) {
  using nvml::LinkFact;
  return {.speed_gtps = link_speed(ask.read(&Api::link, LinkFact::generation)),
          .width = number(ask.read(&Api::link, LinkFact::width)),
          .max_speed_gtps = link_speed(ask.read(&Api::link, LinkFact::max_generation)),
          .max_width = number(ask.read(&Api::link, LinkFact::max_width))};
}

Real watts(const Reading<unsigned>& milliwatts) {
  return milliwatts.then([](unsigned mw) { return mw / 1000.0; });
}

}  // namespace

NvidiaDevice read_nvml_device(Api& api, unsigned index, nvml::Device handle, bool redact) {
  NvmlAsk ask(api, handle);
  const auto memory = ask.read(&Api::memory);
  NvidiaDevice device{
      .index = std::int64_t{index},
      .name = name(ask),
      .uuid = uuid(ask, redact),
      .pci_address = ask.read(&Api::pci_place).then(address_text),
      .compute_capability = ask.read(&Api::capability).then([](const nvml::Capability& c) {
        return fmt::format("{}.{}", c.major, c.minor);
      }),
      .memory_total_mib = memory.then([](const nvml::Memory& m) { return mib(m.total_bytes); }),
      .memory_free_mib = memory.then([](const nvml::Memory& m) { return mib(m.free_bytes); }),
      .mig = flag(ask.read(&Api::mig_mode)),
      .minor = number(ask.read(&Api::minor_number)),
      .ecc = ecc(ask),
      .persistence = flag(ask.read(&Api::persistence)),
      .compute_mode = ask.read(&Api::compute_mode).then(compute_mode),
      .throttle_reasons = ask.read(&Api::throttle_reasons).then(throttle_reasons),
      .temperature_c = number(ask.read(&Api::temperature)),
      .power_w = watts(ask.read(&Api::power)),
      .power_limit_w = watts(ask.read(&Api::power_limit)),
      .utilization_percent = number(ask.read(&Api::utilization)),
      .fabric_state = ask.read(&Api::fabric_state).then(fabric_state),
      .link = link(ask),
  };
  if (device.mig.is(true)) device.mig_devices = mig_devices(api, ask, redact);
  if (device.mig.is(false)) device.mig_devices.fill();
  if (ask.lost() != nvml::success)
    device.error = code_text("nvml", ask.lost());
  else
    device.error = absent("NVML opened and read it");
  return device;
}

}  // namespace envdoctor

#include "probe/gpu/vendor_probes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "evidence/json.h"

namespace envdoctor {

namespace {

using nvml::Api;
using NvmlReader = VendorReader<Api, nvml::Device>;

constexpr unsigned most_mig_slots = 64;  // a GPU has seven instances today

Number number(const Reading<unsigned>& reading) {
  return reading.then([](unsigned value) { return static_cast<std::int64_t>(value); });
}

Flag flag(const Reading<unsigned>& reading) {
  return reading.then([](unsigned value) { return value != 0; });
}

Text name(NvmlReader& reader) { return reader.read(&Api::name).then(tame); }

Text uuid(NvmlReader& reader, bool redact) {
  return reader.read(&Api::uuid).then([&](const std::string& text) { return reported_uuid(tame(text), redact); });
}

std::string address_text(const nvml::PciPlace& place) {
  return fmt::format("{:04x}:{:02x}:{:02x}.0", place.domain, place.bus, place.device);
}

Number error_count(NvmlReader& reader, nvml::ErrorKind kind) {
  return reader.read(&Api::ecc_errors, kind).then([](std::uint64_t count) { return static_cast<std::int64_t>(count); });
}

// Older GPUs retire pages, from Ampere on rows are remapped; a GPU knows one of the two.
Number retired(NvmlReader& reader, const Reading<nvml::RemappedRows>& rows) {
  if (const auto* remapped = rows.get()) return std::int64_t{remapped->correctable} + remapped->uncorrectable;
  const auto single = reader.read(&Api::retired_pages, nvml::RetirementCause::single_bit);
  const auto both = reader.read(&Api::retired_pages, nvml::RetirementCause::double_bit);
  return single.then([&](unsigned a) { return both.then([&](unsigned b) { return std::int64_t{a} + b; }); });
}

Ecc ecc(NvmlReader& reader) {
  const auto rows = reader.read(&Api::remapped_rows);
  return {.enabled = flag(reader.read(&Api::ecc_mode)),
          .corrected = error_count(reader, nvml::ErrorKind::corrected),
          .uncorrected = error_count(reader, nvml::ErrorKind::uncorrected),
          .retired_pages = retired(reader, rows),
          .remap_pending = rows.get() ? Flag(rows.get()->pending != 0) : flag(reader.read(&Api::retirement_pending)),
          .remap_failed = rows.then([](const nvml::RemappedRows& known) { return known.failed != 0; })};
}

List<MigDevice> mig_devices(Api& api, nvml::Device device, NvmlReader& reader, bool redact) {
  const auto slots = reader.read(&Api::mig_slots);
  if (!slots.get()) return slots.missing();
  if (*slots.get() > most_mig_slots) return failed(fmt::format("NVML reports {} MIG slots", *slots.get()));
  std::vector<MigDevice> found;
  for (unsigned slot = 0; slot < *slots.get(); ++slot) {
    nvml::Device handle = nullptr;
    if (api.mig_device(device, slot, handle) != nvml::success) continue;  // an empty slot
    VendorReader slice(api, nvml_codes, handle);
    found.push_back({.index = std::int64_t{slot},
                     .name = name(slice),
                     .uuid = uuid(slice, redact),
                     .memory_total_mib = slice.read(&Api::memory).then([](const nvml::Memory& memory) {
                       return mib(memory.total_bytes);
                     })});
  }
  return found;
}

Text named(const std::array<const char*, 4>& names, const char* what, unsigned value) {
  if (value >= names.size()) return failed(fmt::format("NVML reports unknown {} {}", what, value));
  return std::string(names.at(value));
}

Text compute_mode(unsigned mode) {
  return named({"default", "exclusive_thread", "prohibited", "exclusive_process"}, "compute mode", mode);
}

Text fabric_state(unsigned state) {
  return named({"not_supported", "not_started", "in_progress", "completed"}, "fabric state", state);
}

// Bits that only mean "idle" or "clocks were set by an application" are left out.
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

Real speed_of_generation(const Reading<unsigned>& generation) {
  constexpr std::array speeds_gtps = {2.5, 5.0, 8.0, 16.0, 32.0, 64.0};
  return generation.then([&](unsigned g) -> Real {
    if (g == 0 || g > speeds_gtps.size()) return failed(fmt::format("NVML reports unknown PCIe generation {}", g));
    return speeds_gtps.at(g - 1);
  });
}

PciLink link(NvmlReader& reader) {
  using nvml::LinkFact;
  return {.speed_gtps = speed_of_generation(reader.read(&Api::link, LinkFact::generation)),
          .width = number(reader.read(&Api::link, LinkFact::width)),
          .max_speed_gtps = speed_of_generation(reader.read(&Api::link, LinkFact::max_generation)),
          .max_width = number(reader.read(&Api::link, LinkFact::max_width))};
}

Real watts(const Reading<unsigned>& milliwatts) {
  return milliwatts.then([](unsigned mw) { return mw / 1000.0; });
}

NvidiaDevice read_nvml_device(Api& api, unsigned index, nvml::Device handle, bool redact) {
  VendorReader reader(api, nvml_codes, handle);
  const auto memory = reader.read(&Api::memory);
  NvidiaDevice device{
      .index = std::int64_t{index},
      .name = name(reader),
      .uuid = uuid(reader, redact),
      .pci_address = reader.read(&Api::pci_place).then(address_text),
      .compute_capability = reader.read(&Api::capability).then([](const nvml::Capability& c) {
        return fmt::format("{}.{}", c.major, c.minor);
      }),
      .memory_total_mib = memory.then([](const nvml::Memory& m) { return mib(m.total_bytes); }),
      .memory_free_mib = memory.then([](const nvml::Memory& m) { return mib(m.free_bytes); }),
      .mig = flag(reader.read(&Api::mig_mode)),
      .minor = number(reader.read(&Api::minor_number)),
      .ecc = ecc(reader),
      .persistence = flag(reader.read(&Api::persistence)),
      .compute_mode = reader.read(&Api::compute_mode).then(compute_mode),
      .throttle_reasons = reader.read(&Api::throttle_reasons).then(throttle_reasons),
      .temperature_c = number(reader.read(&Api::temperature)),
      .power_w = watts(reader.read(&Api::power)),
      .power_limit_w = watts(reader.read(&Api::power_limit)),
      .utilization_percent = number(reader.read(&Api::utilization)),
      .fabric_state = reader.read(&Api::fabric_state).then(fabric_state),
      .link = link(reader),
  };
  if (device.mig.is(true)) device.mig_devices = mig_devices(api, handle, reader, redact);
  if (device.mig.is(false)) device.mig_devices.fill();
  device.error = absent("NVML opened and read it");
  if (reader.lost() != nvml::success) device.error = code_text("nvml", reader.lost());
  return device;
}

constexpr unsigned most_nvml_devices = 256;

constexpr VendorLibraryFacts<Nvidia> nvml_facts = {
    .probe = "nvidia",
    .name = "NVML",
    .init = "nvmlInit",
    .well = "NVML initialised",
    .codes = nvml_codes,
    .section = &Snapshot::nvidia,
    .file = &Nvidia::nvml_library,
    .error = &Nvidia::nvml_error,
    .not_read = [](const Missing& why) {
      return Nvidia{.nvml_library = why, .nvml_error = why, .devices = why, .processes = why};
    }};

// The library's own version: "12.550.54.14" is NVML for CUDA 12 of driver 550.54.14.
Text library_version(nvml::Api& api) {
  std::string version;
  const nvml::Code code = api.library_version(version);
  if (code != nvml::success) return failed("nvmlSystemGetNVMLVersion: " + code_text("nvml", code));
  const std::size_t dot = version.find('.');
  if (dot == std::string::npos) return failed("NVML reports the version '" + tame(version) + "'");
  return tame(version.substr(dot + 1));
}

List<NvidiaProcess> processes_on(nvml::Api& api, unsigned index, nvml::Device handle, bool redact) {
  VendorReader reader(api, nvml_codes, handle);
  std::map<unsigned, nvml::Process> by_pid;  // one process may do both
  for (const auto kind : {nvml::ProcessKind::compute, nvml::ProcessKind::graphics}) {
    const auto found = reader.read(&nvml::Api::processes, kind);
    if (found.outcome() == Outcome::failed) return found.missing();
    for (const nvml::Process& process : found.or_empty()) by_pid.try_emplace(process.pid, process);
  }
  std::vector<NvidiaProcess> out;
  for (const auto& [pid, process] : by_pid) {
    NvidiaProcess row{.pid = std::int64_t{pid}, .gpu = std::int64_t{index}};
    std::string name;
    const nvml::Code code = api.process_name(pid, name);
    row.name = tame(redact ? name.substr(name.rfind('/') + 1) : name);
    if (code != nvml::success) row.name = failed(code_text("nvml", code));
    row.memory_mib = mib(process.memory_bytes);
    if (process.memory_bytes == nvml::memory_not_available)
      row.memory_mib = absent("NVML does not report the memory of this process");
    out.push_back(std::move(row));
  }
  return out;
}

void read_devices(nvml::Api& api, Nvidia& nvidia, bool redact) {
  unsigned count = 0;
  const nvml::Code counted = api.device_count(count);
  if (counted != nvml::success || count > most_nvml_devices) {
    const std::string why = counted != nvml::success ? "nvmlDeviceGetCount: " + code_text("nvml", counted)
                                                     : fmt::format("NVML reports {} devices", count);
    nvidia.devices = failed(why);
    nvidia.processes = failed(why);
    return;
  }
  auto& devices = nvidia.devices.fill();
  auto& processes = nvidia.processes.fill();
  Missing not_listed;
  for (unsigned index = 0; index < count; ++index) {
    nvml::Device handle = nullptr;
    const nvml::Code code = api.device(index, handle);
    if (code != nvml::success) {
      devices.push_back({.index = std::int64_t{index}, .error = code_text("nvml", code)});
      continue;
    }
    devices.push_back(read_nvml_device(api, index, handle, redact));
    if (devices.back().error.get()) continue;
    const auto on_this = processes_on(api, index, handle, redact);
    processes.insert(processes.end(), on_this.or_empty().begin(), on_this.or_empty().end());
    if (!on_this.get()) not_listed = on_this.missing();
  }
  if (processes.empty() && !not_listed.why.empty()) nvidia.processes = not_listed;
}

}  // namespace

Nvidia read_nvml(nvml::Api& api, bool redact, const Progress<Nvidia>& report) {
  Nvidia nvidia;
  if (!initialise(nvidia, api, nvml_facts, report, [&] { nvidia.userspace_driver_version = library_version(api); }))
    return nvidia;
  read_devices(api, nvidia, redact);
  report(nvidia);
  api.shutdown();
  return nvidia;
}

void start_nvml(Session& session, const std::string& soname_or_path, Limits limits, std::function<void()> over) {
  const auto read = [=, redact = session.options.redact](const Trace& trace, const Progress<Nvidia>& report) {
    return read_nvml(*nvml::open(soname_or_path, trace), redact, report);
  };
  start_vendor<Nvidia>(session, nvml_facts, soname_or_path, limits, read, std::move(over));
}

}  // namespace envdoctor

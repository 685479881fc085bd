#include "probe/gpu/vendor_probes.h"

#include <fmt/format.h>

#include <array>

#include "probe/probes.h"

namespace envdoctor {
namespace {

constexpr VendorLibraryFacts<LevelZero> level_zero_facts = {
    .probe = "level-zero",
    .name = "Level Zero",
    .init = "zeInit",
    .well = "ZE_RESULT_SUCCESS",
    .codes = {.api = "level_zero", .not_supported = 0x78000003},
    .section = &Snapshot::level_zero,
    .file = &LevelZero::library,
    .error = &LevelZero::error,
    .not_read = [](const Missing& why) { return LevelZero{.library = why, .error = why, .devices = why}; }};

Text type_text(unsigned type) {
  constexpr std::array names = {"gpu", "cpu", "fpga", "mca", "npu"};
  if (type == 0 || type > names.size()) return failed(fmt::format("Level Zero reports unknown device type {}", type));
  return std::string(names.at(type - 1));
}

LevelZeroDevice read_device(level_zero::Api& api, std::int64_t index, level_zero::Device device) {
  VendorReader reader(api, level_zero_facts.codes, device);
  const auto properties = reader.read(&level_zero::Api::properties);
  return {.index = index,
          .name = properties.then([](const level_zero::Properties& p) { return tame(p.name); }),
          .type = properties.then([](const level_zero::Properties& p) { return type_text(p.type); }),
          .pci_address = reader.read(&level_zero::Api::pci_place).then([](const level_zero::PciPlace& place) {
            return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", place.domain, place.bus, place.device, place.function);
          }),
          .memory_total_mib = reader.read(&level_zero::Api::memory).then(mib)};
}

// One driver that fails doesn't hide the devices of another.
List<LevelZeroDevice> read_devices(level_zero::Api& api) {
  std::vector<level_zero::Driver> drivers;
  if (const auto code = api.drivers(drivers); code != level_zero::success)
    return failed("zeDriverGet: " + code_text(level_zero_facts.codes.api, code));
  std::vector<LevelZeroDevice> found;
  Missing not_listed;
  for (level_zero::Driver driver : drivers) {
    std::vector<level_zero::Device> devices;
    if (const auto code = api.devices(driver, devices); code != level_zero::success)
      not_listed = failed("zeDeviceGet: " + code_text(level_zero_facts.codes.api, code));
    for (level_zero::Device device : devices)
      found.push_back(read_device(api, static_cast<std::int64_t>(found.size()), device));
  }
  if (found.empty() && !not_listed.why.empty()) return not_listed;
  return found;
}

}  // namespace

LevelZero read_level_zero(level_zero::Api& api, const Progress<LevelZero>& report) {
  LevelZero level_zero;
  if (initialise(level_zero, api, level_zero_facts, report)) level_zero.devices = read_devices(api);
  return level_zero;
}

void start_level_zero(Session& session, const std::string& soname_or_path, Limits limits) {
  // The loader's version is only in its file name.
  const auto over = [&session] {
    const Text version = session.so_far()
                             .level_zero.then([](const LevelZero& l) { return l.library; })
                             .then([&](const std::string& path) { return session.host.files.resolve(path); })
                             .then(version_in_file_name);
    session.add({.level_zero = LevelZero{.version = version}});
  };
  const auto read = [=](const Trace& trace, const Progress<LevelZero>& report) {
    return read_level_zero(*level_zero::open(soname_or_path, trace), report);
  };
  start_vendor<LevelZero>(session, level_zero_facts, soname_or_path, limits, read, over);
}

void probe_level_zero(Session& session) {
  if (session.host.live) start_level_zero(session, level_zero::soname, {});
}

}  // namespace envdoctor

#include "probe/level_zero.h"

#include <fmt/format.h>

#include <array>

#include "evidence/json.h"
#include "probe/probes.h"
#include "probe/vendor.h"

namespace envdoctor {
namespace {

constexpr VendorCodes codes{.api = "level_zero", .not_supported = 0x78000003};

template <class Value, class Call>
Reading<Value> ask(Call call) {
  return ask_vendor<Value>(codes, call);
}

Text type_text(unsigned type) {
  constexpr std::array names = {"gpu", "cpu", "fpga", "mca", "npu"};
  if (type == 0 || type > names.size()) return failed(fmt::format("Level Zero tells of device type {}", type));
  return std::string(names.at(type - 1));
}

LevelZeroDevice read_device(level_zero::Api& api, std::int64_t index, level_zero::Device device) {
  const auto properties =
      ask<level_zero::Properties>([&](level_zero::Properties& out) { return api.properties(device, out); });
  return {.index = index,
          .name = properties.then([](const level_zero::Properties& p) { return tame(p.name); }),
          .type = properties.then([](const level_zero::Properties& p) { return type_text(p.type); }),
          .pci_address = ask<level_zero::PciPlace>([&](level_zero::PciPlace& out) {
                           return api.pci_place(device, out);
                         }).then([](const level_zero::PciPlace& place) {
            return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", place.domain, place.bus, place.device, place.function);
          }),
          .memory_total_mib =
              ask<std::uint64_t>([&](std::uint64_t& bytes) { return api.memory(device, bytes); }).then(mib)};
}

// One driver that fails doesn't hide the devices of another.
List<LevelZeroDevice> read_devices(level_zero::Api& api) {
  std::vector<level_zero::Driver> drivers;
  if (const auto code = api.drivers(drivers); code != level_zero::success)
    return failed("zeDriverGet: " + code_text(codes.api, code));
  std::vector<LevelZeroDevice> found;
  Missing not_listed;
  for (level_zero::Driver driver : drivers) {
    std::vector<level_zero::Device> devices;
    if (const auto code = api.devices(driver, devices); code != level_zero::success)
      not_listed = failed("zeDeviceGet: " + code_text(codes.api, code));
    for (level_zero::Device device : devices)
      found.push_back(read_device(api, static_cast<std::int64_t>(found.size()), device));
  }
  if (found.empty() && !not_listed.why.empty()) return not_listed;
  return found;
}

}  // namespace

LevelZero read_level_zero(level_zero::Api& api, const TellLevelZero& tell) {
  LevelZero level_zero{.library = api.library()};
  if (!level_zero.library.get()) {
    const Missing missing{level_zero.library.outcome(), "Level Zero was not loaded: " + level_zero.library.why()};
    level_zero.error = failed(missing.why);  // absent would say that it initialised
    level_zero.devices = missing;
    return level_zero;
  }
  tell(level_zero);
  if (const auto code = api.init(); code != level_zero::success) {
    level_zero.error = code_text(codes.api, code);
    level_zero.devices = failed("zeInit: " + code_text(codes.api, code));
    return level_zero;
  }
  level_zero.error = absent("ZE_RESULT_SUCCESS");
  level_zero.devices = read_devices(api);
  return level_zero;
}

void start_level_zero(Session& session, const std::string& soname_or_path, Limits limits) {
  // The loader's version stands in its file name alone.
  const auto over = [&session] {
    const Text version = session.so_far()
                             .level_zero.then([](const LevelZero& l) { return l.library; })
                             .then([&](const std::string& path) { return session.host.files.resolve(path); })
                             .then(version_in_file_name);
    session.add({.level_zero = LevelZero{.version = version}});
  };
  start_vendor(
      session,
      {.probe = "level-zero",
       .library = soname_or_path,
       .limits = limits,
       .read =
           [=](const Channel& channel) {
             const auto api = level_zero::open(soname_or_path, steps(channel));
             return Snapshot{.level_zero = read_level_zero(*api, [&](const LevelZero& so_far) {
                               channel.answer(to_json({.level_zero = so_far}));
                             })};
           },
       .file = [](const Snapshot& told) { return told.level_zero.then([](const LevelZero& l) { return l.library; }); },
       .not_read =
           [](const Missing& why) {
             return Snapshot{.level_zero = LevelZero{.library = why, .error = why, .devices = why}};
           },
       .over = over});
}

void probe_level_zero(Session& session) {
  if (session.host.live) start_level_zero(session, level_zero::soname, {});
}

}  // namespace envdoctor

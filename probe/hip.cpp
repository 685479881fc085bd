#include "probe/hip.h"

#include <fmt/format.h>

#include "evidence/json.h"
#include "probe/vendor.h"

namespace envdoctor {
namespace {

constexpr int most_devices = 1024;  // partitions of a full host
constexpr VendorCodes codes{.api = "hip", .not_supported = 801};

template <class Value, class Call>
Reading<Value> ask(Call call) {
  return ask_vendor<Value>(codes, call);
}

// Releases before 3.5 counted otherwise; no host that matters has them.
Text version_text(int version) {
  if (version < 10'000'000) return failed(fmt::format("hipRuntimeGetVersion answers {}", version));
  return fmt::format("{}.{}.{}", version / 10'000'000, version / 100'000 % 100, version % 100'000);
}

RocmDevice read_device(hip::Api& api, int ordinal) {
  RocmDevice out{.index = std::int64_t{ordinal}};
  hip::Device device = 0;
  if (const hip::Code code = api.device(ordinal, device); code != hip::success) {
    out.name = failed("hipDeviceGet: " + code_text(codes.api, code));
    return out;
  }
  out.name = ask<std::string>([&](std::string& name) { return api.name(device, name); }).then(tame);
  out.pci_address =
      ask<std::string>([&](std::string& id) { return api.pci_bus_id(ordinal, id); }).then(address_as_linux_writes_it);
  out.memory_total_mib = ask<std::uint64_t>([&](std::uint64_t& bytes) { return api.memory(device, bytes); }).then(mib);
  return out;
}

List<RocmDevice> read_devices(hip::Api& api) {
  int count = 0;
  if (const hip::Code code = api.device_count(count); code != hip::success)
    return failed("hipGetDeviceCount: " + code_text(codes.api, code));
  if (count < 0 || count > most_devices) return failed(fmt::format("hipGetDeviceCount counts {} devices", count));
  std::vector<RocmDevice> devices;
  for (int ordinal = 0; ordinal < count; ++ordinal) devices.push_back(read_device(api, ordinal));
  return devices;
}

}  // namespace

Rocm read_hip(hip::Api& api, const TellRocm& tell) {
  Rocm rocm{.hip_library = api.library()};
  if (!rocm.hip_library.get()) {
    const Missing missing{rocm.hip_library.outcome(), "HIP was not loaded: " + rocm.hip_library.why()};
    rocm.hip_version = missing;
    rocm.hip_error = failed(missing.why);  // absent would say that it initialised
    rocm.hip_devices = missing;
    return rocm;
  }
  tell(rocm);
  rocm.hip_version = ask<int>([&](int& version) { return api.runtime_version(version); }).then(version_text);
  tell(rocm);
  if (const hip::Code code = api.init(); code != hip::success) {
    rocm.hip_error = code_text(codes.api, code);
    rocm.hip_devices = failed("hipInit: " + code_text(codes.api, code));
    return rocm;
  }
  rocm.hip_error = absent("hipSuccess");
  rocm.hip_devices = read_devices(api);
  return rocm;
}

void start_hip(Session& session, const std::vector<std::string>& sonames_or_paths, Limits limits) {
  start_vendor(
      session,
      {.probe = "rocm",
       .library = sonames_or_paths.back(),
       .limits = limits,
       .read =
           [=](const Channel& channel) {
             const auto api = hip::open(sonames_or_paths, steps(channel));
             return Snapshot{
                 .rocm = read_hip(*api, [&](const Rocm& so_far) { channel.answer(to_json({.rocm = so_far})); })};
           },
       .file = [](const Snapshot& told) { return told.rocm.then([](const Rocm& r) { return r.hip_library; }); },
       .not_read =
           [](const Missing& why) {
             return Snapshot{.rocm =
                                 Rocm{.hip_library = why, .hip_version = why, .hip_error = why, .hip_devices = why}};
           }});
}

}  // namespace envdoctor

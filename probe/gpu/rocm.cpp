#include <fmt/format.h>

#include "probe/gpu/kfd.h"
#include "probe/gpu/vendor_probes.h"
#include "probe/probes.h"

namespace envdoctor {

namespace {

constexpr int most_hip_devices = 1024;  // partitions of a full host
constexpr VendorCodes hip_codes{.api = "hip", .not_supported = 801};

// Releases before 3.5 counted otherwise; such releases are not supported.
Text version_text(int version) {
  if (version < 10'000'000) return failed(fmt::format("hipRuntimeGetVersion answers {}", version));
  return fmt::format("{}.{}.{}", version / 10'000'000, version / 100'000 % 100, version % 100'000);
}

RocmDevice read_device(hip::Api& api, int ordinal) {
  RocmDevice out{.index = std::int64_t{ordinal}};
  hip::Device device = 0;
  if (const hip::Code code = api.device(ordinal, device); code != hip::success) {
    out.name = failed("hipDeviceGet: " + code_text(hip_codes.api, code));
    return out;
  }
  VendorReader reader(api, hip_codes, device);
  out.name = reader.read(&hip::Api::name).then(tame);
  out.pci_address = VendorReader(api, hip_codes, ordinal).read(&hip::Api::pci_bus_id).then(address_as_linux_writes_it);
  out.memory_total_mib = reader.read(&hip::Api::memory).then(mib);
  return out;
}

List<RocmDevice> read_devices(hip::Api& api) {
  int count = 0;
  if (const hip::Code code = api.device_count(count); code != hip::success)
    return failed("hipGetDeviceCount: " + code_text(hip_codes.api, code));
  if (count < 0 || count > most_hip_devices) return failed(fmt::format("hipGetDeviceCount counts {} devices", count));
  std::vector<RocmDevice> devices;
  for (int ordinal = 0; ordinal < count; ++ordinal) devices.push_back(read_device(api, ordinal));
  return devices;
}

}  // namespace

Rocm read_hip(hip::Api& api, const Progress<Rocm>& report) {
  Rocm rocm{.hip_library = api.library()};
  if (!rocm.hip_library.get()) {
    const Missing missing{rocm.hip_library.outcome(), "HIP was not loaded: " + rocm.hip_library.why()};
    rocm.hip_version = missing;
    rocm.hip_error = failed(missing.why);  // absent would say that it initialised
    rocm.hip_devices = missing;
    return rocm;
  }
  report(rocm);
  rocm.hip_version = VendorReader(api, hip_codes).read(&hip::Api::runtime_version).then(version_text);
  report(rocm);
  if (const hip::Code code = api.init(); code != hip::success) {
    rocm.hip_error = code_text(hip_codes.api, code);
    rocm.hip_devices = failed("hipInit: " + code_text(hip_codes.api, code));
    return rocm;
  }
  rocm.hip_error = absent("hipSuccess");
  rocm.hip_devices = read_devices(api);
  return rocm;
}

void start_hip(Session& session, const std::vector<std::string>& sonames_or_paths, Limits limits) {
  start_vendor<Rocm>(
      session,
      {.probe = "rocm",
       .library = sonames_or_paths.back(),
       .limits = limits,
       .section = &Snapshot::rocm,
       .file = &Rocm::hip_library,
       .read = [=](const Trace& trace,
                   const Progress<Rocm>& report) { return read_hip(*hip::open(sonames_or_paths, trace), report); },
       .not_read =
           [](const Missing& why) {
             return Rocm{.hip_library = why, .hip_version = why, .hip_error = why, .hip_devices = why};
           }});
}

void probe_rocm(Session& session) {
  if (session.host.live) start_hip(session, hip::sonames(), {});
  session.add({.rocm = read_kfd(session.host.files)});
}

}  // namespace envdoctor

#include <fmt/format.h>

#include "probe/gpu/kfd.h"
#include "probe/gpu/vendor_probes.h"
#include "probe/probes.h"

namespace envdoctor {

namespace {

constexpr VendorLibraryFacts<Rocm> hip_facts = {
    .probe = "rocm",
    .name = "HIP",
    .init = "hipInit",
    .well = "hipSuccess",
    .codes = {.api = "hip", .not_supported = 801},
    .section = &Snapshot::rocm,
    .file = &Rocm::hip_library,
    .error = &Rocm::hip_error,
    .not_read = [](const Missing& why) {
      return Rocm{.hip_library = why, .hip_version = why, .hip_error = why, .hip_devices = why};
    }};

// Releases before 3.5 numbered differently; such releases are not supported.
Text version_text(int version) {
  if (version < 10'000'000) return failed(fmt::format("hipRuntimeGetVersion answers {}", version));
  return fmt::format("{}.{}.{}", version / 10'000'000, version / 100'000 % 100, version % 100'000);
}

RocmDevice read_device(hip::Api& api, int ordinal, const Reading<hip::Device>& device) {
  if (!device.get()) return {.index = std::int64_t{ordinal}, .name = device.missing()};
  VendorReader reader(api, hip_facts.codes, *device.get());
  VendorReader by_ordinal(api, hip_facts.codes, ordinal);
  return {.index = std::int64_t{ordinal},
          .name = reader.read(&hip::Api::name).then(tame),
          .pci_address = by_ordinal.read(&hip::Api::pci_bus_id).then(address_as_linux_writes_it),
          .memory_total_mib = reader.read(&hip::Api::memory).then(mib)};
}

}  // namespace

Rocm read_hip(hip::Api& api, const Progress<Rocm>& report) {
  Rocm rocm;
  const auto ask_version = [&] {
    rocm.hip_version = VendorReader(api, hip_facts.codes).read(&hip::Api::runtime_version).then(version_text);
  };
  if (initialise(rocm, api, hip_facts, report, ask_version))
    rocm.hip_devices =
        list_devices<RocmDevice>(api, hip_facts.codes, "hipDevice",
                                 [&](int ordinal, const auto& device) { return read_device(api, ordinal, device); });
  return rocm;
}

void start_hip(Session& session, const std::vector<std::string>& sonames_or_paths, Limits limits) {
  const auto read = [=](const Trace& trace, const Progress<Rocm>& report) {
    return read_hip(*hip::open(sonames_or_paths, trace), report);
  };
  start_vendor<Rocm>(session, hip_facts, sonames_or_paths.back(), limits, read);
}

void probe_rocm(Session& session) {
  if (session.host.live) start_hip(session, hip::sonames(), {});
  session.add({.rocm = read_kfd(session.host.files)});
}

}  // namespace envdoctor

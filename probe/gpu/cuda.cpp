#include "probe/gpu/vendor_probes.h"

#include <fmt/format.h>

#include "knowledge/gpus/cuda_toolkits.h"

namespace envdoctor {
namespace {

constexpr VendorLibraryFacts<Nvidia> cuda_facts = {
    .probe = "nvidia",
    .name = "the CUDA driver",
    .init = "cuInit",
    .well = "CUDA_SUCCESS",
    .codes = {.api = "cuda_driver", .not_supported = 801},
    .section = &Snapshot::nvidia,
    .file = &Nvidia::cuda_library,
    .error = &Nvidia::cuinit_error,
    .not_read = [](const Missing& why) {
      return Nvidia{.cuda_library = why, .cuda_driver_version = why, .cuinit_error = why, .cuda_devices = why};
    }};

std::string uuid_text(const cuda::Uuid& uuid, bool mig) {
  std::string out = mig ? "MIG-" : "GPU-";
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) out += '-';
    out += fmt::format("{:02x}", uuid.at(i));
  }
  return out;
}

// A MIG slice has its own UUID, which differs from that of its GPU.
Text uuid(VendorReader<cuda::Api, cuda::Device>& reader, bool redact) {
  const auto own = reader.read(&cuda::Api::uuid);
  const auto physical = reader.read(&cuda::Api::physical_uuid);
  return own.then([&](const cuda::Uuid& bytes) {
    const bool mig = physical.get() && *physical.get() != bytes;
    return reported_uuid(uuid_text(bytes, mig), redact);
  });
}

CudaDevice read_device(cuda::Api& api, int ordinal, const Reading<cuda::Device>& device, bool redact) {
  if (!device.get()) return {.ordinal = std::int64_t{ordinal}, .name = device.missing()};
  VendorReader reader(api, cuda_facts.codes, *device.get());
  return {.ordinal = std::int64_t{ordinal},
          .name = reader.read(&cuda::Api::name).then(tame),
          .uuid = uuid(reader, redact),
          .pci_address = reader.read(&cuda::Api::pci_bus_id).then(address_as_linux_writes_it),
          .compute_capability = reader.read(&cuda::Api::capability).then([](const cuda::Capability& c) {
            return fmt::format("{}.{}", c.major, c.minor);
          }),
          .memory_total_mib = reader.read(&cuda::Api::memory).then(mib)};
}

Text driver_version(cuda::Api& api) {
  return VendorReader(api, cuda_facts.codes).read(&cuda::Api::driver_version).then([](int version) -> Text {
    return plausible("/nvidia/cuda_driver_version", knowledge::cuda_version_text(version));
  });
}

}  // namespace

Nvidia read_cuda(cuda::Api& api, bool redact, const Progress<Nvidia>& report) {
  Nvidia nvidia;
  if (initialise(nvidia, api, cuda_facts, report, [&] { nvidia.cuda_driver_version = driver_version(api); }))
    nvidia.cuda_devices = list_devices<CudaDevice>(
        api, cuda_facts.codes, "cuDevice",
        [&](int ordinal, const auto& device) { return read_device(api, ordinal, device, redact); });
  return nvidia;
}

void start_cuda(Session& session, const std::string& soname_or_path, Limits limits, std::function<void()> over) {
  const auto read = [=, redact = session.options.redact](const Trace& trace, const Progress<Nvidia>& report) {
    return read_cuda(*cuda::open(soname_or_path, trace), redact, report);
  };
  start_vendor<Nvidia>(session, cuda_facts, soname_or_path, limits, read, std::move(over));
}

}  // namespace envdoctor

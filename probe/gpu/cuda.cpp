#include "probe/gpu/vendor_probes.h"

#include <fmt/format.h>

namespace envdoctor {
namespace {

constexpr int most_devices = 1024;  // MIG slices of a full host

constexpr VendorCodes cuda_codes{.api = "cuda_driver", .not_supported = 801};

std::string uuid_text(const cuda::Uuid& uuid, bool mig) {
  std::string out = mig ? "MIG-" : "GPU-";
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) out += '-';
    out += fmt::format("{:02x}", uuid.at(i));
  }
  return out;
}

// A MIG slice goes by a UUID of its own, which differs from that of the GPU it is cut from.
Text uuid(VendorReader<cuda::Api, cuda::Device>& reader, bool redact) {
  const auto own = reader.read(&cuda::Api::uuid);
  const auto physical = reader.read(&cuda::Api::physical_uuid);
  return own.then([&](const cuda::Uuid& bytes) {
    const bool mig = physical.get() && *physical.get() != bytes;
    return reported_uuid(uuid_text(bytes, mig), redact);
  });
}

CudaDevice read_device(cuda::Api& api, int ordinal, bool redact) {
  CudaDevice out{.ordinal = std::int64_t{ordinal}};
  cuda::Device device = 0;
  if (const cuda::Code code = api.device(ordinal, device); code != cuda::success) {
    out.name = failed("cuDeviceGet: " + code_text("cuda_driver", code));
    return out;
  }
  VendorReader reader(api, cuda_codes, device);
  out.name = reader.read(&cuda::Api::name).then(tame);
  out.uuid = uuid(reader, redact);
  out.pci_address = reader.read(&cuda::Api::pci_bus_id).then(address_as_linux_writes_it);
  out.compute_capability = reader.read(&cuda::Api::capability).then([](const cuda::Capability& c) {
    return fmt::format("{}.{}", c.major, c.minor);
  });
  out.memory_total_mib = reader.read(&cuda::Api::memory).then(mib);
  return out;
}

List<CudaDevice> read_devices(cuda::Api& api, bool redact) {
  int count = 0;
  if (const cuda::Code code = api.device_count(count); code != cuda::success)
    return failed("cuDeviceGetCount: " + code_text("cuda_driver", code));
  if (count < 0 || count > most_devices) return failed(fmt::format("cuDeviceGetCount counts {} devices", count));
  std::vector<CudaDevice> devices;
  for (int ordinal = 0; ordinal < count; ++ordinal) devices.push_back(read_device(api, ordinal, redact));
  return devices;
}

Text driver_version(cuda::Api& api) {
  return VendorReader(api, cuda_codes).read(&cuda::Api::driver_version).then([](int version) -> Text {
    if (version < 1000 || version > 1'000'000) return failed(fmt::format("cuDriverGetVersion answers {}", version));
    return cuda_version_text(version);
  });
}

}  // namespace

Nvidia read_cuda(cuda::Api& api, bool redact, const Progress<Nvidia>& report) {
  Nvidia nvidia{.cuda_library = api.library()};
  if (!nvidia.cuda_library.get()) {
    const Missing missing{nvidia.cuda_library.outcome(),
                          "the CUDA driver was not loaded: " + nvidia.cuda_library.why()};
    nvidia.cuda_driver_version = missing;
    nvidia.cuinit_error = failed(missing.why);  // absent would say that it initialised
    nvidia.cuda_devices = missing;
    return nvidia;
  }
  report(nvidia);
  nvidia.cuda_driver_version = driver_version(api);
  report(nvidia);
  if (const cuda::Code code = api.init(); code != cuda::success) {
    nvidia.cuinit_error = code_text("cuda_driver", code);
    nvidia.cuda_devices = failed("cuInit: " + code_text("cuda_driver", code));
    return nvidia;
  }
  nvidia.cuinit_error = absent("CUDA_SUCCESS");
  nvidia.cuda_devices = read_devices(api, redact);
  return nvidia;
}

void start_cuda(Session& session, const std::string& soname_or_path, Limits limits, std::function<void()> over) {
  const bool redact = session.options.redact;
  start_vendor<Nvidia>(
      session, {.probe = "nvidia",
                .library = soname_or_path,
                .limits = limits,
                .section = &Snapshot::nvidia,
                .file = &Nvidia::cuda_library,
                .read =
                    [=](const Trace& trace, const Progress<Nvidia>& report) {
                      return read_cuda(*cuda::open(soname_or_path, trace), redact, report);
                    },
                .not_read =
                    [](const Missing& why) {
                      return Nvidia{
                          .cuda_library = why, .cuda_driver_version = why, .cuinit_error = why, .cuda_devices = why};
                    },
                .over = std::move(over)});
}

}  // namespace envdoctor

#pragma once
// Hosts with OpenCL for the tests of its checks.
#include "tests/support/builders.h"

namespace envdoctor {

inline OpenclDevice opencl_device(const std::string& name, const std::string& type) {
  OpenclDevice device;
  device.name = name;
  device.type = type;
  return device;
}

inline OpenclPlatform opencl_platform(const std::string& name, std::vector<OpenclDevice> devices) {
  OpenclPlatform platform;
  platform.name = name;
  platform.devices = std::move(devices);
  return platform;
}

inline OpenclIcd opencl_icd(const std::string& file, const std::string& library) {
  OpenclIcd icd;
  icd.file = "/etc/OpenCL/vendors/" + file;
  icd.library = library;
  icd.path = "/usr/lib/x86_64-linux-gnu/" + library;
  icd.loads = true;
  icd.platforms = 1;
  return icd;
}

inline OpenclIcd broken_icd(OpenclIcd icd, const std::string& kind, const std::string& error) {
  icd.loads = false;
  icd.platforms = Number();
  icd.error_kind = kind;
  icd.error = error;
  return icd;
}

// The loader, no driver.
inline Snapshot with_loader(Snapshot snapshot) {
  Opencl& opencl = snapshot.opencl.fill();
  OpenclLoader& loader = opencl.loader.fill();
  loader.path = "/usr/lib/x86_64-linux-gnu/libOpenCL.so.1.0.0";
  loader.kind = "ocl-icd";
  loader.vendors_dir = "/etc/OpenCL/vendors";
  loader.variable = absent("no variable is set");
  opencl.icds = std::vector<OpenclIcd>{};
  opencl.platforms = std::vector<OpenclPlatform>{};
  opencl.error = "CL_PLATFORM_NOT_FOUND_KHR";
  opencl.application_platforms = 0;
  return snapshot;
}

inline void add_driver(Snapshot& snapshot, const OpenclIcd& icd, const OpenclPlatform& platform) {
  Opencl& opencl = snapshot.opencl.fill();
  opencl.icds.fill().push_back(icd);
  opencl.platforms.fill().push_back(platform);
  opencl.platforms.get()->back().icd = icd.file;
  opencl.error = absent("CL_SUCCESS");
  opencl.application_platforms = static_cast<std::int64_t>(opencl.platforms.get()->size());
}

inline Snapshot with_pocl(Snapshot snapshot) {
  snapshot = snapshot.opencl.get() ? snapshot : with_loader(std::move(snapshot));
  add_driver(snapshot, opencl_icd("pocl.icd", "libpocl.so.2"),
             opencl_platform("Portable Computing Language", {opencl_device("pthread-EPYC", "cpu")}));
  return snapshot;
}

inline Snapshot with_nvidia_opencl(Snapshot snapshot) {
  snapshot = snapshot.opencl.get() ? snapshot : with_loader(std::move(snapshot));
  add_driver(snapshot, opencl_icd("nvidia.icd", "libnvidia-opencl.so.1"),
             opencl_platform("NVIDIA CUDA", {opencl_device("A100", "gpu")}));
  return snapshot;
}

// One Arc card, driver bound, its node open, Level Zero not probed.
inline Snapshot intel_host() {
  Snapshot snapshot = plain_host();
  snapshot.pci = std::vector<PciDevice>{pci_gpu("0000:03:00.0", "8086", "56a0", "i915")};
  snapshot.device_nodes = std::vector<DeviceNode>{node_at("/dev/dri/renderD128", "render", 104, "0660")};
  return snapshot;
}

// An A100 without a CUDA probe, so that OpenCL is the only known interface.
inline Snapshot cuda_unheard() {
  Snapshot snapshot = healthy_nvidia_host();
  snapshot.nvidia.fill().cuda_devices = List<CudaDevice>();
  return snapshot;
}

}  // namespace envdoctor

#include "tests/support/builders.h"

#include "checks/engine/report.h"

#include <utility>

namespace envdoctor {

PciDevice pci_gpu(std::string address, std::string vendor_id, std::string device_id, Text driver) {
  PciDevice device;
  device.address = std::move(address);
  device.vendor_id = std::move(vendor_id);
  device.device_id = std::move(device_id);
  device.class_ = "0302";
  device.driver = std::move(driver);
  return device;
}

PciDevice pci_a100(std::string address, Text driver) {
  return pci_gpu(std::move(address), "10de", "20b0", std::move(driver));
}

NvidiaDevice nvml_a100(std::int64_t index, std::string address) {
  NvidiaDevice device;
  device.index = index;
  device.name = "NVIDIA A100-SXM4-40GB";
  device.uuid = "GPU-3f2a1b4c";
  device.pci_address = std::move(address);
  device.compute_capability = "8.0";
  device.memory_total_mib = 40960;
  device.memory_free_mib = 40400;
  device.minor = index;
  device.mig = false;
  device.mig_devices = std::vector<MigDevice>{};
  device.compute_mode = "default";
  device.throttle_reasons = std::vector<std::string>{};
  return device;
}

CudaDevice cuda_a100(std::int64_t ordinal, std::string address) {
  CudaDevice device;
  device.ordinal = ordinal;
  device.name = "NVIDIA A100-SXM4-40GB";
  device.uuid = "GPU-3f2a1b4c";
  device.pci_address = std::move(address);
  device.compute_capability = "8.0";
  device.memory_total_mib = 40960;
  return device;
}

Module module_named(std::string name, Text version) { return {.name = std::move(name), .version = std::move(version)}; }

DeviceNode node_at(std::string path, std::string group, std::int64_t gid, std::string mode) {
  DeviceNode node;
  node.path = std::move(path);
  node.owner = "root";
  node.group = std::move(group);
  node.gid = gid;
  node.mode = std::move(mode);
  node.accessible = true;
  return node;
}

DeviceNode closed_node(DeviceNode node, std::string error) {
  node.accessible = false;
  node.error = std::move(error);
  return node;
}

SharedLibrary library_at(std::string soname, std::string path, std::string origin) {
  SharedLibrary library;
  library.soname = std::move(soname);
  library.found = true;
  library.path = std::move(path);
  library.origin = std::move(origin);
  return library;
}

SharedLibrary library_missing(std::string soname) {
  SharedLibrary library;
  library.soname = std::move(soname);
  library.found = false;
  return library;
}

Symptom symptom_of(const Kind& kind, std::map<std::string, std::string> details, std::string source) {
  Symptom symptom{.class_ = std::string(text(kind.class_)), .subject = std::string(kind.subject)};
  if (const auto code = details.find("code"); code != details.end()) {
    symptom.code = code->second;
    details.erase(code);
  }
  symptom.source = std::move(source);
  symptom.line = 1;
  symptom.details = std::move(details);
  return symptom;
}

Snapshot plain_host() {
  Snapshot snapshot;
  HostFacts& host = snapshot.host.fill();
  host.platform = "linux";
  host.os = "Ubuntu 22.04.4 LTS";
  host.kernel = "5.15.0-105-generic";
  host.arch = "x86_64";
  host.container = "none";
  host.virtualization = "none";
  host.secure_boot = false;
  User& user = host.user.fill();
  user.uid = 1000;
  user.groups = std::vector<std::int64_t>{1000};
  snapshot.pci = std::vector<PciDevice>{};
  snapshot.modules = std::vector<Module>{};
  snapshot.device_nodes = std::vector<DeviceNode>{};
  snapshot.env = std::map<std::string, Text>{};
  snapshot.libraries =
      std::vector<SharedLibrary>{library_missing("libcuda.so.1"), library_missing("libnvidia-ml.so.1")};
  snapshot.toolkits = std::vector<Toolkit>{};
  Nvidia& nvidia = snapshot.nvidia.fill();
  nvidia.kernel_driver_version = absent("/proc/driver/nvidia/version does not exist");
  nvidia.nvml_library = absent("libnvidia-ml.so.1 not found");
  nvidia.cuda_library = absent("libcuda.so.1 not found");
  return snapshot;
}

Snapshot healthy_nvidia_host() {
  Snapshot snapshot = plain_host();
  snapshot.pci = std::vector<PciDevice>{pci_a100()};
  snapshot.modules = std::vector<Module>{module_named("nvidia", "550.54.14"), module_named("nvidia_uvm")};
  snapshot.device_nodes =
      std::vector<DeviceNode>{node_at("/dev/nvidia-uvm"), node_at("/dev/nvidia0"), node_at("/dev/nvidiactl")};
  snapshot.libraries = std::vector<SharedLibrary>{
      library_at("libcuda.so.1", "/usr/lib/x86_64-linux-gnu/libcuda.so.550.54.14"),
      library_at("libnvidia-ml.so.1", "/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.550.54.14")};
  Nvidia& nvidia = snapshot.nvidia.fill();
  nvidia.kernel_driver_version = "550.54.14";
  nvidia.kernel_module_kind = "open";
  nvidia.userspace_driver_version = "550.54.14";
  nvidia.nvml_library = "/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.550.54.14";
  nvidia.nvml_error = absent("initialised");
  nvidia.cuda_library = "/usr/lib/x86_64-linux-gnu/libcuda.so.550.54.14";
  nvidia.cuda_driver_version = "12.4";
  nvidia.cuinit_error = absent("CUDA_SUCCESS");
  nvidia.proc_gpus = std::vector<NvidiaProcGpu>{{.address = "0000:65:00.0", .minor = 0}};
  nvidia.devices = std::vector<NvidiaDevice>{nvml_a100()};
  nvidia.cuda_devices = std::vector<CudaDevice>{cuda_a100()};
  nvidia.processes = std::vector<NvidiaProcess>{};
  nvidia.xid = std::vector<Xid>{};
  return snapshot;
}

Snapshot in_docker(Snapshot snapshot) {
  snapshot.host.fill().container = "docker";
  return snapshot;
}

Answers answers_of_all(const std::vector<std::string>& ids, const Snapshot& snapshot) {
  Report report = judge(snapshot, {.only = ids});
  return {.findings = std::move(report.findings), .results = std::move(report.checks)};
}

Answers answers_of(const std::string& id, const Snapshot& snapshot) { return answers_of_all({id}, snapshot); }

const Finding* finding_of(const Answers& answers, const std::string& id) {
  for (const Finding& finding : answers.findings) {
    if (finding.id == id) return &finding;
  }
  return nullptr;
}

std::string state_of(const Answers& answers, const std::string& id) {
  if (finding_of(answers, id)) return "failed";
  std::string state = "nothing";
  for (const CheckResult& result : answers.results) {
    if (result.id != id) continue;
    if (result.state == CheckState::unknown) return "unknown";
    state = result.state == CheckState::passed ? "passed" : "not-applicable";
  }
  return state;
}

std::string state_of(const std::string& id, const Snapshot& snapshot) { return state_of(answers_of(id, snapshot), id); }

std::vector<std::string> paths_of(const Finding& finding) {
  std::vector<std::string> paths;
  for (const Evidence& evidence : finding.evidence) paths.push_back(evidence.path);
  return paths;
}

}  // namespace envdoctor

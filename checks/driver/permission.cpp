// driver.permission: a node exists and this user may not open it (EACCES). A container's cgroup (EPERM) is a different
// matter.
#include "checks/driver/node_access.h"
#include "checks/driver/nvidia_facts.h"
#include "checks/visibility/settings.h"

namespace envdoctor::driver_permission {

using enum SymptomClass;

struct Refused {
  std::size_t index = 0;
  const DeviceNode* node = nullptr;
};

// Nodes that CUDA must open; the others (modeset, caps, uvm-tools) are for other purposes.
bool cuda_needs(const DeviceNode& node) {
  return node.path.is("/dev/nvidiactl") || node.path.is("/dev/nvidia-uvm") || is_card_node(node);
}

bool rocm_is_meant(const Snapshot& snapshot) {
  return of(snapshot.rocm, &Rocm::version).get() || of(snapshot.rocm, &Rocm::hip_library).get() ||
         of(snapshot.torch, &Torch::hip_version).get() || torch_is_for_rocm(snapshot);
}

std::string subject_of(const std::string& path, const Snapshot& snapshot) {
  for (const RocmDevice& device : of(snapshot.rocm, &Rocm::devices).or_empty()) {
    if (device.render_node.is(path) && device.pci_address.get()) return "gpu:" + address_of(device.pci_address);
  }
  for (const NvidiaProcGpu& gpu : of(snapshot.nvidia, &Nvidia::proc_gpus).or_empty()) {
    if (gpu.minor.get() && path == fmt::format("/dev/nvidia{}", *gpu.minor.get()) && gpu.address.get())
      return "gpu:" + address_of(gpu.address);
  }
  return "host";
}

Fix remedy(const Snapshot& snapshot, const DeviceNode& node) {
  const std::string group = node.group.or_empty();
  const std::string gid = node.gid.get() ? fmt::format("{}", *node.gid.get()) : group;
  if (mode_gives(node, 2) && !group.empty() && group != "root") {
    if (nvidia::contained(snapshot))
      return {.text = fmt::format("Give the process the node's group by number: start the container with --group-add "
                                  "{} (Kubernetes: supplementalGroups).",
                                  gid)};
    const bool by_name = group.find_first_not_of("0123456789") != std::string::npos;
    return {.text = "Add this user to the group " + group + ", then log out and in again.",
            .command = by_name ? host_command(snapshot, "sudo usermod -aG " + group + " $USER") : ""};
  }
  if (node.path.get()->starts_with("/dev/nvidia"))
    return {.text = on_the_host(snapshot) +
                    "the node's mode keeps users out. Look for NVreg_DeviceFileMode under /etc/modprobe.d (0666 is the "
                    "driver's own choice) and for udev rules that change it."};
  return {.text =
              on_the_host(snapshot) +
              "the node belongs to root alone; a udev rule of the distribution usually gives it to the group render."};
}

void report_finding(const Snapshot& snapshot, const std::vector<Refused>& refused, Severity severity,
                    Answers& answers) {
  const DeviceNode& first = *refused.front().node;
  Finding& finding = answers.found_on(refused.size() == 1 ? subject_of(*first.path.get(), snapshot) : "host");
  finding.severity = severity;
  finding.explanation = "Opening " + *first.path.get() + " for reading and writing was refused to this user.";
  if (first.group.get() && first.mode.get())
    finding.explanation +=
        fmt::format(" The node belongs to the group {} and has mode {}.", *first.group.get(), *first.mode.get());
  for (const Refused& one : refused)
    finding.evidence.push_back(
        evidence(at("/device_nodes", one.index, "error"), *one.node->path.get() + ": " + *one.node->error.get()));
  finding.fix = {remedy(snapshot, first)};
}

void judge(const Snapshot& snapshot, Answers& answers) {
  std::vector<Refused> cuda, amd, render;
  for (const auto& [i, node] : numbered(snapshot.device_nodes)) {
    if (!node.path.get() || !node.accessible.is(false) || !node.error.is("EACCES") || refused_by_policy(snapshot, node))
      continue;
    const std::string& path = *node.path.get();
    if (cuda_needs(node)) cuda.push_back({i, &node});
    if (path == "/dev/kfd" || path == "/dev/dxg") amd.push_back({i, &node});
    if (path.starts_with("/dev/dri/renderD")) render.push_back({i, &node});
  }
  const auto gpus = gpus_of(snapshot);
  const auto has = [&](Vendor vendor) {
    return std::ranges::any_of(gpus, [&](const Gpu& gpu) { return gpu.vendor == vendor && gpu.granted; });
  };
  const bool works = nvidia::cuda_works(snapshot).has_value();
  const std::size_t before = answers.findings.size();
  if (!cuda.empty()) report_finding(snapshot, cuda, nvidia::fault_severity(snapshot), answers);
  if (amd.empty() && has(Vendor::amd)) amd = render;
  if (!amd.empty()) {
    const Severity severity = works ? Severity::warning : Severity::error;
    report_finding(snapshot, amd, rocm_is_meant(snapshot) ? severity : Severity::info, answers);
  } else if (has(Vendor::intel) && !has(Vendor::nvidia) && !render.empty()) {
    const bool meant =
        of(snapshot.level_zero, &LevelZero::library).get() ||
        first_symptom(snapshot, {{missing, "sycl-device"}, {missing, "opencl-platform"}, {missing, "opencl-device"}});
    report_finding(snapshot, render, meant ? Severity::error : Severity::info, answers);
  }
  const bool found = answers.findings.size() > before;
  if (!found && !works && nvidia::nvml(snapshot).is(nvml_error::no_permission)) {
    Finding& finding = nvidia::fault(answers, snapshot, Confidence::likely, nvidia::nvml_evidence(snapshot));
    finding.explanation = "NVML says that this user lacks the permission: the device nodes may not be opened.";
    finding.fix = {
        {.text =
             "Look at ls -l /dev/nvidia* : group and mode tell who may open them (the driver's own choice is 0666). In "
             "a container SELinux may also be in the way (setsebool container_use_devices=true on the host)."}};
  }
  if (gpus.empty() && !nvidia::not_here(snapshot).empty()) return answers.not_applicable("no GPU");
  snapshot.device_nodes.get() || works ? answers.passed()
                                       : answers.unknown(why_unknown("/device_nodes", snapshot.device_nodes));
}

// sycl-ls that lists devices, and no GPU among them.
bool sycl_lists_no_gpu(const Facts& facts) {
  const auto& devices = facts.all({present, "sycl-device"});
  return !devices.empty() &&
         std::ranges::none_of(devices, [](const Symptom* one) { return one->detail("type") == "gpu"; });
}

// The text says that it works for root but not for the user, and something failed for the user.
bool root_is_served(const Facts& facts) {
  const auto& lines = facts.all({refused, "user-without-root"});
  const bool said = std::ranges::any_of(lines, [](const Symptom* one) { return one->detail("neither").empty(); });
  const bool none_by_torch = of(facts.snapshot().torch, &Torch::cuda_available).is(false);
  return said && when::no_driver_answers(facts) &&
         (none_by_torch || sycl_lists_no_gpu(facts) ||
          facts.saw({{failed, "hsa"},
                     {failed, "cuda-call"},
                     {missing, "sycl-device"},
                     {missing, "cuda"},
                     {missing, "visible-gpu"},
                     {missing, "any-gpu"},
                     {missing, "gpu"},
                     {missing, "cuda-device"},
                     {missing, "hip-device"},
                     {missing, "available-gpu"},
                     {missing, "opencl-device"},
                     {missing, "opencl-platform"},
                     {missing, "any-opencl"},
                     {failed, "cuinit"},
                     {failed, "cuda"},
                     {missing, "driver"},
                     {missing, "any-driver"},
                     {missing, "nvml-device"},
                     {refused, "any-gpu"}}));
}

// No CUDA device is found, and an option of the kernel module keeps users out of its nodes.
bool none_found(const Facts& facts) { return !facts.used() && visibility::no_device_answered(facts); }

bool opencl_not_asked(const Facts& facts) { return !when::opencl_asked(facts); }

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "driver.permission",
      .layer = Layer::device_node,
      .severity = Severity::error,
      .title = "This user may not open the GPU's device nodes",
      .claim = "The nodes exist, and opening them for reading and writing is refused to this user.",
      .proof = "Opening the device node answers EACCES for this user.",
      .disproof = "This user opens the nodes.",
      .remedy = "Add the user to the nodes' group; in a container, pass that group on.",
      .explains = with_unusable_driver({"driver.init-failed", "opencl.permission"}),
      .symptoms =
          {
              {{refused, "device-node"}, likely},
              {{refused, "tool-without-root"}, likely},
              {{refused, "user-without-root"}, likely, root_is_served},
              {{refused, "nodes-by-module-option"}, likely, none_found},
              {{refused, "driver-daemon"}, likely, not_used},
              {{limited, "kfd-node"}, likely},
              {{refused, "kfd-node"}, certain},
              {{refused, "render-node"}, likely, opencl_not_asked},
          },
      .judge_host = judge,
  };
}

}  // namespace envdoctor::driver_permission

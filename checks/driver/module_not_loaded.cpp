// driver.module-not-loaded: user-space parts of the driver are installed, but the kernel module is not loaded. For AMD
// and Intel GPUs, whose drivers come with the kernel: nothing is bound to the GPU.
#include "checks/driver/nvidia_facts.h"

namespace envdoctor::driver_module_not_loaded {

using enum SymptomClass;

bool held_by_another(const Gpu& gpu) { return !gpu.driver.empty() && gpu.driver != "nvidia"; }

// The evidence that the module is not loaded.
Evidence not_running(const Snapshot& snapshot) {
  if (snapshot.modules.get()) return evidence("/modules", "no nvidia");
  const Symptom* line = first_symptom(snapshot, {{missing, "kernel-driver"}});
  return line ? evidence(*line, "kernel driver not running") : evidence("/nvidia/kernel_driver_version", "none");
}

Finding& report_nvidia(const Snapshot& snapshot, Confidence confidence, Answers& answers) {
  std::vector<Evidence> proof;
  if (nvidia::kernel_driver_runs(snapshot).is(false)) proof.push_back(not_running(snapshot));
  Finding& finding =
      nvidia::fault(answers, snapshot, confidence, nvidia::joined(std::move(proof), nvidia::nvml_evidence(snapshot)));
  finding.explanation =
      "Libraries of the driver are installed, and the running kernel has no nvidia module loaded. Mostly none was "
      "built for this kernel: its headers or DKMS are missing, or the last update failed.";
  if (nvidia::libcuda(snapshot).get()) finding.evidence.push_back(nvidia::libcuda_evidence(snapshot));
  if (const Text kernel = of(snapshot.host, &HostFacts::kernel); kernel.get())
    finding.evidence.push_back(evidence("/host/kernel", *kernel.get()));
  finding.fix = {on_host(snapshot, "load the module; its own words tell why it doesn't load.", "sudo modprobe nvidia"),
                 {.text = on_the_host(snapshot) +
                          "if no module is found for this kernel, install the kernel's headers and let DKMS build it.",
                  .command = install_kernel_headers(snapshot)}};
  if (const auto distro = distro_of(snapshot); distro == Distro::debian || distro == Distro::ubuntu)
    finding.fix.push_back({.text = "Build what DKMS has registered for this kernel.",
                           .command = host_command(snapshot, "sudo dkms autoinstall")});
  return finding;
}

// The kernel's tools say that no module was built for this kernel.
const Symptom* no_module_built(const Facts& facts) {
  for (const Symptom* line : facts.all({missing, "kernel-module"})) {
    const std::string module = line->detail("module");
    if (module.empty() || module.starts_with("nvidia") || module.starts_with("nvgpu")) return line;
  }
  return facts.first({{mismatch, "kernel-module"}});
}

void judge_nvidia(const Facts& facts, Answers& answers) {
  const Snapshot& snapshot = facts;
  if (const std::string why = nvidia::not_here(snapshot); !why.empty()) return answers.not_applicable(why);
  if (nvidia::on_wsl(snapshot)) return answers.not_applicable("WSL uses the driver of Windows");
  const Flag runs = nvidia::kernel_driver_runs(snapshot);
  if (runs.is(true)) return answers.passed();
  if (const Symptom* line = no_module_built(facts); line && !facts.saw({{refused, "kernel-module-signature"}})) {
    Finding& finding = report_nvidia(snapshot, Confidence::likely, answers);
    finding.explanation = "No nvidia module was built for the running kernel.";
    if (line->detail("module").starts_with("nvgpu")) {
      finding.explanation = "The running kernel has no nvgpu, the driver of a Jetson's GPU, among its modules.";
      finding.fix = {{.text = "Install the modules of this kernel (an image of Yocto has them in kernel-modules)."}};
    }
    finding.evidence.insert(finding.evidence.begin(), evidence(*line));
    return;
  }
  if (!runs.get()) return answers.unknown(why_unknown("/modules", runs));
  const auto gpus = nvidia::gpus(snapshot);
  if (!gpus.empty() && std::ranges::all_of(gpus, held_by_another))
    return answers.not_applicable("another driver holds the GPU");
  if (gpus.empty() && snapshot.pci.get() && !from_report(snapshot))
    return answers.not_applicable("the bus holds no NVIDIA GPU, so no module is missing");
  const Flag installed = nvidia::user_space_installed(snapshot);
  if (installed.is(false)) return answers.not_applicable("no part of the driver is installed");
  if (!installed.get()) return answers.unknown(why_unknown("/libraries: libcuda.so.1", installed));
  const bool bus_agrees = !gpus.empty() && snapshot.modules.get();
  // Without a GPU on the bus the library alone proves nothing: many machines without a GPU have it.
  report_nvidia(snapshot,
                bus_agrees           ? Confidence::certain
                : snapshot.pci.get() ? Confidence::likely
                                     : Confidence::possible,
                answers);
}

// A discrete AMD or Intel GPU without any driver on a system that may load some.
void judge_in_kernel(const Snapshot& snapshot, Answers& answers) {
  for (const Gpu& gpu : gpus_of(snapshot)) {
    const PciDevice* device = pci_device(snapshot, gpu);
    const bool amd = gpu.vendor == Vendor::amd;
    if ((!amd && gpu.vendor != Vendor::intel) || !device || !gpu.granted || device->driver.outcome() != Outcome::absent)
      continue;
    Finding& finding = answers.found_on(gpu.subject());
    finding.severity = gpu.integrated ? Severity::info : Severity::error;
    finding.confidence = Confidence::likely;
    finding.title = "No kernel driver is bound to the GPU";
    finding.explanation = amd ? "The driver amdgpu comes with the kernel; here it is not bound to the GPU: not loaded, "
                                "blacklisted, without its firmware, or the kernel is older than the GPU."
                              : "The drivers i915 and xe come with the kernel; here none is bound to the GPU: not "
                                "loaded, blacklisted, without firmware, or the kernel is older than the GPU.";
    finding.evidence = {evidence(gpu.in_pci("driver"), "none")};
    if (const Text kernel = of(snapshot.host, &HostFacts::kernel); kernel.get())
      finding.evidence.push_back(evidence("/host/kernel", *kernel.get()));
    finding.fix = {on_host(snapshot, "load the module and read what the kernel log says about it.",
                           amd ? "sudo modprobe amdgpu" : "")};
  }
}

// rocminfo's message about amdgpu. It looks for the module in sysfs, which a container shares with its host, and for
// the node in /dev: if it doesn't mention the module, a missing node means the same only outside containers.
void judge_amdgpu(const Facts& facts, Answers& answers) {
  if (facts.wsl()) return;  // its kernel reaches the GPU through Windows, without amdgpu
  const bool by_node = !facts.container() && !node_of(facts, "/dev/kfd") &&
                       !facts.saw({{present, "amdgpu-kernel-module"}, {noted, "container-start"}});
  const Symptom* line = facts.first({{missing, "amdgpu-kernel-module"}});
  if (!line && by_node) line = facts.first({{missing, "kfd-node"}});
  // A bus that holds no GPU at all needs no module.
  const bool bus_is_empty = facts.snapshot().pci.get() && gpus_of(facts).empty();
  // Older cards may belong to radeon, which is another diagnosis.
  const bool held = std::ranges::any_of(gpus_of(facts), [](const Gpu& gpu) { return gpu.driver == "radeon"; });
  if (!line || bus_is_empty || held || module_loaded(facts, "amdgpu").is(true)) return;
  Finding& finding = answers.found_in(*line, Confidence::likely);
  finding.title = "The kernel module amdgpu is not loaded";
  finding.explanation = "ROCm is installed and finds no amdgpu in the running kernel.";
  finding.fix = {{.text = "Load the module; the kernel log tells why it doesn't load.",
                  .command = "sudo modprobe amdgpu; sudo dmesg | grep amdgpu"}};
}

// A discrete GPU of Intel, and a list of modules without i915.
void judge_intel(const Facts& facts, Answers& answers) {
  const Symptom* line = facts.first({{missing, "intel-kernel-module"}});
  if (!line || facts.wsl() || facts.with({present, "sycl-device"}, "type", "gpu")) return;
  for (const Gpu& gpu : gpus_of(facts)) {
    if (gpu.vendor != Vendor::intel || gpu.integrated || !gpu.driver.empty()) continue;
    Finding& finding = answers.found_in(*line, Confidence::likely, gpu.subject());
    finding.title = "Intel's kernel module is not loaded";
    finding.explanation = "Neither i915 nor xe is in the list of loaded modules, and the bus holds a GPU for them.";
    finding.fix = {{.text = "Load the module; the kernel log tells why it doesn't load. A data center GPU may need "
                            "Intel's own i915 for this kernel.",
                    .command = "sudo modprobe i915; sudo dmesg | grep -E 'i915|xe'"}};
    return;
  }
}

bool not_rejected(const Facts& facts) {
  return !nvidia::driver_answers(facts) && !facts.saw({{refused, "kernel-module-signature"}});
}

// modprobe found the module, which left again because it had no device: nothing says that it ignores an existing one.
void judge_without_device(const Facts& facts, Answers& answers) {
  const Symptom* line = facts.first({{missing, "device-for-kernel-module"}});
  if (!line || !not_rejected(facts) || facts.saw({{unsupported, "gpu"}, {too_old, "gpu"}, {ignored, "driver-probe"}}))
    return;
  Finding& finding = answers.found_in(*line, Confidence::possible);
  finding.title = "The driver's kernel module finds no GPU that it may drive";
  finding.explanation =
      "The module was found and loaded, and left because no device was there for it: no NVIDIA GPU is on the bus, "
      "another driver holds it (nouveau, vfio-pci), or this series of the driver doesn't know it.";
  finding.fix = {
      {.text = "See whether the GPU is on the bus, and which driver holds it.", .command = "lspci -nnk -d 10de:"},
      {.text = "The kernel's log tells whether this series of the driver left it out.",
       .command = "sudo dmesg | grep -iE 'nvrm|nouveau|vfio'"}};
}

// A network card can't register the GPU's memory, which CUDA had allocated.
void judge_peer_memory(const Facts& facts, Answers& answers) {
  const Symptom* line = facts.first({{failed, "rdma-registration"}});
  if (!line || !facts.saw({{noted, "rdma-of-gpu"}})) return;
  Finding& finding = answers.found_in(*line, Confidence::possible);
  finding.title = "The module that shows GPU memory to network cards is not loaded";
  finding.explanation =
      "CUDA gave the memory, and the network card could not register it: that takes nvidia-peermem (AMD: a kernel with "
      "peer-to-peer support), and a GPU or vGPU profile that allows GPUDirect RDMA.";
  finding.fix = {{.text = "Load the module on the host, and try again.",
                  .command = "sudo modprobe nvidia-peermem; lsmod | grep peermem"}};
}

void judge(const Facts& facts, Answers& answers) {
  judge_peer_memory(facts, answers);
  if (!facts.saw({{SymptomClass::missing, "gpu-firmware"}})) judge_in_kernel(facts, answers);
  judge_intel(facts, answers);
  judge_nvidia(facts, answers);
  judge_amdgpu(facts, answers);
  judge_without_device(facts, answers);
}

// Where xe declines a GPU, i915 mostly drives it, and the other way round.
bool no_intel_driver_started(const Facts& facts) {
  return not_rejected(facts) && !facts.saw({{present, "intel-driver"}});
}

bool not_on_wsl(const Facts& facts) { return !facts.wsl(); }

// The persistence daemon and the container toolkit's service end at once where they reach no driver.
bool not_on_wsl_and_no_better(const Facts& facts) { return when::no_better_cause(facts) && !when::wsl_or_named(facts); }

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "driver.module-not-loaded",
      .layer = Layer::kernel_driver,
      .severity = Severity::error,
      .title = "The GPU's driver is installed and its kernel module is not loaded",
      .claim = "User-space parts of the driver are there and the running kernel has no module of it.",
      .proof =
          "The GPU is on the bus, driver files are installed, and no module is loaded or it doesn't fit this kernel.",
      .disproof = "The module is in the list of loaded modules, or no part of the driver is installed.",
      .remedy =
          "Load it with modprobe nvidia or modprobe amdgpu; if that finds none, install the headers of the running "
          "kernel and let DKMS build it.",
      .explains = with_unusable_driver({"driver.device-nodes-missing", "driver.init-failed"}),
      .symptoms =
          {
              helped_by("module-loaded"),
              {{failed, "kernel-module"}, possible, not_rejected},
              {{unsupported, "gpu-of-intel-driver"}, possible, no_intel_driver_started},
              {{missing, "kernel-headers"}, possible, not_rejected},
              {{missing, "driver-for-container-toolkit"}, possible, not_on_wsl},
              {{failed, "driver-daemon"}, possible, not_on_wsl_and_no_better},
              {{failed, "container-driver-service"}, possible, not_on_wsl_and_no_better},
              {{missing, "initramfs-module"}, possible},
          },
      .judge = judge,
  };
}

}  // namespace envdoctor::driver_module_not_loaded

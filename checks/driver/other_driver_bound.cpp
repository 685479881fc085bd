// driver.other-driver-bound: a kernel driver without compute support is bound to the GPU: one that passes it on to
// virtual machines, or a new one that lacks it so far. nouveau has its own diagnosis.
#include "checks/driver/nvidia_facts.h"

namespace envdoctor::driver_other_driver_bound {

using enum SymptomClass;

bool hands_on(std::string_view driver) {
  return driver == "vfio-pci" || driver == "pci-stub" || driver == "pciback" || driver == "xen-pciback" ||
         driver == "uio_pci_generic" || driver == "igb_uio";
}

bool is_other(std::string_view driver) { return hands_on(driver) || driver == "nova_core" || driver == "nova-core"; }

void describe(Finding& finding, const std::string& driver, const Snapshot& snapshot) {
  finding.title = "The driver " + driver + " holds the GPU";
  if (hands_on(driver)) {
    finding.explanation =
        "The driver bound to the GPU is " + driver +
        ", which hands it on to virtual machines or to user space; the vendor's driver can't take it.";
    finding.fix = {on_host(snapshot,
                           "take the GPU's ids out of the pass-through configuration (vfio-pci.ids= on the kernel's "
                           "command line, options vfio-pci ids= under /etc/modprobe.d), rebuild the initramfs and "
                           "reboot; or run this inside the virtual machine that was given the GPU.",
                           "grep -rs vfio /proc/cmdline /etc/modprobe.d")};
    return;
  }
  const bool early = driver.starts_with("nova");
  finding.explanation = "The driver bound to the GPU is " + driver +
                        (early ? ", an early open driver of the kernel that offers no CUDA."
                               : ", which is not the vendor's; the vendor's driver can't take the GPU.");
  const std::string module = early ? "nova_core" : "that driver's module";
  finding.fix = {on_host(snapshot, "keep " + module + " from loading (put 'blacklist " + (early ? module : "NAME") +
                                       "' into a file under /etc/modprobe.d), install NVIDIA's driver, rebuild the "
                                       "initramfs and reboot.")};
}

// This host has another GPU to compute with, so passing this one on was intended.
bool another_is_free(const std::vector<Gpu>& gpus) {
  return std::ranges::any_of(gpus, [](const Gpu& gpu) {
    return gpu.granted && !gpu.integrated && !is_other(gpu.driver) && !gpu.driver.empty();
  });
}

void judge(const Facts& facts, Answers& answers) {
  const Snapshot& snapshot = facts;
  const auto gpus = gpus_of(snapshot);
  const bool works = facts.used() || facts.driver_works() || nvidia::cuda_works(snapshot);
  bool found = false, known = false;
  for (const Gpu& gpu : gpus) {
    const PciDevice* device = pci_device(snapshot, gpu);
    known = known || (device && device->driver.outcome() != Outcome::not_probed);
    if (!is_other(gpu.driver)) continue;
    found = true;
    Finding& finding = answers.found_on(gpu.subject());
    finding.evidence = {evidence(gpu.in_pci("driver"), gpu.driver)};
    describe(finding, gpu.driver, snapshot);
    if (works || another_is_free(gpus)) finding.severity = hands_on(gpu.driver) ? Severity::info : Severity::warning;
  }
  if (found) return;
  if (known) return answers.passed();
  const Symptom* line = facts.first({{present, "other-driver"}});
  if (line && !works && !facts.saw({{present, "bound-driver"}})) {
    const std::string driver = line->detail("driver") == "NovaCore" ? "nova_core" : line->detail("driver");
    // Other cards are passed on as well, and not every line names the card.
    const bool of_gpu = !hands_on(driver) || !line->detail("of").empty();
    Finding& finding = answers.found_in(*line, of_gpu ? Confidence::likely : Confidence::possible);
    return describe(finding, driver.empty() ? "another driver" : driver, snapshot);
  }
  answers.unknown(snapshot.pci.get() ? "which driver is bound to the GPU is not known"
                                     : why_unknown("/pci", snapshot.pci));
}

// The driver radeon draws, and OpenCL of Mesa may run on it; what AMD offers for computing needs amdgpu.
bool finds_no_compute(const Facts& facts) {
  return !facts.used() && facts.saw({{missing, "opencl-platform"},
                                     {missing, "opencl-device"},
                                     {missing, "any-opencl"},
                                     {missing, "kfd-node"},
                                     {missing, "hip-device"},
                                     {missing, "any-gpu"}});
}

Diagnosis diagnosis() {
  return {
      .id = "driver.other-driver-bound",
      .layer = Layer::kernel_driver,
      .severity = Severity::error,
      .title = "A driver without compute holds the GPU",
      .claim =
          "The GPU is bound to a driver for virtual machines (vfio-pci) or to one that offers no compute yet "
          "(nova_core), so the vendor's driver can't take it.",
      .proof = "The bus shows that driver as the GPU's.",
      .disproof = "The driver bound to the GPU is the vendor's.",
      .remedy = "Take the GPU out of the pass-through configuration or blacklist that driver, and reboot.",
      .explains = with_unusable_driver({"driver.module-not-loaded", "driver.not-installed",
                                        "driver.device-nodes-missing", "driver.gpu-init-failed", "driver.init-failed",
                                        "driver.nouveau-bound", "hardware.no-gpu"}),
      .symptoms = {{{present, "driver-without-compute"}, Confidence::possible, finds_no_compute}},
      .judge = judge,
  };
}

}  // namespace envdoctor::driver_other_driver_bound

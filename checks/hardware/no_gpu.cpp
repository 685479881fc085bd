// hardware.no-gpu: neither the bus nor any driver shows a device that can compute.
#include "checks/driver/nvidia_facts.h"

namespace envdoctor::hardware_no_gpu {

using enum SymptomClass;

bool set_aside(const Gpu& gpu) { return gpu.driver == "vfio-pci" || gpu.driver == "pciback"; }

// A node that only a GPU's driver creates, Jetson's included. A node without a driver proves nothing: NVIDIA's
// libraries create nodes wherever root runs them.
const DeviceNode* gpu_node(const Snapshot& snapshot) {
  for (const char* prefix : {"/dev/nvidia", "/dev/nvhost", "/dev/kfd", "/dev/dri/renderD", "/dev/dxg"}) {
    for (const DeviceNode* node : nodes_under(snapshot, prefix)) {
      if (!node->error.is("ENXIO") && !node->error.is("ENODEV")) return node;
    }
  }
  return nullptr;
}

// The adapter by which a virtual machine of Windows reaches the GPUs of its host (Linux: drivers/hv/dxgkrnl).
bool is_passage_to_windows(const PciDevice& device) {
  return device.vendor_id.is("1414") && device.device_id.is("008e");
}

// The bus is known only from a text.
bool pasted(const Snapshot& snapshot) { return snapshot.log.get() && from_report(snapshot); }

void all_set_aside(const std::vector<Gpu>& gpus, bool whole, Answers& answers) {
  Finding& finding = answers.found();
  finding.confidence = whole ? Confidence::certain : Confidence::possible;
  finding.title = "Every GPU is set aside for virtual machines";
  finding.explanation =
      "The GPUs are bound to a driver that hands them on to virtual machines, so nothing on this system can use them.";
  for (const Gpu& gpu : gpus) finding.evidence.push_back(evidence(gpu.in_pci("driver"), gpu.driver));
  finding.fix = {{.text = "Run this inside the virtual machine that holds the GPU, or take the GPU out of the "
                          "pass-through configuration."}};
}

void none_at_all(const Snapshot& snapshot, Answers& answers) {
  Finding& finding = answers.found();
  const bool bus_seen = snapshot.pci.get() != nullptr;
  const auto displays = snapshot.pci.or_empty().size();
  // A pasted list may be only part of the bus: `lspci | grep VGA` leaves data-centre cards out.
  finding.confidence = pasted(snapshot) ? Confidence::possible : bus_seen ? Confidence::certain : Confidence::likely;
  finding.explanation = fmt::format("{}{}. Programs will run on the CPU.",
                                    bus_seen ? "The PCI bus was read and holds no NVIDIA, AMD or Intel GPU"
                                             : "This system has no PCI bus, and no driver lists a GPU",
                                    displays > 0 ? "; what it holds are display adapters that can't compute" : "");
  finding.evidence = {evidence("/pci", bus_seen ? fmt::format("{} display devices", displays) : snapshot.pci.why())};
  const Text virtualization = of(snapshot.host, &HostFacts::virtualization);
  const bool guest = virtualization.value_or("none") != "none";
  if (guest) finding.evidence.push_back(evidence("/host/virtualization", *virtualization.get()));
  finding.fix = {
      {.text = guest ? "This is a virtual machine: choose an instance type with a GPU, or pass one on to it from the "
                       "hypervisor."
                     : "If a card is built in, check its seat and power cables and whether the firmware lists it."}};
}

void judge(const Snapshot& snapshot, Answers& answers) {
  const auto gpus = gpus_of(snapshot);
  if (!gpus.empty()) {
    if (std::ranges::all_of(gpus, set_aside)) return all_set_aside(gpus, !pasted(snapshot), answers);
    return answers.passed();
  }
  if (nvidia::driver_answers(snapshot)) return answers.passed();
  if (snapshot.pci.outcome() == Outcome::not_probed || snapshot.pci.outcome() == Outcome::failed)
    return answers.unknown(why_unknown("/pci", snapshot.pci));
  if (nvidia::on_wsl(snapshot) || std::ranges::any_of(snapshot.pci.or_empty(), is_passage_to_windows))
    return answers.unknown("WSL2 shows no GPU on the PCI bus even where it has one");
  if (const DeviceNode* node = gpu_node(snapshot))
    return answers.unknown(*node->path.get() + " exists, so a GPU may be there that the bus doesn't show");
  none_at_all(snapshot, answers);
}

// Colab gives a session a GPU only where its user chose one and one was free; the driver comes with it.
void judge_colab(const Facts& facts, Answers& answers) {
  const Symptom* colab = facts.first({{noted, "colab"}});
  const bool none =
      facts.saw({{missing, "driver"}, {missing, "libcuda"}, {missing, "any-gpu"}, {missing, "available-gpu"}}) ||
      nvidia::cuinit(facts).is(cuda_error::no_device);
  if (!colab || !none || !from_report(facts) || !when::no_driver_answers(facts)) return;
  Finding& finding = answers.found_in(*colab, Confidence::likely);
  finding.title = "The Colab session has no GPU";
  finding.explanation =
      "In Colab a driver is there whenever a GPU is. A program finds none, so this session runs on a machine without.";
  finding.fix = {{.text = "Choose Runtime > Change runtime type > a GPU, and run the cells again. If none is offered, "
                          "the quota is used up for the day."}};
}

// A program asks for CUDA on macOS, for which NVIDIA has made no driver since 10.13.
void judge_macos(const Facts& facts, Answers& answers) {
  const Symptom* driver = facts.first({{missing, "any-driver"}, {missing, "driver"}, {missing, "libcuda"}});
  if (!driver || !nvidia::on_platform(facts, "macos")) return;
  Finding& finding = answers.found_in(*driver, Confidence::likely);
  finding.title = "macOS has no GPU for CUDA";
  finding.explanation = "The program looks for NVIDIA's driver, and there is none for macOS since 10.13.";
  finding.fix = {{.text = "Use a build for Metal (PyTorch: device mps) or OpenCL, or a machine with an NVIDIA GPU."}};
}

void judge_texts(const Facts& facts, Answers& answers) {
  judge_colab(facts, answers);
  judge_macos(facts, answers);
}

Diagnosis diagnosis() {
  return {
      .id = "hardware.no-gpu",
      .layer = Layer::hardware,
      .severity = Severity::error,
      .title = "This machine shows no GPU",
      .claim = "The PCI bus, the drivers and the device nodes show no NVIDIA, AMD or Intel GPU.",
      .proof = "The bus was read whole and holds no device that can compute, and no driver lists one.",
      .disproof = "Any driver lists a GPU, or the bus shows one.",
      .remedy =
          "Choose a machine, instance type or pod specification with a GPU; if the card is in there, check its seat, "
          "its power and whether the firmware or hypervisor passes it on.",
      .explains = {"driver.unreachable", "driver.libcuda-missing", "opencl.icd-no-device", "opencl.cpu-only",
                   "opencl.no-platform", "opencl.no-icd", "opencl.loader-missing", "opencl.rusticl-not-enabled",
                   "usage.detected-unused", "expect.gpus", "expect.gpu", "expect.driver", "expect.link"},
      .symptoms = {{{missing, "gpu-on-bus"}, Confidence::possible, when::no_driver_answers}},
      .judge_host = judge,
      .judge = judge_texts,
  };
}

}  // namespace envdoctor::hardware_no_gpu

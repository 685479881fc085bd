// hardware.pcie-error: the kernel logged PCIe errors of the GPU's link, especially those that the link could not
// correct.
#include "checks/driver/nvidia_facts.h"

namespace envdoctor::hardware_pcie_error {

using enum SymptomClass;

bool drives_gpus(const std::string& driver) {
  return driver == "nvidia" || driver == "amdgpu" || driver == "i915" || driver == "xe" || driver == "nouveau";
}

// "0000:01:00" of "0000:01:00.1": a card's functions, such as a GPU's own audio, share it.
std::string slot_of(const std::string& address) {
  const std::string normal = normal_address(address);
  return normal.substr(0, normal.rfind('.'));
}

// Ports serve other cards too: the error belongs to a GPU if the line names its driver or the GPU was lost.
bool of_a_gpu(const Facts& facts, const Symptom& line) {
  const auto gpus = gpus_of(facts);
  const std::string slot = slot_of(line.detail("device"));
  return drives_gpus(line.detail("driver")) ||
         std::ranges::any_of(gpus, [&](const Gpu& gpu) { return !slot.empty() && slot_of(gpu.address) == slot; }) ||
         facts.saw({{lost, "pci-device"}, {lost, "gpu"}, {lost, "amd-gpu"}});
}

// The line names the driver of another device, such as a disk's.
bool of_another_device(const Facts& facts, const Symptom* line) {
  const std::string driver = line->detail("driver");
  return !driver.empty() && driver != "pcieport" && !of_a_gpu(facts, *line);
}

// The link retransmits lost data: it is slower, and a sign of a bad contact, cable or riser, but nothing fails.
void judge_corrected(const Symptom& line, bool once, Answers& answers) {
  Finding& finding = answers.found_in(line, Confidence::possible);
  finding.severity = once ? Severity::info : Severity::warning;
  finding.title = "A PCIe link has errors that it corrects";
  finding.explanation =
      "The kernel logged errors of a PCIe link that were corrected by sending again. They cost time, and many of them "
      "tell of a bad contact or of power saving that the board does not bear; the port may serve another device than "
      "the GPU.";
  finding.fix.push_back({.text = "Where the port is not the GPU's and nothing fails, pcie_aspm=off on the kernel's "
                                 "command line ends most of them."});
}

void judge(const Facts& facts, Answers& answers) {
  const auto elsewhere = [&](const Symptom* line) { return of_another_device(facts, line); };
  std::vector<const Symptom*> lines = facts.all({failed, "pcie-device"}), corrected = facts.all({failed, "pcie-link"});
  std::erase_if(lines, elsewhere);
  std::erase_if(corrected, elsewhere);
  // A single one at a port that may serve any card is no sign of a fault.
  const bool once =
      corrected.size() == 1 && corrected.front()->detail("count").empty() && !of_a_gpu(facts, *corrected.front());
  if (lines.empty() && !corrected.empty()) return judge_corrected(*corrected.front(), once, answers);
  if (lines.empty()) return answers.not_applicable("no text of the kernel was read that speaks of PCIe errors");
  const auto of_gpu = std::ranges::find_if(lines, [&](const Symptom* line) { return of_a_gpu(facts, *line); });
  const Symptom& line = of_gpu == lines.end() ? *lines.front() : **of_gpu;
  const bool fatal = std::ranges::any_of(lines, [](const Symptom* one) { return one->detail("kind") != "Non-Fatal"; });
  Finding& finding = answers.found_in(line, of_gpu != lines.end() && fatal ? Confidence::likely : Confidence::possible);
  if (of_gpu == lines.end()) finding.explanation += " Which device stands behind that port, the text does not say.";
}

Diagnosis diagnosis() {
  return {
      .id = "hardware.pcie-error",
      .layer = Layer::hardware,
      .severity = Severity::error,
      .title = "The PCIe link to the GPU had an error",
      .claim =
          "The kernel logged an uncorrected PCIe error: a request or its answer was lost between processor and device, "
          "and the device behind that port was stopped or reset; errors that were corrected are a warning.",
      .proof = "An uncorrected fatal error in the kernel log, at the GPU or at the port above it.",
      .disproof = "The port that the message names holds another device.",
      .remedy =
          "Seat card and riser again, check its power, try another slot, and update the board's firmware. A slower "
          "link (Gen3 in the firmware setup) often ends such errors on risers.",
      .explains = {"hardware.pcie-degraded", "driver.init-failed", "driver.unreachable", "usage.program-fault"},
      .judge = judge,
  };
}

}  // namespace envdoctor::hardware_pcie_error

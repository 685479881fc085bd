// driver.firmware-missing: the kernel driver finds no firmware file for the GPU.
#include "checks/driver/nvidia_facts.h"

namespace envdoctor::driver_firmware_missing {

using enum SymptomClass;

// Firmware that drivers request but don't need: video codecs, display power, secure display and a virtual function's
// code.
bool optional_file(const std::string& file) {
  for (const char* part : {"_ta.", "_cap.", "_dmc", "isp_", "huc", "_gsc", "_kicker"}) {
    if (file.find(part) != std::string::npos) return true;
  }
  return false;
}

Fix remedy(const Facts& facts, const std::string& file) {
  if (file.starts_with("nvidia/") || file.empty())
    return on_host(facts,
                   "install the GSP firmware of exactly the running driver's version: it comes with the driver "
                   "(/lib/firmware/nvidia/VERSION), in some distributions as a package of its own.");
  const auto distro = distro_of(facts);
  const bool debian = distro == Distro::debian, ubuntu = distro == Distro::ubuntu || distro == Distro::ubuntu_like;
  return on_host(facts, "install the distribution's newest linux-firmware, rebuild the initramfs and reboot.",
                 ubuntu                                 ? "sudo apt-get install --reinstall linux-firmware"
                 : debian && file.starts_with("amdgpu") ? "sudo apt-get install firmware-amd-graphics"
                                                        : "");
}

// The driver asks for the file of one part under its newer and its older name: where neither is there, none of the
// folder's files may be.
void report_optional(const Facts& facts, const std::vector<const Symptom*>& lines, Answers& answers) {
  const std::string file = lines.front()->detail("file");
  const bool alone = std::ranges::all_of(lines, [&file](const Symptom* line) { return line->detail("file") == file; });
  if (alone || file.find("_dmc") == file.npos || facts.used() || facts.driver_works() || when::gpu_listed(facts))
    return answers.not_applicable("only files that the driver does without are missing");
  Finding& finding = answers.found_in(*lines.front(), Confidence::possible);
  finding.severity = Severity::warning;
  finding.title = "A firmware file for the GPU is not installed";
  finding.explanation = fmt::format(
      "The kernel asked for {} and for its other names. Without it the GPU starts and can't sleep; the files for video "
      "and for scheduling, which lie in the same folder, may lack as well.",
      file);
  finding.fix = {remedy(facts, file)};
}

void judge(const Facts& facts, Answers& answers) {
  const auto& lines = facts.all({missing, "gpu-firmware"});
  if (lines.empty()) return answers.not_applicable("no text of the kernel was read that speaks of missing firmware");
  const auto needed =
      std::ranges::find_if(lines, [](const Symptom* line) { return !optional_file(line->detail("file")); });
  const bool works = facts.used() || facts.driver_works();
  if (needed == lines.end() && (works || !facts.saw({{failed, "amd-gpu-initialization"},
                                                     {failed, "intel-gpu-initialization"},
                                                     {failed, "nvidia-gpu-initialization"}})))
    return report_optional(facts, lines, answers);
  const Symptom& line = needed == lines.end() ? *lines.front() : **needed;
  Finding& finding = answers.found_in(line, works || needed == lines.end() ? Confidence::possible : Confidence::likely);
  if (works) finding.severity = Severity::warning;
  if (const std::string file = line.detail("file"); !file.empty())
    finding.explanation += " The kernel asked for " + file + ".";
  finding.fix = {remedy(facts, line.detail("file"))};
}

Diagnosis diagnosis() {
  return {
      .id = "driver.firmware-missing",
      .layer = Layer::kernel_driver,
      .severity = Severity::error,
      .title = "A firmware file that the GPU needs is missing",
      .claim =
          "The kernel driver loads firmware into the GPU before it can start it, and this file is not installed, or "
          "not in the initramfs.",
      .proof = "The kernel log says which file it could not load.",
      .disproof = "The file lies under /lib/firmware and the driver starts the GPU.",
      .remedy = "Install the firmware package that fits driver and kernel, rebuild the initramfs and reboot.",
      .explains = with_unusable_driver({"driver.gpu-init-failed", "driver.init-failed", "driver.module-not-loaded",
                                        "driver.device-nodes-missing", "hardware.gpu-hang"}),
      .judge = judge,
  };
}

}  // namespace envdoctor::driver_firmware_missing

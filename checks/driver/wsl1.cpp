// driver.wsl1: the first Windows Subsystem for Linux translates system calls and has no GPU at all.
#include <fmt/format.h>

#include "checks/engine/rule.h"

namespace envdoctor::driver_wsl1 {

using enum SymptomClass;

// WSL 2 came with build 18362 of Windows 10: https://learn.microsoft.com/windows/wsl/install-manual.
constexpr int first_build_with_wsl2 = 18362;

bool judge_build(const Facts& facts, Answers& answers) {
  const Symptom* line = when::windows_before(facts, first_build_with_wsl2);
  if (!line || facts.used() || !when::wsl_or_named(facts)) return false;
  Finding& finding = answers.found_in(*line, Confidence::likely);
  finding.explanation = fmt::format("Windows build {} has the first WSL alone; WSL 2 came with build {}.",
                                    line->detail("build"), first_build_with_wsl2);
  finding.fix = {{.text =
                      "Update Windows: CUDA in WSL needs Windows 10 of version 21H2 (build 19044) or Windows 11, and "
                      "WSL 2."}};
  return true;
}

void judge(const Facts& facts, Answers& answers) {
  if (judge_build(facts, answers)) return;
  const Text platform = of(facts.snapshot().host, &HostFacts::platform);
  const Text kernel = of(facts.snapshot().host, &HostFacts::kernel);
  const Symptom* line = facts.first({{present, "wsl1"}});
  const bool by_kernel = kernel.or_empty().ends_with("-Microsoft");  // WSL 2 writes it in lower case
  const bool named = line && line->text.or_empty().find("-Microsoft") != std::string::npos;
  if (!platform.is("wsl1") && !by_kernel && !named && (!line || facts.used() || platform.is("wsl2"))) {
    return platform.get() || kernel.get() ? answers.not_applicable("this is not the first WSL")
                                          : answers.unknown(why_unknown("/host/platform", platform));
  }
  Finding& finding = answers.found();
  finding.explanation = find_diagnosis(answers.id)->claim;
  if (by_kernel) finding.evidence.push_back(evidence("/host/kernel", *kernel.get()));
  if (platform.is("wsl1")) finding.evidence.push_back(evidence("/host/platform", "wsl1"));
  if (line) finding.evidence.push_back(evidence(*line));
  if (finding.evidence.size() == 1 && line) finding.confidence = Confidence::likely;
  finding.fix = {{.text = "In PowerShell on Windows, see the distribution's version and convert it.",
                  .command = "wsl --list --verbose"},
                 {.text = "Convert it with wsl --set-version DISTRIBUTION 2; the GPU's driver is that of Windows."}};
}

Diagnosis diagnosis() {
  return {
      .id = "driver.wsl1",
      .layer = Layer::kernel_driver,
      .severity = Severity::error,
      .title = "This is WSL 1, which has no GPU",
      .claim = "WSL 1 has no Linux kernel and passes no GPU on; WSL 2 does.",
      .proof = "The kernel's release ends in -Microsoft, or wsl --list --verbose shows version 1.",
      .disproof = "The kernel's release holds microsoft-standard.",
      .remedy = "Convert the distribution: wsl --set-version DISTRIBUTION 2.",
      .explains = with_unusable_driver({"driver.wsl", "driver.not-installed", "driver.libcuda-missing",
                                        "driver.module-not-loaded", "driver.device-nodes-missing", "driver.init-failed",
                                        "hardware.no-gpu"}),
      .judge = judge,
  };
}

}  // namespace envdoctor::driver_wsl1

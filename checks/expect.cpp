// What the caller says this host must be.
#include <fmt/format.h>

#include <algorithm>

#include "checks/gpus.h"
#include "checks/report.h"
#include "checks/verdict.h"

namespace envdoctor {

void judge_expectations(Report& report) {
  if (!report.options.expect_gpus) return;
  const auto wanted = *report.options.expect_gpus;
  const auto gpus = gpus_of(report.snapshot);
  const auto granted = std::ranges::count(gpus, true, &Gpu::granted);
  if (wanted == 0) {
    // A host that should have no GPU isn't blamed for having none.
    std::erase_if(report.findings, [](const Finding& f) { return f.id == "hardware.no-gpu"; });
  }
  if (granted == wanted) return;
  Answers answers;
  Finding& finding = answers.found("expect.gpus");
  finding.explanation = fmt::format(
      "{} GPU{} expected, {} found{}.", wanted, wanted == 1 ? " was" : "s were", granted,
      granted < std::ssize(gpus) ? fmt::format(" ({} more are not granted here)", std::ssize(gpus) - granted) : "");
  finding.evidence.push_back(seen("/pci", fmt::format("{} GPUs", granted)));
  report.findings.push_back(finding);
}

}  // namespace envdoctor

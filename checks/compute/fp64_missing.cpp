// compute.fp64-missing: kernels in double precision could not run, because the device lacks it.
#include <set>
#include "checks/compute/compute_facts.h"
#include "checks/engine/rule.h"

namespace envdoctor::compute_fp64_missing {

using enum SymptomClass;

void judge(const Snapshot& snapshot, Answers& answers) {
  const auto* rows = snapshot.compute_not_run.get();
  if (!rows) return answers.unknown(why_unknown("/compute_not_run", snapshot.compute_not_run));
  std::set<std::string> reported;
  for (std::size_t i = 0; i < rows->size(); ++i) {
    const ComputeNotRun& row = (*rows)[i];
    if (!row.precision.is("fp64") || !row.why.or_empty().ends_with("the device has no fp64")) continue;
    const std::string subject = compute::subject(snapshot, {.device = row.device});
    if (!reported.insert(subject).second) continue;
    Finding& finding = answers.found_on(subject);
    // Training seldom needs it; a program that does reports an error itself.
    finding.severity = Severity::info;
    finding.explanation =
        "Double precision is not offered by this device; only single precision and integers were checked.";
    finding.evidence = {evidence(at("/compute_not_run", i, "why"), *row.why.get())};
    finding.fix = {{.text = "Use single precision, or another device for this work."}};
  }
  const bool tried = std::ranges::any_of(compute::rows(snapshot),
                                         [](const compute::Row& row) { return row.result->precision.is("fp64"); });
  if (tried) return answers.passed();
  answers.unknown("/compute: nothing in double precision was run");
}

// A device that lists the extension has it; the program didn't switch it on.
bool not_listed(const Facts& facts) { return !facts.saw({{present, "fp64-extension"}}); }

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "compute.fp64-missing",
      .layer = Layer::compute,
      .severity = Severity::warning,
      .title = "The device has no double precision",
      .claim = "The OpenCL device doesn't offer cl_khr_fp64, so kernels with double don't build.",
      .proof = "The device doesn't list double precision, or the compiler's or framework's message says so.",
      .disproof = "The device lists cl_khr_fp64.",
      .remedy = "Use single precision, or another device for this work.",
      .symptoms =
          {
              {{unsupported, "float64"}, likely, not_listed},
          },
      .judge_host = judge,
  };
}

}  // namespace envdoctor::compute_fp64_missing

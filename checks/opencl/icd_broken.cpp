// opencl.icd-broken: a registered driver that does not load, or that fails once it is called.
#include "checks/opencl/opencl_facts.h"
#include "checks/runtime/library_facts.h"

namespace envdoctor::opencl_icd_broken {

using enum SymptomClass;
namespace {

constexpr const char* id = "opencl.icd-broken";

// It ends or holds up every program that asks for OpenCL, since the loader opens all drivers.
bool takes_programs_along(const OpenclIcd& icd) {
  return icd.error_kind.get() &&
         (*icd.error_kind.get() == "crash" || *icd.error_kind.get() == "timeout" || *icd.error_kind.get() == "exit");
}

// A driver without a platform is in order and sees no device: another diagnosis.
bool broken(const OpenclIcd& icd) {
  if (icd.error_kind.is("no-platform")) return false;
  return icd.loads.is(false) || (icd.error.get() && icd.error_kind.get());
}

Severity weigh(const Snapshot& snapshot, const OpenclIcd& icd) {
  if (takes_programs_along(icd))
    return opencl::weigh(snapshot) == Severity::error ? Severity::error : Severity::warning;
  const Flag wanted = opencl::has_gpu_of(snapshot, opencl::maker_of(text_of(icd.library) + text_of(icd.file)));
  return wanted.is(false) ? Severity::info : opencl::weigh(snapshot);
}

std::string explanation(const OpenclIcd& icd) {
  const std::string file = icd.file.get() ? *icd.file.get() : "A variable";
  std::string text = file + " names " + (icd.library.get() ? *icd.library.get() : std::string("no usable library"));
  if (icd.missing_dependency.get())
    return text + ", which needs " + *icd.missing_dependency.get() + ", and that is not installed.";
  if (takes_programs_along(icd) && icd.step.get())
    return text + ", which fails in " + *icd.step.get() + " and ends or blocks the program that loads it.";
  return text + (icd.error.get() ? ": " + *icd.error.get() + "." : ", and it does not load.");
}

Fix fix(const OpenclIcd& icd, bool leftover) {
  if (icd.missing_dependency.get())
    return {.text = "Install the package that holds " + *icd.missing_dependency.get() + "."};
  if (leftover && icd.file.get())
    return {.text = "Its GPU isn't in this host; remove the leftover file " + *icd.file.get() + " or its package."};
  return {.text = "Install the package that owns this driver again, or remove the file if the driver is missing."};
}

void judge_icds(const Snapshot& snapshot, Answers& answers) {
  const auto icds = of(snapshot.opencl, &Opencl::icds);
  if (icds.outcome() == Outcome::absent || (icds.get() && icds.get()->empty()))
    return answers.not_applicable(id, "no driver is registered");
  if (!icds.get()) return answers.unknown(id, why_unknown("/opencl/icds", icds));
  bool found = false, all_known = true;
  for (std::size_t i = 0; i < icds.get()->size(); ++i) {
    const OpenclIcd& icd = (*icds.get())[i];
    if (!broken(icd)) {
      all_known = all_known && icd.loads.get();
      continue;
    }
    found = true;
    Finding& finding = answers.found(id, icd.file.get() ? "icd:" + *icd.file.get() : "host");
    finding.severity = weigh(snapshot, icd);
    finding.explanation = explanation(icd);
    finding.evidence = {evidence(at("/opencl/icds", i, icd.error.get() ? "error" : "loads"),
                                 icd.error.get() ? *icd.error.get() : "false")};
    if (icd.step.get() && takes_programs_along(icd))
      finding.evidence.push_back(evidence(at("/opencl/icds", i, "step"), *icd.step.get()));
    finding.fix = {fix(icd, opencl::has_gpu_of(snapshot, opencl::maker_of(text_of(icd.library))).is(false))};
  }
  if (found) return;
  if (!all_known) return answers.unknown(id, "/opencl/icds: not every driver was loaded");
  answers.passed(id);
}

void judge(const Facts& facts, Answers& answers) {
  judge_icds(facts.snapshot(), answers);
  report_missing_libraries(facts, id, answers);
}

}  // namespace

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "opencl.icd-broken",
      .layer = Layer::runtime,
      .severity = Severity::error,
      .title = "A registered OpenCL driver does not load",
      .claim =
          "The .icd file names a library that is missing, damaged, for another architecture, or that fails when it is "
          "called.",
      .proof = "The library that an .icd file names is missing, or fails when it is loaded or called.",
      .disproof = "The library loads and answers with a platform.",
      .remedy = "Install the package that owns the library again, or remove the leftover .icd file.",
      .explains = {"opencl.no-platform", "opencl.cpu-only"},
      .symptoms =
          {
              {{crashed, "intel-opencl-driver"}, possible},
              {{failed, "opencl-driver"}, possible},
          },
      .judge = judge,
  };
}

}  // namespace envdoctor::opencl_icd_broken

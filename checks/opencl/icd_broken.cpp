// opencl.icd-broken: a registered driver that does not load, or that fails once it is called.
#include "checks/opencl/opencl_facts.h"
#include "checks/runtime/library_facts.h"

namespace envdoctor::opencl_icd_broken {

using enum SymptomClass;

// It crashes or delays every program that uses OpenCL, because the loader opens all drivers.
bool takes_programs_along(const OpenclIcd& icd) {
  return icd.error_kind.is("crash") || icd.error_kind.is("timeout") || icd.error_kind.is("exit");
}

// A driver without a platform works but sees no device: another diagnosis.
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
  const std::string text = icd.file.value_or("A variable") + " names " + icd.library.value_or("no usable library");
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
    return answers.not_applicable("no driver is registered");
  if (!icds.get()) return answers.unknown(why_unknown("/opencl/icds", icds));
  answers.passed();
  for (const auto& [i, icd] : numbered(icds)) {
    if (!broken(icd) && !icd.loads.get()) answers.unknown("/opencl/icds: not every driver was loaded");
    if (!broken(icd)) continue;
    Finding& finding = answers.found_on(icd.file.get() ? "icd:" + *icd.file.get() : "host");
    finding.severity = weigh(snapshot, icd);
    finding.explanation = explanation(icd);
    finding.evidence = {
        evidence(at("/opencl/icds", i, icd.error.get() ? "error" : "loads"), icd.error.value_or("false"))};
    if (icd.step.get() && takes_programs_along(icd))
      finding.evidence.push_back(evidence(at("/opencl/icds", i, "step"), *icd.step.get()));
    finding.fix = {fix(icd, opencl::has_gpu_of(snapshot, opencl::maker_of(text_of(icd.library))).is(false))};
  }
}

void judge_texts(const Facts& facts, Answers& answers) { report_missing_libraries(facts, answers); }

// A leftover file does no harm where another driver serves the GPU.
bool no_gpu_listed(const Facts& facts) { return !facts.used() && !opencl_lists_gpu(facts.snapshot()); }

// The link that the loader follows leads to another release than that of the kernel's module.
bool link_of_another_release(const Facts& facts) {
  const Text& kernel = of(facts.snapshot().nvidia, &Nvidia::kernel_driver_version);
  const Symptom* link = facts.first({{noted, "opencl-driver-link"}});
  return kernel.get() && link && !kernel.get()->starts_with(link->detail("version")) &&
         !link->detail("version").starts_with(*kernel.get()) &&
         facts.saw({{missing, "opencl-platform"}, {missing, "opencl-device"}});
}

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
              {{missing, "registered-opencl-library"}, likely, no_gpu_listed},
              {{noted, "opencl-driver-link"}, likely, link_of_another_release},
              {{crashed, "intel-opencl-driver"}, possible},
              {{failed, "opencl-driver"}, possible},
              {{duplicate, "llvm"}, possible},  // two drivers bring it in one process
          },
      .judge_host = judge_icds,
      .judge = judge_texts,
  };
}

}  // namespace envdoctor::opencl_icd_broken

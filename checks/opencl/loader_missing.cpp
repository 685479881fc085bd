// opencl.loader-missing: no libOpenCL.so.1, so no program finds any OpenCL driver.
#include "checks/opencl/opencl_facts.h"
#include "checks/runtime/library_facts.h"

namespace envdoctor::opencl_loader_missing {

using enum SymptomClass;

void judge_loader(const Snapshot& snapshot, Answers& answers) {
  const auto loader = opencl::loader(snapshot);
  const Opencl& section = snapshot.opencl.or_empty();
  if (loader.get() || (loader.outcome() == Outcome::not_probed && !section.platforms.or_empty().empty()))
    return answers.passed();
  if (loader.outcome() != Outcome::absent) return answers.unknown(why_unknown("/opencl/loader", loader));
  const std::size_t registered = section.icds.or_empty().size();
  if (has_any_gpu(snapshot).is(false) && registered == 0)
    return answers.not_applicable("no GPU, and no OpenCL driver is registered");

  Finding& finding = answers.found_on("library:libOpenCL.so.1");
  finding.severity = opencl::weigh(snapshot);
  finding.explanation = "The dynamic loader finds no libOpenCL.so.1, so no program can use OpenCL" +
                        std::string(registered > 0 ? ", though drivers are registered." : ".");
  finding.evidence = {evidence("/opencl/loader", loader.why())};
  if (registered > 0) finding.evidence.push_back(evidence("/opencl/icds", fmt::format("{} registered", registered)));
  finding.fix = {{.text = "Install the OpenCL loader.",
                  .command = opencl::install(snapshot, "ocl-icd-libopencl1", "ocl-icd", "ocl-icd")}};
}

void judge_texts(const Facts& facts, Answers& answers) {
  report_missing_libraries(facts, answers);
  // If programs lack other libraries as well, OpenCL is not what stops them.
  const auto of_another = [&](const MissingLibrary& one) { return one.symptom && one.diagnosis != answers.id; };
  const Symptom* unnamed = facts.first({{missing, "opencl-loader"}});
  if (unnamed && std::ranges::none_of(missing_libraries(facts), of_another) && no_driver_fault(facts))
    answers.found_in(*unnamed, Confidence::likely, "library:libOpenCL.so.1");
}

Diagnosis diagnosis() {
  return {
      .id = "opencl.loader-missing",
      .layer = Layer::runtime,
      .severity = Severity::error,
      .title = "The OpenCL loader libOpenCL.so.1 is not installed",
      .claim = "The OpenCL loader, which finds the registered drivers, is not installed.",
      .proof = "The dynamic loader finds no libOpenCL.so.1.",
      .disproof = "libOpenCL.so.1 is found.",
      .remedy = "Install the loader (ocl-icd-libopencl1 on Debian and Ubuntu, ocl-icd on Fedora).",
      .explains = {"opencl.no-platform"},
      .judge_host = judge_loader,
      .judge = judge_texts,
  };
}

}  // namespace envdoctor::opencl_loader_missing

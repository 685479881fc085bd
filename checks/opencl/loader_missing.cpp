// opencl.loader-missing: no libOpenCL.so.1, so that no program finds any OpenCL driver.
#include <algorithm>

#include "checks/opencl/opencl_facts.h"
#include "checks/runtime/library_facts.h"

namespace envdoctor::opencl_loader_missing {

using enum SymptomClass;
namespace {

constexpr const char* id = "opencl.loader-missing";

void judge_loader(const Snapshot& snapshot, Answers& answers) {
  const auto loader = opencl::loader(snapshot);
  if (loader.get()) return answers.passed(id);
  if (opencl::platforms(snapshot) && !opencl::platforms(snapshot)->empty() && loader.outcome() == Outcome::not_probed)
    return answers.passed(id);
  if (loader.outcome() != Outcome::absent) return answers.unknown(id, why_unknown("/opencl/loader", loader));
  const auto* icds = opencl::icds(snapshot);
  const bool registered = icds && !icds->empty();
  if (has_any_gpu(snapshot).is(false) && !registered)
    return answers.not_applicable(id, "no GPU, and no OpenCL driver is registered");

  Finding& finding = answers.found(id, "library:libOpenCL.so.1");
  finding.severity = opencl::weigh(snapshot);
  finding.explanation = "The dynamic loader finds no libOpenCL.so.1, so no program can use OpenCL" +
                        std::string(registered ? ", though drivers are registered." : ".");
  finding.evidence = {evidence("/opencl/loader", loader.why())};
  if (registered) finding.evidence.push_back(evidence("/opencl/icds", std::to_string(icds->size()) + " registered"));
  finding.fix = {{.text = "Install the OpenCL loader.",
                  .command = opencl::install(snapshot, "ocl-icd-libopencl1", "ocl-icd", "ocl-icd")}};
}

void judge(const Facts& facts, Answers& answers) {
  judge_loader(facts.snapshot(), answers);
  report_missing_libraries(facts, id, answers);
  // Where programs miss libraries of another kind as well, OpenCL is not what they stop at.
  const auto of_another = [](const MissingLibrary& one) { return one.symptom && one.diagnosis != id; };
  const auto& unnamed = facts.all({missing, "opencl-loader"});
  if (!unnamed.empty() && std::ranges::none_of(missing_libraries(facts), of_another) && no_driver_fault(facts))
    add_finding(answers, *unnamed.front(), id, Confidence::likely, "library:libOpenCL.so.1");
}

}  // namespace

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
      .judge = judge,
  };
}

}  // namespace envdoctor::opencl_loader_missing

// opencl.loader-missing: no libOpenCL.so.1, so that no program finds any OpenCL driver.
#include "checks/opencl_facts.h"

namespace envdoctor {
namespace {

constexpr const char* id = "opencl.loader-missing";

void run(const Snapshot& snapshot, Answers& answers) {
  const auto loader = opencl::loader(snapshot);
  if (loader.get()) return answers.sound(id);
  if (opencl::platforms(snapshot) && !opencl::platforms(snapshot)->empty() && loader.outcome() == Outcome::not_probed)
    return answers.sound(id);
  if (loader.outcome() != Outcome::absent) return answers.unknown(id, why_unknown("/opencl/loader", loader));
  const auto* icds = opencl::icds(snapshot);
  const bool registered = icds && !icds->empty();
  if (has_any_gpu(snapshot).is(false) && !registered)
    return answers.not_applicable(id, "no GPU, and no OpenCL driver is registered");

  Finding& finding = answers.found(id, "library:libOpenCL.so.1");
  finding.severity = opencl::weigh(snapshot);
  finding.explanation = "The dynamic loader finds no libOpenCL.so.1, so no program can ask for OpenCL" +
                        std::string(registered ? ", though drivers are registered." : ".");
  finding.evidence = {seen("/opencl/loader", loader.why())};
  if (registered) finding.evidence.push_back(seen("/opencl/icds", std::to_string(icds->size()) + " registered"));
  finding.fix = {{.text = "Install the OpenCL loader.",
                  .command = opencl::install(snapshot, "ocl-icd-libopencl1", "ocl-icd", "ocl-icd")}};
}

}  // namespace

Check opencl_loader_missing() { return {{id}, run}; }

}  // namespace envdoctor

// opencl.no-icd: the folder that the loader reads has no .icd file.
#include "checks/opencl/opencl_facts.h"

namespace envdoctor::opencl_no_icd {

using enum SymptomClass;

Fix driver_for(const Snapshot& snapshot) {
  if (has_gpu(snapshot, Vendor::nvidia).is(true)) {
    const bool debian = text_of(of(snapshot.host, &HostFacts::os)).starts_with("Debian");
    return {.text = "Install the OpenCL part of NVIDIA's driver, of the driver's own version.",
            .command = debian && !in_container(snapshot).is(true)
                           ? opencl::install(snapshot, "nvidia-opencl-icd", "", "")
                           : ""};
  }
  if (has_gpu(snapshot, Vendor::intel).is(true))
    return {.text = "Install Intel's OpenCL driver.",
            .command = opencl::install(snapshot, "intel-opencl-icd", "intel-compute-runtime", "intel-compute-runtime")};
  if (has_gpu(snapshot, Vendor::amd).is(true))
    return {.text = "Install AMD's OpenCL driver (rocm-opencl-runtime) or Mesa's (mesa-opencl-icd)."};
  return {.text = "Install the OpenCL driver of the GPU's vendor."};
}

// Mesa's Clover drives GPUs of AMD's and of nouveau, and is all that is registered beside a GPU of Intel's.
bool only_clover_for_intel(const Snapshot& snapshot) {
  const auto& platforms = snapshot.opencl.or_empty().platforms.or_empty();
  return !platforms.empty() && has_gpu(snapshot, Vendor::intel).is(true) && !has_gpu(snapshot, Vendor::amd).is(true) &&
         !has_gpu(snapshot, Vendor::nvidia).is(true) && !opencl_lists_gpu(snapshot) &&
         std::ranges::all_of(platforms, [](const OpenclPlatform& one) { return one.name.is("Clover"); });
}

void report_clover(const Snapshot& snapshot, Answers& answers) {
  Finding& finding = answers.found();
  finding.confidence = Confidence::likely;
  finding.title = "No OpenCL driver for this GPU is registered";
  finding.severity = opencl::weigh(snapshot, Severity::warning);
  finding.explanation = "The only platform is Mesa's Clover, which knows no GPU of Intel's.";
  finding.evidence = {evidence("/opencl/platforms/0/name", "Clover")};
  finding.fix = {driver_for(snapshot)};
}

void judge(const Snapshot& snapshot, Answers& answers) {
  if (only_clover_for_intel(snapshot)) return report_clover(snapshot, answers);
  const auto icds = of(snapshot.opencl, &Opencl::icds);
  if (!icds.get() && icds.outcome() != Outcome::absent) return answers.unknown(why_unknown("/opencl/icds", icds));
  if (!icds.or_empty().empty() || !snapshot.opencl.or_empty().platforms.or_empty().empty()) return answers.passed();
  if (has_any_gpu(snapshot).is(false)) return answers.not_applicable("no GPU that a driver could be for");
  const auto loader = opencl::loader(snapshot);
  if (loader.outcome() == Outcome::absent)
    return answers.not_applicable("there is no OpenCL loader that would read the folder");
  const OpenclLoader& known = loader.or_empty();
  if (known.variable.get() || known.kind.is("vendor")) return answers.not_applicable("the loader was sent elsewhere");
  if (in_container(snapshot).is(true) && opencl::nvidia_library(snapshot))
    return answers.not_applicable("the driver is here, only its registration is missing");

  Finding& finding = answers.found();
  finding.severity = opencl::weigh(snapshot);
  const std::string folder = known.vendors_dir.value_or("/etc/OpenCL/vendors");
  finding.explanation = "No driver is registered in " + folder + ", so OpenCL lists no platform.";
  finding.evidence = {evidence("/opencl/icds", "none")};
  if (known.path.get()) finding.evidence.push_back(evidence("/opencl/loader/path", *known.path.get()));
  finding.fix = {driver_for(snapshot)};
}

bool no_registration(const Facts& facts) {
  return facts.saw({{missing, "opencl-platform"}}) && !opencl::nvidia_in_container(facts);
}

bool no_platform_listed(const Facts& facts) { return !facts.saw({{present, "opencl-platform"}}); }

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "opencl.no-icd",
      .layer = Layer::runtime,
      .severity = Severity::error,
      .title = "No OpenCL driver is registered",
      .claim = "The loader's registration folder holds no .icd file.",
      .proof = "The folder that the loader reads holds no .icd file.",
      .disproof = "The folder holds a file that names a driver.",
      .remedy = "Install the OpenCL driver of the GPU's vendor.",
      .explains = {"opencl.no-platform", "opencl.cpu-only", "opencl.icd-no-device"},
      .symptoms =
          {
              {{missing, "opencl-vendors-folder"}, likely, no_registration},
              {{missing, "opencl-registration"}, likely, no_platform_listed},
          },
      .judge_host = judge,
  };
}

}  // namespace envdoctor::opencl_no_icd

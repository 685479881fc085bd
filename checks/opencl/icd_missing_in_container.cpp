// opencl.icd-missing-in-container: NVIDIA's driver library was passed into the container, but nothing registers it.
#include "checks/opencl/opencl_facts.h"

namespace envdoctor::opencl_icd_missing_in_container {

using enum SymptomClass;

bool registers_nvidia(const std::vector<OpenclIcd>& icds) {
  return std::ranges::any_of(icds, [](const OpenclIcd& icd) {
    return opencl::maker_of(text_of(icd.library)) == opencl::Maker::nvidia ||
           text_of(icd.file).find("nvidia") != std::string::npos;
  });
}

void judge(const Snapshot& snapshot, Answers& answers) {
  const auto icds = of(snapshot.opencl, &Opencl::icds);
  if (!icds.get() && icds.outcome() != Outcome::absent) return answers.unknown(why_unknown("/opencl/icds", icds));
  const Flag container = in_container(snapshot);
  if (container.is(false)) return answers.not_applicable("this is no container");
  if (!container.get()) return answers.unknown(why_unknown("/host/container", container));
  if (icds.get() && registers_nvidia(*icds.get())) return answers.passed();
  if (has_gpu(snapshot, Vendor::nvidia).is(false)) return answers.not_applicable("no NVIDIA GPU");
  const auto library = opencl::nvidia_library(snapshot);
  if (!library && !snapshot.libraries.get()) return answers.unknown(why_unknown("/libraries", snapshot.libraries));
  if (!library) return answers.not_applicable("NVIDIA's OpenCL library isn't in this container");

  Finding& finding = answers.found();
  finding.severity =
      gpu_works_without_opencl(snapshot) || opencl_lists_gpu(snapshot) ? Severity::warning : Severity::error;
  finding.explanation =
      "NVIDIA's container runtime mounted libnvidia-opencl.so.1, and not the file nvidia.icd that registers it with "
      "the OpenCL loader.";
  finding.evidence = {evidence(at("/libraries", *library, "soname"), "libnvidia-opencl.so.1"),
                      evidence("/opencl/icds", !icds.get() || icds.get()->empty() ? "none" : "none for NVIDIA"),
                      evidence("/host/container", *snapshot.host.get()->container.get())};
  finding.fix = {
      {.text = "Register the driver in the image.",
       .command = "mkdir -p /etc/OpenCL/vendors && echo libnvidia-opencl.so.1 > /etc/OpenCL/vendors/nvidia.icd"}};
}

// No file shown in the text names NVIDIA's library.
bool nothing_registers(const Facts& facts) {
  return opencl::nvidia_in_container(facts) && !facts.saw({{noted, "registered-opencl-driver"}});
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "opencl.icd-missing-in-container",
      .layer = Layer::runtime,
      .severity = Severity::error,
      .title = "The container has the OpenCL driver library but not its registration",
      .claim =
          "libnvidia-opencl was passed into the container; the file nvidia.icd that tells the loader about it was not.",
      .proof = "In a container the driver's library is there, and no .icd file names it.",
      .disproof = "An .icd file in the container names the library.",
      .remedy = "Write libnvidia-opencl.so.1 into /etc/OpenCL/vendors/nvidia.icd in the image.",
      .explains = {"opencl.no-icd", "opencl.no-platform", "opencl.cpu-only", "opencl.icd-no-device"},
      .symptoms =
          {
              {{missing, "opencl-vendors-folder"}, likely, opencl::nvidia_in_container},
              {{missing, "opencl-platform"}, likely, nothing_registers},
          },
      .judge_host = judge,
  };
}

}  // namespace envdoctor::opencl_icd_missing_in_container

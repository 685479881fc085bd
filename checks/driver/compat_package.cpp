// driver.compat-package: libcuda of a cuda-compat package is loaded, and this GPU or this module doesn't support it.
#include "checks/driver/nvidia_facts.h"

namespace envdoctor::driver_compat_package {

void report_finding(const Snapshot& snapshot, Confidence confidence, const std::vector<Evidence>& evidence,
                    Answers& answers) {
  Finding& finding =
      nvidia::fault(answers, snapshot, confidence, nvidia::joined(nvidia::cuinit_evidence(snapshot), evidence));
  finding.explanation = "libcuda comes from CUDA's forward-compatibility package instead of the driver. ";
  finding.explanation += nvidia::cuinit(snapshot).is(cuda_error::compat_not_supported_on_device)
                             ? "That package serves data-centre GPUs only; on others CUDA stops with error 804."
                             : "It doesn't fit the kernel module that runs here.";
  finding.fix = {
      {.text = "Take the folder with the compat libcuda (such as /usr/local/cuda/compat) out of LD_LIBRARY_PATH and of "
               "the loader's configuration, or use an image whose CUDA the driver serves."},
      {.text = on_the_host(snapshot) + "or update the driver, so that no compatibility package is needed."}};
}

void judge(const Snapshot& snapshot, Answers& answers) {
  if (nvidia::cuda_works(snapshot)) return answers.passed();
  const Text cuinit = nvidia::cuinit(snapshot);
  const bool not_supported = cuinit.is(cuda_error::compat_not_supported_on_device);
  const bool mismatch = cuinit.is(cuda_error::system_driver_mismatch);
  auto signs = nvidia::compat_signs(snapshot);
  if (const auto path = nvidia::compat_path(snapshot)) {
    signs.insert(signs.begin(), *path);
    if (cuinit.get())
      return report_finding(snapshot, not_supported || mismatch ? Confidence::certain : Confidence::likely, signs,
                            answers);
    return answers.unknown("libcuda comes from a compatibility package; whether it works here was not tried");
  }
  const nvidia::Versions versions = nvidia::versions(snapshot);
  // Outside containers both codes more often follow an upgrade without a reboot: driver.version-mismatch.
  const bool bare = in_container(snapshot).is(false);
  // With a visibility variable set, "no device" needs no further explanation.
  const bool hidden = cuinit.is(cuda_error::no_device) && env_of(snapshot, "CUDA_VISIBLE_DEVICES").get();
  if (!signs.empty() && (cuinit.get() || versions.reported_different) && !hidden)
    return report_finding(snapshot, Confidence::likely, signs, answers);
  // Module and libraries differ, and nothing shows that the library is from a compatibility package: then cuInit's code
  // means the same.
  const bool halves_differ = nvidia::nvml(snapshot).is(nvml_error::lib_rm_version_mismatch) || versions.differ();
  if ((not_supported || mismatch) && !bare && !halves_differ)
    return report_finding(snapshot, Confidence::likely, {}, answers);
  if (nvidia::libcuda(snapshot).get() || cuinit.outcome() == Outcome::absent) return answers.passed();
  if (nvidia::libcuda(snapshot).outcome() == Outcome::absent) return answers.not_applicable("libcuda is not found");
  answers.unknown(why_unknown(nvidia::libcuda_place(snapshot), nvidia::libcuda(snapshot)));
}

// With another search path the same program works, so it was the copy of libcuda that didn't.
bool cured_by_path(const Facts& facts) { return facts.saw({{SymptomClass::noted, "works-with-library-path"}}); }

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "driver.compat-package",
      .layer = Layer::user_driver,
      .severity = Severity::error,
      .title = "A CUDA compatibility package stands before the real driver library",
      .claim =
          "The libcuda that is loaded comes from a cuda-compat package and doesn't work with this GPU or this kernel "
          "driver.",
      .proof = "cuInit answers 803 or 804, and libcuda comes from a cuda-compat folder or from another driver branch.",
      .disproof = "libcuda's path is the driver's own, or cuInit succeeds with the compat library.",
      .remedy =
          "Take the compat folder out of the library search path, or update the host's driver so that it isn't needed.",
      .explains = with_unusable_driver({"driver.init-failed", "driver.too-old"}),
      .symptoms = {{{SymptomClass::mismatch, "driver-and-libcuda"}, likely, cured_by_path}},
      .not_here = nvidia::not_here,
      .judge_host = judge,
  };
}

}  // namespace envdoctor::driver_compat_package

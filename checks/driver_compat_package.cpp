// driver.compat-package: libcuda of a cuda-compat package is loaded, and this GPU or this module doesn't take it.
#include "checks/compat_library.h"
#include "checks/distro.h"

namespace envdoctor {
namespace {

constexpr const char* id = "driver.compat-package";

void tell(const Snapshot& snapshot, Confidence confidence, std::vector<Evidence> evidence, Answers& answers) {
  const Text cuinit = nvidia::cuinit(snapshot);
  Finding& finding = answers.found(id);
  finding.severity = nvidia::fault_severity(snapshot);
  finding.confidence = confidence;
  finding.explanation = "libcuda comes from CUDA's forward-compatibility package instead of the driver. ";
  finding.explanation += cuinit.is("CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE")
                             ? "That package serves data-centre GPUs only; on others CUDA stops with error 804."
                             : "It doesn't fit the kernel module that runs here.";
  if (cuinit.get()) evidence.insert(evidence.begin(), nvidia::cuinit_evidence(snapshot));
  finding.evidence = std::move(evidence);
  finding.fix = {{.text = "Take the folder with the compat libcuda (such as /usr/local/cuda/compat) out of "
                          "LD_LIBRARY_PATH and of the loader's "
                          "configuration, or use an image whose CUDA the driver serves."},
                 {.text = on_the_host(snapshot) + "or update the driver, so that no compatibility package is needed."}};
}

void run(const Snapshot& snapshot, Answers& answers) {
  if (const std::string why = nvidia::not_here(snapshot); !why.empty()) return answers.not_applicable(id, why);
  if (nvidia::cuda_works(snapshot)) return answers.sound(id);
  const Text cuinit = nvidia::cuinit(snapshot);
  const bool not_supported = cuinit.is("CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE");
  const bool mismatch = cuinit.is("CUDA_ERROR_SYSTEM_DRIVER_MISMATCH");
  auto signs = compat_signs(snapshot);
  if (const auto path = compat_path(snapshot)) {
    signs.insert(signs.begin(), *path);
    if (cuinit.get())
      return tell(snapshot, not_supported || mismatch ? Confidence::certain : Confidence::likely, signs, answers);
    return answers.unknown(id, "libcuda comes from a compatibility package; whether it works here was not tried");
  }
  // On a bare host both codes follow an upgrade without a reboot more often: driver.version-mismatch.
  const bool bare = in_container(snapshot).is(false);
  // With a visibility variable set, "no device" needs no further explanation.
  const bool hidden = cuinit.is("CUDA_ERROR_NO_DEVICE") && env_of(snapshot, "CUDA_VISIBLE_DEVICES").get();
  if (!signs.empty() && cuinit.get() && !hidden) return tell(snapshot, Confidence::likely, signs, answers);
  // NVML itself says that module and libraries differ: then so does what cuInit says.
  const bool halves_differ = nvidia::nvml(snapshot).is("NVML_ERROR_LIB_RM_VERSION_MISMATCH");
  if ((not_supported || mismatch) && !bare && !halves_differ) return tell(snapshot, Confidence::likely, {}, answers);
  if (nvidia::libcuda(snapshot).get() || cuinit.outcome() == Outcome::absent) return answers.sound(id);
  if (nvidia::libcuda(snapshot).outcome() == Outcome::absent) return answers.not_applicable(id, "libcuda is not found");
  answers.unknown(id, why_unknown(nvidia::libcuda_place(snapshot), nvidia::libcuda(snapshot)));
}

}  // namespace

Check driver_compat_package() { return {{id}, run}; }

}  // namespace envdoctor

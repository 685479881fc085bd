#include "checks/facts/conditions.h"

#include <algorithm>
#include <cstdlib>

namespace envdoctor::when {

using enum SymptomClass;

bool no_driver_answers(const Facts& facts) { return !facts.used() && !facts.driver_works(); }

bool no_better_cause(const Facts& facts) {
  return no_driver_answers(facts) && !facts.saw({{missing, "kernel-module"},
                                                 {mismatch, "kernel-module"},
                                                 {missing, "kernel-headers"},
                                                 {refused, "kernel-module-signature"},
                                                 {present, "nouveau-driver"},
                                                 {ignored, "driver-probe"},
                                                 {too_old, "gpu"},
                                                 {unsupported, "gpu"},
                                                 {lost, "pci-device"},
                                                 {failed, "nvidia-gpu-initialization"},
                                                 {mismatch, "driver-library-version"},
                                                 {mismatch, "driver-version"},
                                                 {missing, "container-toolkit"},
                                                 {lost, "gpu"},
                                                 {present, "libcuda-stub"},
                                                 {missing, "system-initialization"},
                                                 {unsupported, "cuda-compatibility-package"},
                                                 {unsupported, "float64"},
                                                 {mismatch, "driver-and-libcuda"}});
}

bool opencl_asked(const Facts& facts) {
  return facts.saw({{missing, "opencl-platform"}, {missing, "opencl-device"}, {present, "opencl-platform"}});
}

bool gpu_listed(const Facts& facts) { return facts.used() || facts.saw({{present, "gpu"}}); }

bool half_precision_failed_on_gpu(const Facts& facts) {
  return std::ranges::any_of(facts.all({unsupported, "half-precision-on-cpu"}), [](const Symptom* line) {
    return line->detail("kernel").find("cuda") != std::string::npos;
  });
}

bool driver_starts(const Facts& facts) {
  return !facts.driver_dead() && !facts.saw({{failed, "cuinit"}, {failed, "cuda-call"}, {too_old, "driver"}});
}

bool wsl_or_named(const Facts& facts) { return facts.wsl() || facts.saw({{noted, "wsl-named"}}); }

const Symptom* windows_before(const Facts& facts, int build) {
  const Symptom* line = facts.first({{noted, "windows-build"}});
  const int named = line ? std::atoi(line->detail("build").c_str()) : 0;
  return named > 0 && named < build ? line : nullptr;
}

}  // namespace envdoctor::when

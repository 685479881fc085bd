#include "checks/facts/conditions.h"

#include "checks/facts/facts.h"

namespace envdoctor::when {

bool no_driver_answers(const Facts& facts) { return !facts.used() && !facts.driver_works(); }

bool no_better_cause(const Facts& facts) {
  return no_driver_answers(facts) && !facts.saw({{SymptomClass::missing, "kernel-module"},
                                                 {SymptomClass::mismatch, "kernel-module"},
                                                 {SymptomClass::missing, "kernel-headers"},
                                                 {SymptomClass::refused, "kernel-module-signature"},
                                                 {SymptomClass::present, "nouveau-driver"},
                                                 {SymptomClass::ignored, "driver-probe"},
                                                 {SymptomClass::too_old, "gpu"},
                                                 {SymptomClass::unsupported, "gpu"},
                                                 {SymptomClass::lost, "pci-device"},
                                                 {SymptomClass::failed, "nvidia-gpu-initialization"},
                                                 {SymptomClass::mismatch, "driver-library-version"},
                                                 {SymptomClass::mismatch, "driver-version"},
                                                 {SymptomClass::missing, "container-toolkit"},
                                                 {SymptomClass::lost, "gpu"},
                                                 {SymptomClass::present, "libcuda-stub"},
                                                 {SymptomClass::missing, "system-initialization"},
                                                 {SymptomClass::unsupported, "cuda-compatibility-package"},
                                                 {SymptomClass::mismatch, "driver-and-libcuda"}});
}

bool opencl_asked(const Facts& facts) {
  return facts.saw({{SymptomClass::missing, "opencl-platform"},
                    {SymptomClass::missing, "opencl-device"},
                    {SymptomClass::present, "opencl-platform"}});
}

bool gpu_listed(const Facts& facts) { return facts.used() || facts.saw({{SymptomClass::present, "gpu"}}); }

bool half_precision_failed_on_gpu(const Facts& facts) {
  for (const Symptom* event : facts.all({SymptomClass::unsupported, "half-precision-on-cpu"})) {
    if (event->detail("kernel").find("cuda") != std::string::npos) return true;
  }
  return false;
}

bool driver_starts(const Facts& facts) {
  return !facts.driver_dead() && !facts.saw({{SymptomClass::failed, "cuinit"},
                                             {SymptomClass::failed, "cuda-call"},
                                             {SymptomClass::too_old, "driver"}});
}

}  // namespace envdoctor::when

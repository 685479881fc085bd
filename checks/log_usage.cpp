// The device is there, and the work doesn't go to it.
#include "checks/facts.h"
#include "checks/log_facts.h"

namespace envdoctor {
namespace {

bool something_listed(const LogFacts& facts) { return facts.used() || facts.saw({"device-listed"}); }
bool no_gpu_known(const LogFacts& facts) {
  return !something_listed(facts) && !facts.driver_dead() &&
         !facts.saw({"library-missing", "tf-gpu-libraries-missing", "cuinit-failed", "tf-cuda-not-found"});
}

// Operators that the CPU lacks in half precision: the kernel's name tells on which side the work was.
bool gpu_half(const LogFacts& facts) {
  for (const LogEvent* event : facts.all("half-on-cpu")) {
    if (field_of(*event, "kernel").find("cuda") != std::string::npos) return true;
  }
  return false;
}
bool cpu_half(const LogFacts& facts) { return !gpu_half(facts) && !facts.driver_dead(); }

// A program says that it works on the CPU, and a GPU is known that a driver answers for.
bool gpu_waits(const LogFacts& facts) {
  const auto devices = of(facts.snapshot().nvidia, &Nvidia::devices);
  return !facts.used() && !facts.driver_dead() && ((devices.get() && !devices.get()->empty()) || facts.driver_works());
}

// "Initialization error" of a call that isn't cuInit: the process was forked from one that had used CUDA.
bool nothing_dead(const LogFacts& facts) {
  return !facts.driver_dead() && !facts.saw({"cuinit-failed", "cuda-count-failed", "driver-too-old"});
}

}  // namespace

const LogRules& log_usage_rules() {
  using enum Confidence;
  static const LogRules rules = {
      {"gpu-unused", "usage.detected-unused", likely},
      {"op-without-gpu-kernel", "usage.op-has-no-gpu-kernel", likely},
      {"tensors-on-cpu", "usage.detected-unused", likely},
      {"tensors-on-two-gpus", "usage.wrong-gpu", likely},
      {"half-on-cpu", "usage.op-has-no-gpu-kernel", possible, gpu_half},
      {"half-on-cpu", "usage.detected-unused", possible, cpu_half},
      {"work-on-cpu", "usage.detected-unused", possible, gpu_waits},
      {"device-ignored", "usage.detected-unused", possible, nothing_dead},
      {"input-bound", "usage.input-bound", likely,
       [](const LogFacts& f) { return !f.with("input-bound", "program", "lightning"); }},
      {"rnn-generic-kernel", "usage.rnn-generic-kernel", certain},
      {"config-too-late", "usage.device-config-too-late", certain},
      {"cuda-not-initialized", "usage.cuda-after-fork", likely, nothing_dead},
      {"cuda-after-fork", "usage.cuda-after-fork", certain},
      {"invalid-ordinal", "visibility.invalid-ordinal", certain},
      {"cuda-invalid-device", "visibility.invalid-ordinal", likely,
       [](const LogFacts& f) { return f.all("cuinit-failed").empty(); }},
      {"device-not-registered", "visibility.invalid-ordinal", possible, something_listed},
      {"device-not-registered", "runtime.cpu-only-build", possible, no_gpu_known},
  };
  return rules;
}

}  // namespace envdoctor

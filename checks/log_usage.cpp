// The device is there, and the work doesn't go to it.
#include "checks/log_facts.h"

namespace envdoctor {
namespace {

bool something_listed(const LogFacts& facts) { return facts.used() || facts.saw({"device-listed"}); }
bool no_gpu_known(const LogFacts& facts) {
  return !something_listed(facts) && !facts.driver_dead() &&
         !facts.saw({"library-missing", "tf-gpu-libraries-missing", "cuinit-failed", "tf-cuda-not-found"});
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
      {"rnn-generic-kernel", "usage.rnn-generic-kernel", certain},
      {"config-too-late", "usage.device-config-too-late", certain},
      {"nondeterministic-op", "compute.nondeterministic", certain},
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

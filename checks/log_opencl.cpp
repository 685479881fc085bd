// What OpenCL programs say.
#include "checks/facts.h"
#include "checks/log_facts.h"

namespace envdoctor {
namespace {

bool no_loader_trouble(const LogFacts& facts) {
  return facts.all("opencl-loader-missing").empty() && !facts.with("library-missing", "library", "libOpenCL");
}

bool opencl_asked(const LogFacts& facts) {
  return facts.saw({"opencl-no-platform", "opencl-no-devices", "opencl-platforms"});
}
bool opencl_not_asked(const LogFacts& facts) { return !opencl_asked(facts); }

// A loader of another installation reads another folder of drivers; one that lacks a symbol version is an older one.
bool wrong_loader(const LogFacts& facts) {
  return facts.saw({"opencl-no-platform", "opencl-no-devices"}) ||
         facts.with("opencl-foreign-loader", "kind", "version");
}

// NVIDIA's container toolkit passes the driver's library on, and not the file that registers it.
bool nvidia_in_container(const LogFacts& facts) {
  const auto devices = of(facts.snapshot().nvidia, &Nvidia::devices);
  return facts.container() && facts.saw({"opencl-no-platform"}) && !facts.driver_dead() &&
         ((devices.get() && !devices.get()->empty()) || facts.driver_works() || facts.saw({"nvidia-opencl-library"}));
}

bool no_sycl_gpu(const LogFacts& facts) { return !facts.with("sycl-device", "type", "gpu") && !facts.used(); }

bool no_registration(const LogFacts& facts) { return facts.saw({"opencl-no-platform"}) && !nvidia_in_container(facts); }

}  // namespace

const LogRules& log_opencl_rules() {
  using enum Confidence;
  static const LogRules rules = {
      {"opencl-no-platform", "opencl.no-platform", possible, no_loader_trouble},
      {"opencl-no-devices", "opencl.icd-no-device", possible,
       [](const LogFacts& f) { return f.all("opencl-no-platform").empty() && !f.used(); }},
      {"render-no-permission", "opencl.permission", likely, opencl_asked},
      {"render-no-permission", "driver.permission", likely, opencl_not_asked},
      {"opencl-foreign-loader", "opencl.wrong-loader", likely, wrong_loader},
      {"opencl-vendors-missing", "opencl.icd-missing-in-container", likely, nvidia_in_container},
      {"opencl-no-platform", "opencl.icd-missing-in-container", likely, nvidia_in_container},
      {"opencl-vendors-missing", "opencl.no-icd", likely, no_registration},
      {"rusticl-no-devices", "opencl.rusticl-not-enabled", possible,
       [](const LogFacts& f) {
         return f.saw({"opencl-no-devices", "opencl-no-platform"});
       }},
      {"neo-kernel-mismatch", "driver.kernel-runtime-incompatible", possible},
      {"sycl-device", "opencl.cpu-only", possible, no_sycl_gpu},
      {"sycl-no-device", "opencl.no-platform", possible},
      {"opencl-none-registered", "opencl.no-icd", likely,
       [](const LogFacts& f) { return f.all("opencl-platforms").empty(); }},
      {"neo-aborted", "opencl.icd-broken", possible},
      {"opencl-driver-failed", "opencl.icd-broken", possible},
  };
  return rules;
}

}  // namespace envdoctor

// What OpenCL programs say.
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

}  // namespace

const LogRules& log_opencl_rules() {
  using enum Confidence;
  static const LogRules rules = {
      {"opencl-no-platform", "opencl.no-platform", possible, no_loader_trouble},
      {"opencl-no-devices", "opencl.icd-no-device", possible,
       [](const LogFacts& f) { return f.all("opencl-no-platform").empty() && !f.used(); }},
      {"render-no-permission", "opencl.permission", likely, opencl_asked},
      {"render-no-permission", "driver.permission", likely, opencl_not_asked},
      {"fp64-missing", "compute.fp64-missing", likely},
      {"opencl-size-limit", "compute.size-limit", likely},
      {"sycl-no-device", "opencl.no-platform", possible},
  };
  return rules;
}

}  // namespace envdoctor

// Kernel module and user-space library of different versions, as TensorFlow, NVML and the kernel tell it.
#include "checks/facts.h"
#include "checks/log_facts.h"

namespace envdoctor {
namespace {

bool host_says_equal(const LogFacts& facts) {
  const Text kernel = of(facts.snapshot().nvidia, &Nvidia::kernel_driver_version);
  const Text user = of(facts.snapshot().nvidia, &Nvidia::userspace_driver_version);
  return kernel.get() && user.get() && *kernel.get() == *user.get();
}

std::string branch(const std::string& version) { return version.substr(0, version.find('.')); }

}  // namespace

void log_driver_versions(const LogFacts& facts, Answers& answers) {
  for (const LogEvent* event : facts.all("driver-library-mismatch")) {
    log_finding(answers, *event, "driver.version-mismatch", Confidence::certain);
    break;
  }
  if (host_says_equal(facts)) return;
  for (const LogEvent* event : facts.all("driver-versions-differ")) {
    const std::string kernel = field_of(*event, "kernel"), library = field_of(*event, "library");
    // An image brings a library of another branch in its compatibility package; a package upgrade stays on the host.
    const bool image = facts.container() || facts.saw({"compat-on-unsupported", "container-banner"});
    const bool other_branch = !kernel.empty() && !library.empty() && branch(kernel) != branch(library);
    if (image && other_branch && !facts.saw({"driver-library-mismatch"})) {
      log_finding(answers, *event, "driver.compat-package", Confidence::likely);
    } else {
      log_finding(answers, *event, "driver.version-mismatch", Confidence::certain);
    }
    break;
  }
}

}  // namespace envdoctor

// cuInit's code as frameworks print it, by name or by number.
#include "checks/log_facts.h"

namespace envdoctor {
namespace {

struct Cause {
  const char* code;  // a part of what was printed
  const char* id;
  Confidence sure;
};

using enum Confidence;

const Cause causes[] = {
    {"(34)", "driver.libcuda-stub", certain},
    {"STUB_LIBRARY", "driver.libcuda-stub", certain},
    {"(-1)", "driver.libcuda-stub", likely},
    {"SYSTEM_NOT_READY", "driver.fabric-manager", likely},
    {"(802)", "driver.fabric-manager", likely},
    {"SYSTEM_DRIVER_MISMATCH", "driver.compat-package", likely},
    {"(803)", "driver.compat-package", likely},
    {"COMPAT_NOT_SUPPORTED", "driver.compat-package", likely},
    {"(804)", "driver.compat-package", likely},
    {"OUT_OF_MEMORY", "memory.occupied", possible},
    {"ERROR_UNKNOWN", "driver.init-failed", likely},
    {"(999)", "driver.init-failed", likely},
    {"OPERATING_SYSTEM", "driver.init-failed", likely},
    {"NOT_INITIALIZED", "driver.init-failed", likely},
    {"INVALID_DEVICE", "driver.init-failed", possible},
    {"INVALID_VALUE", "driver.version-mismatch", possible},
};

bool versions_differ(const LogFacts& facts) { return facts.saw({"driver-library-mismatch", "driver-versions-differ"}); }

// 303: no libcuda. Without a kernel driver there is none at all; with one, it was not handed to this place.
void no_libcuda(const LogFacts& facts, const LogEvent& event, Answers& answers) {
  const bool kernel_runs = facts.saw({"driver-kernel-version", "nvrm-loading", "smi-header"});
  if (facts.container()) {
    log_finding(answers, event, "visibility.container-hidden", kernel_runs ? likely : possible);
  } else if (kernel_runs) {
    log_finding(answers, event, "driver.libcuda-missing", likely);
  } else {
    log_finding(answers, event, "driver.not-installed", possible);
  }
}

const Cause* cause_of(const std::string& code) {
  for (const Cause& cause : causes) {
    if (code.find(cause.code) != std::string::npos) return &cause;
  }
  return nullptr;
}

void number_of_count(const LogFacts& facts, Answers& answers) {
  for (const LogEvent* event : facts.all("cuda-count-failed")) {
    const std::string number = field_of(*event, "number");
    if (number == "2") log_finding(answers, *event, facts.wsl() ? "driver.wsl" : "memory.occupied", possible);
    if (number == "101") log_finding(answers, *event, "visibility.invalid-ordinal", possible);
    if (number == "46") log_finding(answers, *event, facts.wsl() ? "driver.wsl" : "driver.compute-mode", possible);
    if (number == "34") log_finding(answers, *event, "driver.libcuda-stub", certain);
    if (number == "209") log_finding(answers, *event, "runtime.arch-unsupported", certain);
    if (number == "222") log_finding(answers, *event, "driver.too-old", likely);
    if (number == "100") log_finding(answers, *event, "driver.unreachable", possible);
    if (number == "304") log_finding(answers, *event, "driver.init-failed", likely);
    if (number == "35") log_finding(answers, *event, "driver.too-old", certain);
    if (number == "802") log_finding(answers, *event, "driver.fabric-manager", likely);
    if (number == "803" || number == "804") log_finding(answers, *event, "driver.compat-package", likely);
    if (number == "500") log_finding(answers, *event, facts.wsl() ? "driver.wsl" : "driver.init-failed", likely);
    if (number == "999") log_finding(answers, *event, "driver.init-failed", likely);
  }
}

}  // namespace

void log_cuinit(const LogFacts& facts, Answers& answers) {
  if (facts.used() || facts.driver_works()) return;
  number_of_count(facts, answers);
  for (const LogEvent* event : facts.all("cuinit-failed")) {
    const std::string code = field_of(*event, "code");
    if (code.find("(303)") != std::string::npos || code.find("SHARED_OBJECT_INIT_FAILED") != std::string::npos) {
      no_libcuda(facts, *event, answers);
    } else if (code.find("NOT_FOUND") != std::string::npos || code.find("(500)") != std::string::npos) {
      log_finding(answers, *event, facts.wsl() ? "driver.wsl" : "driver.init-failed", likely);
    } else if (const Cause* cause = cause_of(code); cause && !versions_differ(facts)) {
      log_finding(answers, *event, cause->id, cause->sure);
    } else if (!cause && !versions_differ(facts)) {
      log_finding(answers, *event, "driver.unreachable", possible);
    }
    return;
  }
}

}  // namespace envdoctor

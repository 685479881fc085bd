// Numbers that differ between device and CPU, as the program that compares them prints them.
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>

#include "checks/facts.h"
#include "checks/log_facts.h"
#include "checks/presence.h"
#include "checks/version_range.h"
#include "knowledge/gpus.h"

namespace envdoctor {
namespace {

using enum Confidence;

// TF32 keeps 10 bits of the mantissa: products are off by about 2^-11, sums of them by somewhat more.
constexpr double tf32_least = 2e-5, tf32_most = 2e-2;
// The smallest normal float32; what lies below is subnormal.
constexpr double least_normal = 1.17549435e-38;

double largest(const LogFacts& facts, const char* kind) {
  double most = -1;
  for (const LogEvent* event : facts.all("numbers-differ-by")) {
    if (field_of(*event, "kind") == kind) most = std::fmax(most, std::atof(field_of(*event, "value").c_str()));
  }
  return most;
}

bool has_tf32(const LogFacts& facts) {
  const auto devices = of(facts.snapshot().nvidia, &Nvidia::devices);
  if (!devices.get()) return false;
  return std::ranges::any_of(*devices.get(), [](const NvidiaDevice& device) {
    return device.compute_capability.get() && knowledge::capability_has(*device.compute_capability.get(), "tf32");
  });
}

// Which builds compute float32 products in TF32 unless told otherwise.
bool tf32_by_default(const LogFacts& facts) {
  return std::ranges::any_of(std::array{"torch", "tensorflow", "jax"}, [&](const char* framework) {
    const std::string version = framework_version(facts.snapshot(), framework);
    return !version.empty() && !rule_for(framework, "tf32_by_default", version).empty();
  });
}

// What a test's own comparison says: how far apart, by absolute and relative size.
void by_a_test(const LogFacts& facts, const LogEvent& event, Answers& answers) {
  const double relative = largest(facts, "relative"), absolute = largest(facts, "absolute");
  const double size = relative >= 0 && std::isfinite(relative) ? relative : absolute;
  if (absolute > 0 && absolute < least_normal) {
    log_finding(answers, event, "compute.denormals", likely);
  } else if (facts.saw({"fast-math-on"})) {
    log_finding(answers, event, "compute.fast-math", likely);
  } else if (size >= tf32_least && size <= tf32_most && (facts.saw({"tf32-used"}) || has_tf32(facts))) {
    log_finding(answers, event, "compute.tf32", facts.saw({"tf32-used"}) || tf32_by_default(facts) ? likely : possible);
  } else if (size > 1e-4) {
    log_finding(answers, event, "compute.wrong-results", possible);
  }
}

// Values printed side by side, of the CPU and of a GPU: the same but for what TF32 leaves out. Where the CPU prints
// nought, the value is itself an error.
void by_printed_values(const LogFacts& facts, Answers& answers) {
  if (!has_tf32(facts) || !tf32_by_default(facts)) return;
  const auto value = [](const LogEvent* event) { return std::atof(field_of(*event, "value").c_str()); };
  for (const LogEvent* gpu : facts.all("printed-value")) {
    if (field_of(*gpu, "device").empty()) continue;
    for (const LogEvent* cpu : facts.all("printed-value")) {
      if (!field_of(*cpu, "device").empty()) continue;
      const double difference = std::fabs(value(gpu) - value(cpu)), scale = std::fabs(value(cpu));
      const double relative = scale > 0 ? difference / scale : difference;
      if (relative < tf32_least || relative > tf32_most) continue;
      log_finding(answers, *gpu, "compute.tf32", likely);
      return;
    }
  }
}

bool whole_number(const std::string& text) { return text.find_first_not_of("0123456789abcdefx-") == std::string::npos; }

// No rounding, TF32's and half precision's included, leaves a tenth of a sum between two results.
bool far_apart(const std::string& device, const std::string& host) {
  const double a = std::atof(device.c_str()), b = std::atof(host.c_str());
  if (!std::isfinite(b)) return false;
  return !std::isfinite(a) || std::fabs(a - b) > 0.1 * std::fmax(std::fabs(a), std::fabs(b));
}

// "CPU result: 17", "GPU result: 18": whole numbers aren't rounded.
void by_labels(const LogFacts& facts, Answers& answers) {
  const auto on_device = [](const LogEvent& event) {
    const std::string on = field_of(event, "on");
    return on[0] == 'G' || on[0] == 'g' || on[0] == 'D' || on[0] == 'd';
  };
  for (const LogEvent* device : facts.all("labelled-result")) {
    for (const LogEvent* host : facts.all("labelled-result")) {
      if (!on_device(*device) || on_device(*host)) continue;
      const std::string a = field_of(*device, "value"), b = field_of(*host, "value");
      const int of = std::tolower(field_of(*device, "of")[0]);
      if (a == b || of != std::tolower(field_of(*host, "of")[0])) continue;
      const bool exact = of == 'r' && whole_number(a) && whole_number(b);
      if (!exact && !far_apart(a, b)) continue;
      log_finding(answers, *device, "compute.wrong-results", exact ? likely : possible);
      return;
    }
  }
}

}  // namespace

const LogRules& log_compute_rules() {
  static const LogRules rules = {
      {"nondeterministic-op", "compute.nondeterministic", certain},
      {"subnormals", "compute.denormals", likely},
      {"size-limit", "compute.size-limit", likely},
      {"opencl-size-limit", "compute.size-limit", likely},
      {"fp64-missing", "compute.fp64-missing", likely},
      {"nan-produced", "compute.unstable", likely},
  };
  return rules;
}

void log_compute(const LogFacts& facts, Answers& answers) {
  for (const char* said : {"numbers-differ", "numbers-differ-by"}) {
    if (facts.all(said).empty()) continue;
    by_a_test(facts, *facts.all(said).front(), answers);
    break;
  }
  by_printed_values(facts, answers);
  by_labels(facts, answers);
}

}  // namespace envdoctor

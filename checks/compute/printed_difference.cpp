// Results of a device and of the CPU that differ, as printed by the program that compares them.
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>

#include "checks/compute/compute_facts.h"
#include "checks/facts/presence.h"
#include "checks/facts/version_range.h"
#include "knowledge/gpus/gpu_models.h"

namespace envdoctor::compute {

using enum SymptomClass;
namespace {

struct PrintedDifference {
  const Symptom* symptom = nullptr;
  WrongResult kind = WrongResult::unnamed;
  Confidence confidence = Confidence::possible;
};

// TF32 keeps 10 bits of the mantissa: products are off by about 2^-11, sums of them by somewhat more.
constexpr double tf32_least = 2e-5, tf32_most = 2e-2;
// The smallest normal float32; smaller numbers are subnormal.
constexpr double least_normal = 1.17549435e-38;

double largest(const Facts& facts, const char* kind) {
  double most = -1;
  for (const Symptom* symptom : facts.all({noted, "difference-of-numbers"})) {
    if (symptom->detail("kind").starts_with(kind)) most = std::fmax(most, std::atof(symptom->detail("value").c_str()));
  }
  return most;
}

bool has_tf32(const Facts& facts) {
  const auto& stated = facts.all({noted, "stated-gpu"});
  if (std::ranges::any_of(
          stated, [](const Symptom* one) { return knowledge::capability_has(one->detail("capability"), "tf32"); }))
    return true;
  return std::ranges::any_of(gpus_of(facts.snapshot()), [](const Gpu& gpu) {
    return gpu.vendor == Vendor::nvidia && !gpu.compute_capability.empty() &&
           knowledge::capability_has(gpu.compute_capability, "tf32");
  });
}

// Builds that compute float32 products in TF32 by default.
bool tf32_by_default(const Facts& facts) {
  return std::ranges::any_of(std::array{"torch", "tensorflow", "jax"}, [&](const char* framework) {
    const std::string version = framework_version(facts.snapshot(), framework);
    return !version.empty() && !rule_for(framework, "tf32_by_default", version).empty();
  });
}

// A test's own comparison: the absolute and the relative difference.
std::optional<PrintedDifference> by_a_test(const Facts& facts) {
  const Symptom* symptom = nullptr;
  for (const Kind& kind : {Kind{wrong_result, "numbers"}, Kind{noted, "difference-of-numbers"}}) {
    if (!symptom && !facts.all(kind).empty()) symptom = facts.all(kind).front();
  }
  if (!symptom) return std::nullopt;
  const double relative = std::fmax(largest(facts, "rel"), largest(facts, "NMSE")), absolute = largest(facts, "abs");
  const double size = relative >= 0 && std::isfinite(relative) ? relative : absolute;
  const bool tf32_on = facts.saw({{present, "tf32"}});
  if (absolute > 0 && absolute < least_normal)
    return PrintedDifference{symptom, WrongResult::flush_to_zero, Confidence::likely};
  if (facts.saw({{present, "fast-math"}}))
    return PrintedDifference{symptom, WrongResult::fast_math, Confidence::likely};
  if (size >= tf32_least && size <= tf32_most && (tf32_on || has_tf32(facts)))
    return PrintedDifference{symptom, WrongResult::tf32_inputs,
                             tf32_on || tf32_by_default(facts) ? Confidence::likely : Confidence::possible};
  if (size > 1e-4) return PrintedDifference{symptom, WrongResult::unnamed, Confidence::possible};
  return std::nullopt;
}

// "error (12.5 kcal/mol) exceeds tolerance (0.6 kcal/mol)": a test allows for rounding, so that what is far beyond its
// limit is none.
std::optional<PrintedDifference> beyond_tolerance(const Facts& facts) {
  constexpr double far_beyond = 10;
  for (const Symptom* one : facts.all({noted, "error-beyond-tolerance"})) {
    const double limit = std::atof(one->detail("limit").c_str());
    if (limit > 0 && std::atof(one->detail("value").c_str()) > far_beyond * limit)
      return PrintedDifference{one, WrongResult::unnamed, Confidence::possible};
  }
  return std::nullopt;
}

// A relative error that no rounding explains, in a program that doesn't say whether it takes it for one. Beside a small
// absolute one it is that of numbers near zero.
std::optional<PrintedDifference> by_printed_error(const Facts& facts) {
  constexpr double small = 2e-2;
  const auto differences = facts.all({noted, "printed-difference"});
  if (std::ranges::any_of(differences, [](const Symptom* one) {
        return one->detail("kind") == "abs" && std::atof(one->detail("value").c_str()) < small;
      }))
    return std::nullopt;
  for (const Symptom* one : facts.all({noted, "error-printed"})) {
    if (std::atof(one->detail("value").c_str()) > 10)
      return PrintedDifference{one, WrongResult::unnamed, Confidence::possible};
  }
  return std::nullopt;
}

// Values of the CPU and of a GPU printed side by side that differ only by TF32's rounding. Where the CPU prints
// zero, the value is itself an error.
std::optional<PrintedDifference> by_printed_values(const Facts& facts) {
  if (!has_tf32(facts) || !tf32_by_default(facts)) return std::nullopt;
  const auto value = [](const Symptom* symptom) { return std::atof(symptom->detail("value").c_str()); };
  for (const Symptom* gpu : facts.all({noted, "tensor-value"})) {
    if (gpu->detail("device").empty()) continue;
    for (const Symptom* cpu : facts.all({noted, "tensor-value"})) {
      if (!cpu->detail("device").empty()) continue;
      const double difference = std::fabs(value(gpu) - value(cpu)), scale = std::fabs(value(cpu));
      const double relative = scale > 0 ? difference / scale : difference;
      if (relative >= tf32_least && relative <= tf32_most)
        return PrintedDifference{gpu, WrongResult::tf32_inputs, Confidence::likely};
    }
  }
  return std::nullopt;
}

// Whether the device of this name may compute in TF32: it is NVIDIA's, and no older card is known.
bool may_have_tf32(const Facts& facts, const std::string& device) {
  if (device == "the same") return false;
  if (has_tf32(facts)) return true;
  const bool nvidia = device.empty() || device == "gpu" || device == "cuda" || device == "cudnn" ||
                      device == "cublas" || device == "triton";
  return nvidia && facts.all({noted, "stated-gpu"}).empty() && gpus_of(facts.snapshot()).empty() &&
         !facts.snapshot().host.or_empty().platform.is("macos");
}

// What a relative difference of the results of a device and of a reference shows. Half precision rounds as coarsely as
// TF32, so of a text that mentions it only gross differences say something.
std::optional<PrintedDifference> by_size(const Facts& facts, const Symptom* differ, double relative) {
  constexpr double gross = 2e-2, unknown_card = 1e-4, older_card = 1e-3;
  const bool half = facts.saw({{noted, "half-precision"}});
  if (relative > gross && facts.saw({{noted, "ill-conditioned"}}))
    return PrintedDifference{differ, WrongResult::unstable, Confidence::possible};
  // Where large numbers cancel, TF32's rounding is all that is left; the text speaks of it and the card has it.
  const bool tf32 = facts.saw({{noted, "tf32"}}) && has_tf32(facts) && differ->detail("products") != "no";
  if (relative > gross && std::isfinite(relative) && tf32)
    return PrintedDifference{differ, WrongResult::tf32_inputs, Confidence::possible};
  if (relative > gross) return PrintedDifference{differ, WrongResult::unnamed, Confidence::possible};
  if (half || relative < tf32_least) return std::nullopt;
  if (may_have_tf32(facts, differ->detail("device")) && differ->detail("products") != "no") {
    if (!has_tf32(facts) && relative < unknown_card) return std::nullopt;
    const bool likely = has_tf32(facts) && tf32_by_default(facts);
    return PrintedDifference{differ, WrongResult::tf32_inputs, likely ? Confidence::likely : Confidence::possible};
  }
  if (relative < older_card) return std::nullopt;
  return PrintedDifference{differ, WrongResult::unnamed, Confidence::possible};
}

// The same numbers of a device and of a reference. Numbers that only the device lost to infinity come from a formula
// that overflows; the CPU's kernel may avoid it.
std::optional<PrintedDifference> by_sides(const Facts& facts) {
  const Symptom* differ = facts.first({{noted, "values-differ"}});
  if (!differ) return std::nullopt;
  const auto is = [&](WrongResult kind, Confidence confidence = Confidence::possible) {
    return PrintedDifference{differ, kind, confidence};
  };
  const double relative = std::atof(differ->detail("relative").c_str());
  const std::string by = differ->detail("by");
  if (by == "subnormal") return is(WrongResult::flush_to_zero);
  if (by == "stuck") return is(WrongResult::unstable);
  if (by == "tf32") return relative > tf32_least ? std::optional(is(WrongResult::tf32_inputs)) : std::nullopt;
  if (by == "neighbours" && !has_tf32(facts)) return std::nullopt;
  if (std::isinf(relative) || by == "nan") {
    if (facts.saw({{noted, "half-precision"}})) return std::nullopt;
    return is(by == "nan" ? WrongResult::unnamed : WrongResult::unstable);
  }
  if (by == "whole") return is(WrongResult::unnamed);
  return by_size(facts, differ, relative);
}

// Of several devices that did the same work, most agree.
std::optional<PrintedDifference> by_devices(const Facts& facts) {
  const Symptom* far = facts.first({{noted, "devices-differ"}});
  if (!far) return std::nullopt;
  return PrintedDifference{far, WrongResult::unnamed, Confidence::possible};
}

// A difference that a script prints. An absolute one says little where the size of the numbers isn't known.
std::optional<PrintedDifference> by_printed_size(const Facts& facts) {
  constexpr double least = 2e-4, without_tf32 = 1e-2, gross = 1;
  if (!facts.all({wrong_result, "numbers"}).empty()) return std::nullopt;  // the test's own figures are judged
  const Symptom* absolute = nullptr;
  for (const Symptom* one : facts.all({noted, "printed-difference"})) {
    if (one->detail("kind") == "rel") return by_size(facts, one, std::atof(one->detail("value").c_str()));
    absolute = one;
  }
  const double value = absolute ? std::atof(absolute->detail("value").c_str()) : 0;
  if (value < least || facts.saw({{noted, "runs-differ"}}) || facts.saw({{noted, "half-precision"}}))
    return std::nullopt;
  if (value > gross) return PrintedDifference{absolute, WrongResult::unnamed, Confidence::possible};
  if (may_have_tf32(facts, absolute->detail("device")))
    return PrintedDifference{absolute, WrongResult::tf32_inputs, Confidence::possible};
  if (value > without_tf32 && absolute->detail("device") != "the same")
    return PrintedDifference{absolute, WrongResult::unnamed, Confidence::possible};
  return std::nullopt;
}

// On a card with TF32 single precision has TF32's error, and double precision, or single
// precision on an older card, is right.
std::optional<PrintedDifference> by_precisions(const Facts& facts) {
  constexpr double right = 1e-5;
  const Symptom* coarse = nullptr;
  bool fine = false;
  for (const Symptom* one : facts.all({noted, "error-of-precision"})) {
    const double error = std::atof(one->detail("value").c_str());
    const std::string capability = one->detail("capability");
    const bool narrow = capability.empty() ? has_tf32(facts) : knowledge::capability_has(capability, "tf32");
    if (one->detail("precision") == "fp32" && narrow && error >= tf32_least && error <= tf32_most) coarse = one;
    fine = fine || (error < right && (one->detail("precision") != "fp32" || !narrow));
  }
  if (!coarse || !fine) return std::nullopt;
  return PrintedDifference{coarse, WrongResult::tf32_inputs, Confidence::likely};
}

// Results that are right with a switch off and wrong with it on.
std::optional<PrintedDifference> by_switch(const Facts& facts) {
  const Symptom* one = facts.first({{noted, "switch-changes-results"}});
  if (!one) return std::nullopt;
  const bool tf32 = one->detail("switch") == "tf32";
  return PrintedDifference{one, tf32 ? WrongResult::tf32_inputs : WrongResult::fast_math, Confidence::likely};
}

bool whole_number(const std::string& text) { return text.find_first_not_of("0123456789abcdefx-") == std::string::npos; }

// No rounding, not even of TF32 or half precision, makes two results differ by a tenth of a sum.
bool differ_much(const std::string& device, const std::string& host) {
  const double a = std::atof(device.c_str()), b = std::atof(host.c_str());
  if (!std::isfinite(b)) return false;
  return !std::isfinite(a) || std::fabs(a - b) > 0.1 * std::fmax(std::fabs(a), std::fabs(b));
}

// "CPU result: 17", "GPU result: 18": whole numbers aren't rounded.
std::optional<PrintedDifference> by_labels(const Facts& facts) {
  const auto on_device = [](const Symptom& symptom) {
    const std::string on = symptom.detail("on");
    return on[0] == 'G' || on[0] == 'g' || on[0] == 'D' || on[0] == 'd';
  };
  for (const Symptom* device : facts.all({noted, "device-result"})) {
    for (const Symptom* host : facts.all({noted, "device-result"})) {
      if (!on_device(*device) || on_device(*host)) continue;
      const std::string a = device->detail("value"), b = host->detail("value");
      const int of = std::tolower(device->detail("of")[0]);
      if (a == b || of != std::tolower(host->detail("of")[0])) continue;
      const bool exact = of == 'r' && whole_number(a) && whole_number(b);
      if (exact || differ_much(a, b))
        return PrintedDifference{device, WrongResult::unnamed, exact ? Confidence::likely : Confidence::possible};
    }
  }
  return std::nullopt;
}

}  // namespace

void add_printed(const Facts& facts, Answers& answers, WrongResult kind) {
  const auto switched = by_switch(facts);  // says more than sizes do
  for (const auto& one :
       {switched, by_a_test(facts), by_printed_error(facts), by_printed_values(facts), by_precisions(facts),
        by_labels(facts), beyond_tolerance(facts), by_sides(facts), by_printed_size(facts), by_devices(facts)}) {
    if (one && one->kind == kind) answers.found_in(*one->symptom, one->confidence);
  }
}

}  // namespace envdoctor::compute

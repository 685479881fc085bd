// python.duplicate-packages: two packages that write the same folder; the one installed last is the one that runs.
#include <array>

#include "checks/check.h"
#include "checks/facts.h"

namespace envdoctor {
namespace {

constexpr const char* id = "python.duplicate-packages";

struct Pair {
  const char* one;
  const char* other;
};

// Each pair installs the same Python package.
constexpr std::array<Pair, 7> pairs{{
    {"tensorflow", "tensorflow-gpu"},
    {"tensorflow", "tensorflow-cpu"},
    {"tensorflow-cpu", "tensorflow-gpu"},
    {"tensorflow", "tensorflow-rocm"},
    {"tf-nightly", "tensorflow"},
    {"onnxruntime", "onnxruntime-gpu"},
    {"jax-cuda12-plugin", "jax-cuda13-plugin"},
}};

void run(const Snapshot& snapshot, Answers& answers) {
  const auto packages = of(snapshot.python, &Python::packages);
  if (!packages.get()) {
    answers.unknown(id, why_unknown("/python/packages", packages));
    return;
  }
  bool any = false;
  for (const Pair& pair : pairs) {
    if (!package_installed(snapshot, pair.one).is(true) || !package_installed(snapshot, pair.other).is(true)) continue;
    any = true;
    Finding& finding = answers.found(id, std::string("package:") + pair.other);
    const bool works = of(snapshot.tensorflow, &Tensorflow::physical_gpus).get() &&
                       *of(snapshot.tensorflow, &Tensorflow::physical_gpus).get() > 0;
    finding.confidence = Confidence::possible;
    if (works) finding.severity = Severity::info;
    finding.explanation = std::string(pair.one) + " and " + pair.other +
                          " install the same folder, so the one that was installed last is the one that runs.";
    finding.evidence.push_back(seen("/python/packages", std::string(pair.one) + ", " + pair.other));
    finding.fix.push_back({.text = diagnosis(id)->remedy});
  }
  if (!any) answers.sound(id);
}

}  // namespace

Check python_duplicate_packages() { return {.ids = {id}, .run = run}; }

}  // namespace envdoctor

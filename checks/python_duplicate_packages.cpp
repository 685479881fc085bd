// python.duplicate-packages: two packages that write the same folder; the one installed last is the one that runs.
#include <array>

#include "checks/check.h"
#include "checks/facts.h"
#include "checks/imports.h"

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

// Of a host that was looked at: what the lists of installed files say, and whose files lie there.
bool tell_seen(const Snapshot& snapshot, Answers& answers) {
  const auto twice = of(snapshot.python, &Python::written_twice);
  bool told = false;
  for (std::size_t i = 0; twice.get() && i < twice.get()->size(); ++i) {
    const WrittenTwice& one = (*twice.get())[i];
    const auto* packages = one.packages.get();
    if (!packages || packages->size() != 2 || !one.folder.get()) continue;
    const std::string first = packages->front().substr(0, packages->front().find(' '));
    const bool matters =
        !framework_of_package(*one.folder.get()).empty() || one.folder.is("numpy") || one.folder.is("onnxruntime");
    if (!matters) continue;
    told = true;
    Finding& finding = answers.found(id, "package:" + first);
    finding.confidence = Confidence::certain;
    finding.explanation =
        packages->front() + " and " + packages->back() + " both install the folder " + *one.folder.get() + ". ";
    if (one.winner.get())
      finding.explanation += "The files that lie there are those of " + *one.winner.get() + ".";
    else if (one.winner.outcome() == Outcome::failed)
      finding.explanation += "Files of both lie there, mixed.";
    else
      finding.explanation += "The one that was installed last is the one that runs.";
    finding.evidence = {seen(at("/python/written_twice", i, "packages"), packages->front() + ", " + packages->back())};
    finding.fix = {{.text = diagnosis(id)->remedy}};
  }
  return told;
}

void run(const Snapshot& snapshot, Answers& answers) {
  if (tell_seen(snapshot, answers)) return;
  const auto packages = of(snapshot.python, &Python::packages);
  if (!packages.get()) {
    answers.unknown(id, why_unknown("/python/packages", packages));
    return;
  }
  bool any = false;
  for (const Pair& pair : pairs) {
    if (!package_installed(snapshot, pair.one).is(true) || !package_installed(snapshot, pair.other).is(true)) continue;
    if (of(snapshot.python, &Python::written_twice).get()) continue;  // looked at: they don't share a file
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

// python.numpy-abi: a framework's own metadata requires another NumPy than the installed one, or its import says so.
// The result of the import decides the severity.
#include <re2/re2.h>

#include "checks/engine/rule.h"
#include "checks/facts/imports.h"
#include "checks/python/package_facts.h"
#include "knowledge/frameworks/frameworks.h"
#include "knowledge/gpus/drivers.h"
#include "knowledge/lazy_regex.h"

namespace envdoctor::python_numpy_abi {

using enum SymptomClass;

// Releases without an upper bound that break anyway.
void numpy_2_under_old_tensorflow(const Snapshot& snapshot, Answers& answers) {
  const Text version = of(snapshot.tensorflow, &Tensorflow::version);
  const std::string numpy = listed_version(snapshot, "numpy");
  if (!version.get() || numpy.empty()) return;
  const auto needs = knowledge::tensorflow_needs(*version.get());
  if (!needs || needs->takes_numpy2.value_or(true) || knowledge::major_of(numpy) == "1" ||
      imports_well(snapshot, "tensorflow").is(true))
    return;
  Finding& finding = answers.found_on("package:numpy");
  finding.confidence = imports_well(snapshot, "tensorflow").is(false) ? Confidence::certain : Confidence::likely;
  finding.explanation = "TensorFlow " + *version.get() + " was built for NumPy 1; " + numpy + " is installed.";
  finding.evidence = {evidence("/tensorflow/version", *version.get()), evidence("/python/packages/numpy", numpy)};
  finding.fix = {{.text = find_diagnosis(answers.id)->remedy, .command = pip_install(snapshot, "'numpy<2'")}};
}

// Wheels of PyTorch before 2.3 were built for NumPy 1: https://github.com/pytorch/pytorch/issues/107302
void numpy_2_under_old_torch(const Snapshot& snapshot, Answers& answers) {
  const std::string torch = framework_version(snapshot, "torch");
  const std::string numpy = listed_version(snapshot, "numpy");
  if (torch.empty() || numpy.empty() || knowledge::compare_versions(numpy, "2") < 0 ||
      knowledge::compare_versions(torch, "2.3") >= 0)
    return;
  Finding& finding = answers.found_on("package:numpy");
  finding.severity = Severity::warning;
  finding.confidence = Confidence::likely;
  finding.explanation = "PyTorch " + torch + " was built for NumPy 1; " + numpy +
                        " is installed, so tensors and arrays can't be turned into each other.";
  finding.evidence = {framework_seen(snapshot, "torch"), evidence("/python/packages/numpy", numpy)};
  finding.fix = {{.text = find_diagnosis(answers.id)->remedy, .command = pip_install(snapshot, "'numpy<2'")}};
}

// A framework's own code asks for a name that NumPy has removed: np.bool, np.object and the like went in 1.24.
void removed_names(const Facts& facts, Answers& answers) {
  const Symptom* line = facts.first({{mismatch, "numpy-of-framework"}});
  if (!line) return;
  Finding& finding = answers.found_in(*line, Confidence::likely);
  finding.title = "The framework is older than NumPy";
  finding.explanation = line->detail("framework") + "'s own code uses a name that the installed NumPy has removed.";
  finding.fix = {{.text = "Install the NumPy of the framework's time (below 1.24 for np.bool, np.int, np.object), or a "
                          "newer release of the framework.",
                  .command = pip_install(facts, "'numpy<1.24'")}};
}

void judge(const Facts& facts, Answers& answers) {
  const bool settled = judge_requirements(
      facts, {"numpy"},
      "Code that was compiled for one major version of NumPy crashes or refuses to load with another.", answers);
  const bool found = settled && of(facts.snapshot().python, &Python::requirements).get();
  if (!found) numpy_2_under_old_tensorflow(facts.snapshot(), answers);
  if (!found) numpy_2_under_old_torch(facts.snapshot(), answers);
  removed_names(facts, answers);
}

// The first NumPy with this version of its C interface (numpy/_core/include/numpy/numpyconfig.h); empty: an older one.
std::string numpy_of_interface(unsigned version) {
  static constexpr std::pair<unsigned, const char*> rows[] = {
      {0xa, "1.10"},  {0xb, "1.13"},  {0xc, "1.14"}, {0xd, "1.16"}, {0xe, "1.20"}, {0xf, "1.22"},
      {0x10, "1.23"}, {0x11, "1.25"}, {0x12, "2.0"}, {0x13, "2.1"}, {0x14, "2.3"}, {0x15, "2.4"}};
  for (const auto& [number, first] : rows)
    if (number == version) return first;
  return {};
}

// The versions that a message about two of them asks for, as pip writes them; empty: it doesn't say.
std::string numpy_wanted(const std::string& text) {
  static const LazyRegex interfaces(
      R"(against A[BP]I version 0x([0-9a-f]+) but this version of numpy is 0x([0-9a-f]+))", RE2::Latin1);
  static const LazyRegex named(R"(against NumPy C-API version 0x[0-9a-f]+ \(NumPy (\d+\.\d+)\))", RE2::Latin1);
  static const LazyRegex sizes(R"(numpy\.(dtype|ndarray) size changed.*Expected (\d+) from C header, got (\d+))",
                               RE2::Latin1);
  static const LazyRegex of_numba(R"(Numba needs NumPy (\d+)\.(\d+) or (less|greater))", RE2::Latin1);
  constexpr unsigned first_of_two = 0x2000000;  // the binary interface of NumPy 2
  unsigned built = 0, here = 0, major = 0, minor = 0;
  std::string what;
  if (text.find("compiled using NumPy 1.x") != text.npos || text.find("_ARRAY_API not found") != text.npos) return "<2";
  if (RE2::PartialMatch(text, interfaces, RE2::Hex(&built), RE2::Hex(&here))) {
    const std::string first = built > here ? numpy_of_interface(built) : "";
    return !first.empty() ? ">=" + first : built < here && here >= first_of_two ? "<2" : "";
  }
  if (RE2::PartialMatch(text, named, &what)) return ">=" + what;
  if (RE2::PartialMatch(text, sizes, &what, &built, &here)) {
    if (what == "dtype") return built == 96 && here == 88 ? ">=2" : built == 88 && here == 96 ? "<2" : "";
    return here != 80 ? "" : built == 88 ? ">=1.20" : ">=1.22";
  }
  if (RE2::PartialMatch(text, of_numba, &major, &minor, &what))
    return what == "less" ? fmt::format("<{}.{}", major, minor + 1) : fmt::format(">={}.{}", major, minor);
  return {};
}

void name_numpy(const Facts& facts, Answers& answers) {
  const std::string wanted = versions_asked_for(facts, {mismatch, "numpy-abi"}, numpy_wanted);
  if (wanted.empty()) return;
  each_without_command(answers, [&](Finding& finding) {
    const bool newer = wanted.starts_with('>');
    if (newer) finding.explanation = "A package was compiled against a newer NumPy than the installed one.";
    finding.fix = {{.text = newer
                                ? "Update NumPy, or install an older release of the package."
                                : "Install an older NumPy, or a release of the package that was built for this one."}};
    install_by_pip(facts, "\"numpy" + wanted + "\"", finding.fix.front());
  });
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "python.numpy-abi",
      .layer = Layer::framework,
      .severity = Severity::error,
      .title = "NumPy and a compiled package are incompatible",
      .claim = "A package was compiled against another major version of NumPy than the installed one.",
      .proof = "The import's message names NumPy's binary interface.",
      .disproof = "The package imports with this NumPy.",
      .remedy = "Install NumPy below 2, or a version of the package that was built for NumPy 2.",
      .explains = {"python.broken-install", "usage.detected-unused"},
      .symptoms =
          {
              {{mismatch, "numpy-abi"}, certain},
          },
      .judge = judge,
      .complete = name_numpy,
  };
}

}  // namespace envdoctor::python_numpy_abi

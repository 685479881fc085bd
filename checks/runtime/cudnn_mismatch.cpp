// runtime.cudnn-mismatch: the copy of cuDNN that TensorFlow or JAX would load is older than its build requires, or of
// another major version.
#include "checks/engine/rule.h"
#include "checks/runtime/library_facts.h"
#include "knowledge/gpus/drivers.h"

namespace envdoctor::runtime_cudnn_mismatch {

using enum SymptomClass;
using knowledge::major_minor_of;
using knowledge::major_of;

struct Wanted {
  std::string who{};      // "TensorFlow 2.18"
  std::string version{};  // at least this, of the same major
  Evidence evidence{};
};

struct Copy {
  std::string version{};
  std::string where{};
  int rank = 3;
  Evidence evidence{};
};

// cuDNN guarantees this between releases: same major version, same or higher minor version.
bool fits(const std::string& copy, const std::string& wanted) {
  return major_of(copy) == major_of(wanted) &&
         knowledge::compare_versions(major_minor_of(copy), major_minor_of(wanted)) >= 0;
}

std::optional<Wanted> tensorflow_wants(const Snapshot& snapshot) {
  if (of(snapshot.tensorflow, &Tensorflow::built_with_cuda).is(false)) return std::nullopt;
  const std::string version = framework_version(snapshot, "tensorflow");
  const std::string who = version.empty() ? "TensorFlow" : "TensorFlow " + version;
  const Text built = of(snapshot.tensorflow, &Tensorflow::cudnn_version);
  if (built.get())
    return Wanted{who, cudnn_version_text(*built.get()), evidence("/tensorflow/cudnn_version", *built.get())};
  const auto needs = knowledge::tensorflow_needs(version);
  if (!needs || needs->cudnn.empty()) return std::nullopt;
  return Wanted{who, needs->cudnn, framework_seen(snapshot, "tensorflow")};
}

std::optional<Wanted> jax_wants(const Snapshot& snapshot) {
  const std::string version = framework_version(snapshot, "jax");
  const auto needs = jax_needs(snapshot, version);
  if (!needs || needs->cudnn.empty()) return std::nullopt;
  return Wanted{"JAX " + version, needs->cudnn, framework_seen(snapshot, "jax")};
}

// The copies in the order in which they would be loaded. A name with another major version is never loaded instead.
std::vector<Copy> copies(const Snapshot& snapshot, const std::string& wanted_major) {
  std::vector<Copy> all;
  const auto& libraries = snapshot.libraries.or_empty();
  for (std::size_t i = 0; i < libraries.size(); ++i) {
    const SharedLibrary& row = libraries[i];
    const std::string soname = text_of(row.soname);
    const bool main_library = soname == "libcudnn" || soname.starts_with("libcudnn.so");
    if (!row.found.is(true) || !row.version.get() || !main_library) continue;
    if (soname.starts_with("libcudnn.so.") && major_of(soname.substr(12)) != wanted_major) continue;
    all.push_back({cudnn_version_text(*row.version.get()), text_of(row.path), precedence(row),
                   evidence(at("/libraries", i, "version"), *row.version.get())});
  }
  for (const auto& [name, version] : of(snapshot.python, &Python::packages).or_empty()) {
    if (name.starts_with("nvidia-cudnn-cu") && major_of(version) == wanted_major)
      all.push_back({version, "the package " + name, 2, evidence("/python/packages/" + name, version)});
  }
  std::ranges::stable_sort(all, {}, &Copy::rank);
  return all;
}

void report(const Wanted& wanted, const Copy& copy, Answers& answers) {
  Finding& finding = answers.found_on("library:libcudnn.so." + major_of(wanted.version));
  finding.confidence = Confidence::likely;
  finding.explanation = wanted.who + " was built with cuDNN " + wanted.version + " and would load " + copy.version +
                        (copy.where.empty() ? "" : " (" + copy.where + ")") +
                        ". It needs the same major version and the same or a higher minor version.";
  finding.evidence = {wanted.evidence, copy.evidence};
  finding.fix = {{.text = copy.rank < 2 ? "Take this copy's folder out of LD_LIBRARY_PATH or LD_PRELOAD, so that the "
                                          "environment's own copy is loaded."
                                        : "Install cuDNN " + major_minor_of(wanted.version) + " or a later " +
                                              major_of(wanted.version) + ".x into the framework's own environment."}};
}

void judge(const Snapshot& snapshot, Answers& answers) {
  if (has_gpu(snapshot, Vendor::nvidia).is(false)) return answers.not_applicable("no NVIDIA GPU");
  bool asked = false, judged = false;
  for (const auto& wanted : {tensorflow_wants(snapshot), jax_wants(snapshot)}) {
    if (!wanted) continue;
    asked = true;
    const auto all = copies(snapshot, major_of(wanted->version));
    if (all.empty()) continue;
    judged = true;
    if (fits(all.front().version, wanted->version)) continue;
    report(*wanted, all.front(), answers);
  }
  if (!asked && of(snapshot.python, &Python::packages).get())
    return answers.not_applicable("no framework here is known to load cuDNN from outside");
  if (!asked) return answers.unknown("what the framework was built with is not known");
  if (!judged) return answers.unknown("no copy of cuDNN of this major version tells its version");
  answers.passed();
}

// JAX could not start cuDNN, and the only copy that is known is a package of another major version than its build's.
void judge_failed(const Facts& facts, Answers& answers) {
  const Symptom* failed =
      facts.first({{missing, "dnn-library"}, {SymptomClass::failed, "cudnn-handle"}, {SymptomClass::failed, "cudnn"}});
  const auto wanted = jax_wants(facts);
  if (!failed || !wanted || facts.used() || !copies(facts, major_of(wanted->version)).empty()) return;
  for (const auto& [name, version] : of(facts.snapshot().python, &Python::packages).or_empty()) {
    if (!name.starts_with("nvidia-cudnn-cu") || major_of(version) == major_of(wanted->version)) continue;
    report(*wanted, {version, "the package " + name, 2, evidence("/python/packages/" + name, version)}, answers);
    answers.findings.back().evidence.push_back(evidence(*failed));
    return;
  }
}

// JAX names the outdated library in one line and the versions in the next, whichever library it is.
bool of_another_library(const Facts& facts) {
  const auto& outdated = facts.all({too_old, "jax-library"});
  return !outdated.empty() &&
         std::ranges::none_of(outdated, [](const Symptom* one) { return one->detail("library") == "cuDNN"; });
}

bool not_shadowed(const Facts& facts) { return !facts.saw({{duplicate, "cudnn"}}) && !of_another_library(facts); }

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "runtime.cudnn-mismatch",
      .layer = Layer::runtime,
      .severity = Severity::error,
      .title = "cuDNN has another version than the framework was built for",
      .claim =
          "The copy of cuDNN that is loaded has another major version, or a lower minor one, than the build expects.",
      .proof = "The framework or the files show the loaded and the expected cuDNN version.",
      .disproof = "The loaded cuDNN has the build's major version and at least its minor one.",
      .remedy =
          "Install the cuDNN that the framework names, in its own environment, and keep other copies out of the search "
          "path.",
      .explains = {"usage.detected-unused", "memory.preallocated"},
      .symptoms =
          {
              {{mismatch, "cudnn-version"}, certain, not_shadowed},
              {{mismatch, "cudnn-version"},
               likely,
               [](const Facts& f) {
                 return f.saw({{duplicate, "cudnn"}});
               }},
              {{mismatch, "cudnn-sublibrary-version"}, likely},
              {{mismatch, "cudnn-launch"}, possible},
              {{too_old, "jax-library"}, likely, nullptr, "library", "cuDNN"},
          },
      .judge_host = judge,
      .judge = judge_failed,
  };
}

}  // namespace envdoctor::runtime_cudnn_mismatch

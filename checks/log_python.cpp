// Python's own trouble: the wrong interpreter, versions that don't fit, imports that fail before any GPU question.
#include <algorithm>
#include <set>

#include "checks/facts.h"
#include "checks/log_facts.h"

namespace envdoctor {
namespace {

bool frameworks_pip(const LogFacts& facts, const char* package) {
  return facts.with("pip-no-version", "requirement", package) != nullptr;
}
bool gpu_framework_asked(const LogFacts& facts) {
  return frameworks_pip(facts, "tensorflow") || frameworks_pip(facts, "torch") || frameworks_pip(facts, "jax") ||
         frameworks_pip(facts, "keras") || frameworks_pip(facts, "nvidia-");
}
bool dll_alone(const LogFacts& facts) {
  return !facts.saw({"library-missing", "numpy-abi", "isa-missing", "illegal-instruction", "protobuf-mismatch"});
}
// An extension for CUDA can't be loaded into a torch for the CPU, and is whole.
bool not_for_a_cpu_torch(const LogFacts& facts) {
  return !facts.with("conda-cpu-build", "program", "torch") && !facts.with("cpu-only-build", "program", "torch");
}
bool keras_asked(const LogFacts& facts) { return facts.saw({"keras-mixed", "keras-version-mismatch"}); }

}  // namespace

const LogRules& log_python_rules() {
  using enum Confidence;
  static const LogRules rules = {
      {"numpy-abi", "python.numpy-abi", certain},
      {"protobuf-mismatch", "python.protobuf-mismatch", certain},
      {"pip-no-version", "python.version-unsupported", likely, gpu_framework_asked},
      {"pip-wheel-unsupported", "python.version-unsupported", likely},
      {"pip-requires-python", "python.version-unsupported", likely, gpu_framework_asked},
      {"packages-twice", "python.duplicate-packages", likely},
      {"pip-conflict", "keras.version-mismatch", possible, keras_asked, "needs", "keras"},
      {"pip-conflict", "keras.version-mismatch", possible, nullptr, "package", "tf-keras"},
      {"pip-conflict", "keras.version-mismatch", possible, nullptr, "package", "tf_keras"},
      {"jaxlib-mismatch", "python.broken-install", likely},
      {"extension-mismatch", "python.broken-install", likely, not_for_a_cpu_torch},
      {"isa-missing", "cpu.isa-missing", certain},
      {"illegal-instruction", "cpu.isa-missing", likely},
      {"dll-load-failed", "python.broken-install", possible, dll_alone},
      {"import-broken", "python.broken-install", likely, dll_alone},
      {"half-uninstalled", "python.broken-install", possible, dll_alone},
      {"libstdcxx-too-old", "runtime.library-shadowed", possible},
      {"glibc-too-old", "python.broken-install", possible},
      {"openmp-twice", "python.broken-install", possible},
      {"native-runtime-failed", "python.broken-install", possible, dll_alone},
      {"keras-legacy-missing", "keras.legacy-missing", certain},
      {"keras-version-mismatch", "keras.version-mismatch", likely},
      {"keras-mixed", "keras.mixed-keras", likely},
      {"channels-first-on-cpu", "keras.image-data-format", possible, not_used},
      {"keras-backend-missing", "keras.backend-mismatch", likely},
      {"keras-backend", "keras.backend-mismatch", likely, not_used, "backend", "Theano"},
      {"keras-backend", "keras.backend-mismatch", likely, not_used, "backend", "CNTK"},
  };
  return rules;
}

// pip's list of conflicts names what is installed, and two packages of TensorFlow write the same folder.
void installed_twice(const LogFacts& facts, Answers& answers) {
  static const std::set<std::string, std::less<>> same_folder = {"tensorflow",      "tensorflow-cpu", "tensorflow-gpu",
                                                                 "tensorflow-rocm", "tf-nightly",     "tf-nightly-gpu"};
  const LogEvent* first = nullptr;
  for (const LogEvent* event : facts.all("pip-conflict")) {
    if (!same_folder.contains(field_of(*event, "package"))) continue;
    if (!first) first = event;
    if (field_of(*first, "package") == field_of(*event, "package")) continue;
    log_finding(answers, *first, "python.duplicate-packages", Confidence::likely)
        .evidence.push_back(seen_event(*event));
    return;
  }
}

void log_modules(const LogFacts& facts, Answers& answers) {
  installed_twice(facts, answers);
  for (const LogEvent* event : facts.all("module-missing")) {
    const std::string module = field_of(*event, "module");
    const auto is = [&module](std::initializer_list<std::string_view> names) {
      return std::ranges::find(names, module) != names.end();
    };
    if (module == "tf_keras") continue;  // told by keras.legacy-missing
    if (is({"tensorflow", "torch", "jax", "jaxlib", "keras", "tensorflow_gpu"})) {
      // The package list of the environment names it, and the interpreter that ran has not got it.
      const bool listed = package_installed(facts.snapshot(), module == "torch" ? "pytorch" : module).is(true) ||
                          package_installed(facts.snapshot(), module).is(true) ||
                          (module == "torch" && !facts.all("conda-cpu-build").empty());
      // Keras named its backend and went to import it.
      if (!listed && module == "tensorflow" && facts.with("keras-backend", "backend", "TensorFlow"))
        log_finding(answers, *event, "keras.backend-mismatch", Confidence::likely);
      log_finding(answers, *event, "python.wrong-environment", listed ? Confidence::likely : Confidence::possible);
    } else if (module.starts_with("tensorflow.") || module.starts_with("torch.") || module.starts_with("jaxlib.") ||
               is({"_pywrap_tensorflow_internal", "_pywrap_tensorflow", "torch._C"})) {
      log_finding(answers, *event, "python.broken-install", Confidence::likely);
    } else if (module.starts_with("keras.")) {
      log_finding(answers, *event, "keras.version-mismatch", Confidence::likely);
    } else {
      continue;
    }
    break;
  }
}

}  // namespace envdoctor

// keras.backend-mismatch: the backend that Keras is set to use, the one it runs on, and whether it is installed. The
// variable takes precedence over the file, and both are read once, when Keras is imported.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "checks/engine/rule.h"
#include "checks/facts/imports.h"
#include "checks/facts/version_range.h"
#include "checks/python/package_facts.h"

namespace envdoctor::keras_backend_mismatch {

using enum SymptomClass;

Finding& report(Answers& answers, const std::string& words, std::vector<Evidence> proof) {
  Finding& finding = answers.found_on("framework:keras");
  finding.explanation = words;
  finding.evidence = std::move(proof);
  finding.fix.push_back({.text = find_diagnosis(answers.id)->remedy});
  return finding;
}

struct Wish {
  std::string backend{};
  Evidence evidence{};
};

Wish wish_of(const Snapshot& snapshot) {
  const Text variable = env_of(snapshot, "KERAS_BACKEND");
  if (variable.get() && !variable.get()->empty())
    return {*variable.get(), evidence("/env/KERAS_BACKEND", *variable.get())};
  const Text file = of(snapshot.keras, &Keras::config_backend);
  if (file.get()) return {*file.get(), evidence("/keras/config_backend", *file.get())};
  return {"tensorflow", evidence("/keras/config_backend", "not set: tensorflow")};
}

Flag backend_installed(const Snapshot& snapshot, const std::string& backend) {
  for (const Import& one : imports_of(snapshot)) {
    if (one.framework == backend) return true;
  }
  // A text that shows a few packages does not show all.
  constexpr std::size_t fewest_of_list = 6;
  const auto& listed = of(snapshot.python, &Python::packages);
  if (snapshot.texts.get() && listed.or_empty().size() < fewest_of_list) return {};
  return listed.then([&](const std::map<std::string, std::string>& packages) {
    return std::ranges::any_of(packages, [&](const auto& entry) {
      return entry.first == backend || framework_of_package(entry.first) == backend;
    });
  });
}

// The values of KERAS_BACKEND in Keras 3 (keras/src/backend/__init__.py of 3.12).
constexpr std::array known_backends = {"tensorflow", "jax", "torch", "numpy", "openvino"};

// The environment that VIRTUAL_ENV names, if it is another one and has this backend; otherwise "".
std::string activated_with(const Snapshot& snapshot, const std::string& backend) {
  const auto place = of(snapshot.python, &Python::activated);
  const auto holds = [&](const std::string& framework) { return framework.starts_with(backend); };
  return place.get() && std::ranges::any_of(place.get()->frameworks.or_empty(), holds) ? text_of(place.get()->prefix)
                                                                                       : "";
}

// Checks that the configured backend is installed. True: it is not, and a finding was added.
bool judge_wish(const Snapshot& snapshot, Answers& answers) {
  // Keras 2 supports only TensorFlow; Keras 3 uses the configured backend.
  const Text version = of(snapshot.keras, &Keras::version);
  if (!version.get() || rule_for("keras", "chooses_backend", *version.get()).empty()) return false;
  const Wish wish = wish_of(snapshot);
  if (std::ranges::find(known_backends, wish.backend) == known_backends.end()) {
    // Never suggests to install it: anyone may have published a package of that name.
    Finding& finding = report(answers,
                              fmt::format("No backend of Keras 3 is named {}. Keras takes {}.", wish.backend,
                                          fmt::join(known_backends, ", ")),
                              {wish.evidence, evidence("/keras/version", *version.get())});
    finding.severity = Severity::error;
    finding.fix = {{.text = "Set KERAS_BACKEND, or \"backend\" in keras.json, to one of these."}};
    return true;
  }
  if (!backend_installed(snapshot, wish.backend).is(false)) return false;
  Finding& finding = report(answers,
                            "Keras is configured to use " + wish.backend +
                                ", which is not installed in this environment, so Keras can't be imported.",
                            {wish.evidence, evidence("/python/packages", wish.backend + " is not among them")});
  finding.severity = Severity::error;
  finding.fix = {{.text = "Install " + wish.backend + ", or set KERAS_BACKEND to a backend that is installed."}};
  if (const std::string other = activated_with(snapshot, wish.backend); !other.empty()) {
    finding.explanation += " VIRTUAL_ENV names " + other + ", which holds it, and python3 on PATH is another one.";
    finding.fix = {{.text = "Activate that environment again, so that it comes first on PATH; or name it: --python.",
                    .command = ". \"" + other + "/bin/activate\""}};
  }
  return true;
}

void judge_backend(const Snapshot& snapshot, Answers& answers) {
  const Text runs = of(snapshot.keras, &Keras::backend);
  const Text file = of(snapshot.keras, &Keras::config_backend);
  const std::string variable = text_of(env_of(snapshot, "KERAS_BACKEND"));
  if (judge_wish(snapshot, answers)) return;
  if (!snapshot.keras.get()) return answers.not_applicable("Keras was not looked at");
  if (!runs.get()) return answers.unknown(why_unknown("/keras/backend", runs));
  const std::string end = " and Keras runs on " + *runs.get();
  const Evidence seen = evidence("/keras/backend", *runs.get());
  // The report mentions the file, and something takes precedence over it.
  const bool in_a_report = !of(snapshot.python, &Python::packages).get();
  if (!variable.empty() && variable != *runs.get()) {
    report(answers,
           "KERAS_BACKEND is " + variable + end +
               ": the variable was set after Keras had been imported, or in another shell.",
           {evidence("/env/KERAS_BACKEND", variable), seen});
  } else if (file.get() && file != runs && (in_a_report || variable.empty())) {
    report(answers,
           "keras.json names " + *file.get() + end +
               (variable.empty() ? "." : ": the variable KERAS_BACKEND outranks the file."),
           {evidence("/keras/config_backend", *file.get()), seen});
  } else {
    answers.passed();
  }
}

// Keras runs on a framework that finds no GPU, and another one here has it. Only a text tells what was meant; in a
// probed environment the framework's own build is the cause.
void report_blind_backend(const Snapshot& snapshot, Answers& answers) {
  const Text runs = of(snapshot.keras, &Keras::backend);
  if (!runs.get() || !snapshot.texts.get() || snapshot.probes.get()) return;
  const Number tensorflow = of(snapshot.tensorflow, &Tensorflow::physical_gpus);
  const Flag torch = of(snapshot.torch, &Torch::cuda_available);
  const Text jax = of(snapshot.jax, &Jax::backend);
  struct Backend {
    const char* name;
    bool blind, sees;
    Evidence seen;
  };
  const Backend all[] = {
      {"tensorflow", tensorflow.is(0), tensorflow.or_empty() > 0,
       evidence("/tensorflow/physical_gpus", std::to_string(tensorflow.or_empty()))},
      {"torch", torch.is(false), torch.is(true), evidence("/torch/cuda_available", torch.is(true) ? "true" : "false")},
      {"jax", jax.is("cpu"), jax.get() && !jax.is("cpu"), evidence("/jax/backend", jax.or_empty())}};
  const auto own = std::ranges::find_if(all, [&](const Backend& one) { return *runs.get() == one.name; });
  const auto other = std::ranges::find_if(all, [](const Backend& one) { return one.sees; });
  if (own == std::end(all) || other == std::end(all) || !own->blind) return;
  report(answers, "Keras runs on " + *runs.get() + ", which finds no GPU here, and " + other->name + " finds one.",
         {evidence("/keras/backend", *runs.get()), own->seen, other->seen})
      .confidence = Confidence::likely;
}

// Keras named TensorFlow as its backend, and could not import it. What somebody imports by hand later is another
// program.
void report_missing_backend(const Facts& facts, Answers& answers) {
  const auto module = missing_module(facts);
  const Symptom* named = facts.with({noted, "keras-backend"}, "backend", "TensorFlow");
  if (named && std::ranges::any_of(facts.all({noted, "framework-import"}), [&](const Symptom* one) {
        const std::string& text = one->text.or_empty();
        return one->detail("module") == "tensorflow" && one->line.or_empty() > named->line.or_empty() &&
               (text.starts_with(">>> ") || text.starts_with("In ["));
      }))
    return;
  if (module && module->symptom->detail("module") == "tensorflow" && module->confidence == Confidence::possible &&
      named)
    answers.found_in(*module->symptom, Confidence::likely);
}

void judge(const Facts& facts, Answers& answers) {
  judge_backend(facts.snapshot(), answers);
  report_blind_backend(facts.snapshot(), answers);
  report_missing_backend(facts, answers);
}

// Keras was told to use a backend, and its own module for it finds no such package.
bool lacks_imported_backend(const Facts& facts) {
  return std::ranges::any_of(facts.all({noted, "keras-backend-import"}), [&facts](const Symptom* imports) {
    const auto& missing_ones = facts.all({missing, "python-module"});
    return std::ranges::any_of(missing_ones, [imports](const Symptom* module) {
      return module->detail("module") == imports->detail("backend");
    });
  });
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "keras.backend-mismatch",
      .layer = Layer::framework,
      .severity = Severity::warning,
      .title = "Keras runs on another backend than expected",
      .claim = "KERAS_BACKEND or keras.json names a backend other than the one that was prepared for the GPU.",
      .proof = "Keras names the backend that it uses, and it isn't the one that sees the GPU.",
      .disproof = "Keras names the expected backend.",
      .remedy = "Set KERAS_BACKEND before Keras is imported, or change keras.json.",
      .explains = {"python.broken-install", "python.wrong-environment"},
      .symptoms =
          {
              {{missing, "keras-backend"}, likely},
              {{noted, "keras-backend-import"}, likely, lacks_imported_backend},
              {{refused, "keras-backend"}, likely},
              // Who means them gets the same line.
              {{noted, "keras-backend"}, possible, not_used, "backend", "Theano"},
              {{noted, "keras-backend"}, possible, not_used, "backend", "CNTK"},
          },
      .judge = judge,
  };
}

}  // namespace envdoctor::keras_backend_mismatch

// keras.backend-mismatch: Keras runs on another backend than the one that was asked for. The variable outranks the
// file, and both are read once, when Keras is imported.
#include "checks/check.h"
#include "checks/facts.h"

namespace envdoctor {
namespace {

constexpr const char* id = "keras.backend-mismatch";

void tell(Answers& answers, const std::string& words, Evidence a, Evidence b) {
  Finding& finding = answers.found(id, "framework:keras");
  finding.confidence = Confidence::certain;
  finding.explanation = words;
  finding.evidence = {std::move(a), std::move(b)};
  finding.fix.push_back({.text = diagnosis(id)->remedy});
}

void run(const Snapshot& snapshot, Answers& answers) {
  const Text runs = of(snapshot.keras, &Keras::backend);
  const Text file = of(snapshot.keras, &Keras::config_backend);
  const Text variable = env_of(snapshot, "KERAS_BACKEND");
  if (!runs.get()) {
    if (snapshot.keras.get())
      answers.unknown(id, why_unknown("/keras/backend", runs));
    else
      answers.not_applicable(id, "Keras was not looked at");
  } else if (variable.get() && !variable.get()->empty() && *variable.get() != *runs.get()) {
    tell(answers,
         "KERAS_BACKEND asks for " + *variable.get() + " and Keras runs on " + *runs.get() +
             ": the variable was set after Keras had been imported, or in another shell.",
         seen("/env/KERAS_BACKEND", *variable.get()), seen("/keras/backend", *runs.get()));
  } else if (file.get() && *file.get() != *runs.get()) {
    const bool by_variable = variable.get() != nullptr;
    tell(answers,
         "keras.json asks for " + *file.get() + " and Keras runs on " + *runs.get() +
             (by_variable ? ": the variable KERAS_BACKEND outranks the file." : "."),
         seen("/keras/config_backend", *file.get()), seen("/keras/backend", *runs.get()));
  } else {
    answers.sound(id);
  }
}

}  // namespace

Check keras_backend_mismatch() { return {.ids = {id}, .run = run}; }

}  // namespace envdoctor

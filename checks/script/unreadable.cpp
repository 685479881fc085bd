// script.unreadable: this interpreter can't parse the script.
#include <re2/re2.h>

#include "checks/engine/rule.h"
#include "checks/script/script_facts.h"
#include "knowledge/gpus/drivers.h"
#include "knowledge/lazy_regex.h"

namespace envdoctor::script_unreadable {

using enum SymptomClass;

void judge(const Facts& facts, Answers& answers) {
  const auto failures = facts.all({failed, "script-reading"});
  Finding* last = nullptr;
  for (const Symptom* event : failures) {
    const std::string why = event->detail("why"), python = event->detail("python");
    const std::string what = why.empty() ? "no reason was given" : why;
    if (event->detail("further") == "yes" && last) {  // one more line of the same script
      last->evidence.push_back(evidence(*event, what));
      continue;
    }
    const std::string cell = event->detail("cell");
    const std::string subject =
        "script:" + event->source.value_or("?") +
        (event->line.get() ? ":" + (cell.empty() ? "" : "cell " + cell + ":") + std::to_string(*event->line.get())
                           : "");
    Finding& finding = answers.found_in(*event, Confidence::certain, subject);
    last = &finding;
    finding.explanation = (event->line.get() ? "At " + place_of(*event) + ": " : "") + what +
                          (what.ends_with('?') || what.ends_with('.') ? "" : ".") +
                          (python.empty() ? "" : " It was read as Python " + python + ".") +
                          (event->detail("rest") == "read" ? " The rest was read all the same." : "");
    finding.evidence = {evidence(*event, what)};
    if (what.starts_with("the reader itself failed") && event->detail("rest") == "read") {
      finding.title = "A part of the script was read without one of the rules";
      finding.severity = Severity::info;
      finding.fix = {{.text = "Report it with the script to the authors of envdoctor."}};
    }
    static const LazyRegex of_newer(R"(f-string: [^;]*(?:; (?:cell \d+, )?line \d+: f-string: [^;]*)*)", RE2::Latin1);
    if (!python.empty() && knowledge::compare_versions(python, "3.12") < 0 && RE2::FullMatch(what, of_newer)) {
      finding.title = "The script may need Python 3.12";
      finding.explanation += " From Python 3.12 on, f-strings may hold the quotes that they stand in.";
      finding.confidence = Confidence::possible;
      const Torch* torch = facts.snapshot().torch.get();
      const Tensorflow* tensorflow = facts.snapshot().tensorflow.get();
      const bool meant = (torch && torch->version.get()) || (tensorflow && tensorflow->version.get());
      if (!meant) finding.severity = Severity::info;  // it was read by whatever Python is here
    }
  }
  if (!failures.empty()) return;
  if (script_read(facts.snapshot()).is(true)) return answers.passed();
  answers.not_applicable("no script was given");
}

Diagnosis diagnosis() {
  return {
      .id = "script.unreadable",
      .layer = Layer::use,
      .severity = Severity::error,
      .title = "The script can't be read as Python",
      .claim = "This interpreter's own parser refuses the file.",
      .proof = "The parser's own error, with its line.",
      .disproof = "The script runs under the interpreter that was asked.",
      .remedy = "Correct the line, or name the Python that it is written for.",
      .judge = judge,
  };
}

}  // namespace envdoctor::script_unreadable

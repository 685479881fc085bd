// cpu.isa-missing: a framework crashes, or will crash, on an instruction that this CPU lacks.
#include <re2/re2.h>

#include "checks/engine/rule.h"
#include "checks/facts/imports.h"
#include "checks/facts/version_range.h"
#include "knowledge/lazy_regex.h"

namespace envdoctor::cpu_isa_missing {

using enum SymptomClass;

// The CPU is an x86-64 and its list of instruction sets, which is known, lacks this one.
bool lacks(const Snapshot& snapshot, const std::string& what) {
  const auto& isa = of(snapshot.cpu, &Cpu::isa);
  return isa.get() && of(snapshot.host, &HostFacts::arch).value_or("x86_64") == "x86_64" &&
         std::ranges::find(*isa.get(), what) == isa.get()->end();
}

Finding& report_finding(Answers& answers, const std::string& framework) {
  Finding& finding = answers.found_on("framework:" + framework);
  finding.confidence = Confidence::likely;
  finding.fix = {{.text = find_diagnosis(answers.id)->remedy}};
  return finding;
}

void judge_imports(const Snapshot& snapshot, Answers& answers) {
  for (const Import& one : imports_of(snapshot)) {
    if (one.error.outcome() != Outcome::failed || one.error.why().find("SIGILL") == std::string::npos) continue;
    Finding& finding = report_finding(answers, one.framework);
    finding.explanation = "The import ended by an illegal instruction (" + one.error.why() + ").";
    finding.evidence = {evidence(one.path, one.error.why())};
    if (!lacks(snapshot, "avx")) return;
    finding.confidence = Confidence::certain;
    finding.explanation += " This CPU has no AVX, which the published packages need.";
    finding.evidence.push_back(evidence("/cpu/isa", "no avx"));
    return;
  }
}

// Judged by the needs of the official packages; a custom build may need less.
void judge_versions(const Snapshot& snapshot, Answers& answers) {
  for (const std::string& framework : frameworks(snapshot)) {
    const std::string version = framework_version(snapshot, framework);
    // Nothing is recorded for torch.
    const std::string what = framework == "torch" ? "" : rule_for(framework, "cpu_instructions", version);
    if (what.empty() || !lacks(snapshot, what)) continue;
    Finding& finding = report_finding(answers, framework);
    finding.explanation = "The official " + framework + " " + version + " uses " + what +
                          " instructions, and this CPU doesn't list them: importing it ends in an illegal instruction.";
    finding.evidence = {framework_seen(snapshot, framework), evidence("/cpu/isa", "no " + what)};
    return;
  }
}

void judge(const Snapshot& snapshot, Answers& answers) {
  judge_imports(snapshot, answers);
  if (of(snapshot.host, &HostFacts::arch).value_or("x86_64") != "x86_64")
    return answers.not_applicable("no x86-64 processor");
  const auto imports = imports_of(snapshot);
  const bool tried = std::ranges::any_of(imports, &Import::tried);
  if (tried) return answers.passed();
  judge_versions(snapshot, answers);
  if (imports.empty() && frameworks(snapshot).empty()) return answers.not_applicable("no framework was looked at");
  const auto& isa = of(snapshot.cpu, &Cpu::isa);
  if (isa.get()) return answers.passed();
  answers.unknown(why_unknown("/cpu/isa", isa));
}

// Windows ends the import of a package that needs AVX with a message about the DLL that starts it.
// The kernel names the program that met an instruction which its processor lacks, or that ended itself with one.
bool not_of_another_program(const Facts& facts) {
  static const LazyRegex of_python(R"( in \S*(?:\.so|python)|traps: (?:python|pt_main|ray::|jupyter|uvicorn))",
                                   RE2::Latin1);
  return std::ranges::any_of(facts.all({missing, "cpu-instructions"}), [](const Symptom* line) {
    const std::string text = line->text.or_empty();
    return text.find("trap") == text.npos || RE2::PartialMatch(text, of_python);
  });
}

bool import_fails(const Facts& facts) { return facts.saw({{failed, "dll"}, {failed, "python-import"}}); }

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "cpu.isa-missing",
      .layer = Layer::framework,
      .severity = Severity::error,
      .title = "The CPU lacks instructions that the framework was built with",
      .claim = "The package uses AVX or newer instructions and this CPU lacks them.",
      .proof =
          "The package's own message, an illegal instruction, or a CPU list of features without what the package "
          "needs.",
      .disproof = "The CPU lists these instructions.",
      .remedy =
          "Install a build for older CPUs, or build it from source; in a virtual machine pass the host's CPU model on.",
      .explains = {"python.broken-install"},
      .symptoms =
          {
              {{missing, "cpu-instructions"}, certain, not_of_another_program},
              {{crashed, "cpu-instructions"}, likely},
              {{noted, "cpu-without-avx"}, likely, import_fails},
          },
      .judge_host = judge,
  };
}

}  // namespace envdoctor::cpu_isa_missing

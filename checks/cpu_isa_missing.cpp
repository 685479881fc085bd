// cpu.isa-missing: a framework dies of an instruction that this CPU hasn't got.
#include <algorithm>

#include "checks/facts.h"
#include "checks/imports.h"

namespace envdoctor {
namespace {

constexpr const char* id = "cpu.isa-missing";

void run(const Snapshot& snapshot, Answers& answers) {
  const auto isa = of(snapshot.cpu, &Cpu::isa);
  const bool has_avx = isa.get() && std::ranges::any_of(*isa.get(), [](const std::string& name) {
                         return name == "avx" || name == "AVX";
                       });
  const bool x86 = of(snapshot.host, &HostFacts::arch).is("x86_64");
  bool tried = false;
  for (const Import& one : imports_of(snapshot)) {
    tried = tried || one.tried();
    if (one.error.outcome() != Outcome::failed || one.error.why().find("SIGILL") == std::string::npos) continue;
    Finding& finding = answers.found(id, std::string("framework:") + one.framework);
    const bool proved = x86 && isa.get() && !has_avx;
    finding.confidence = proved ? Confidence::certain : Confidence::likely;
    finding.explanation = "The import ended by an illegal instruction (" + one.error.why() + ").";
    if (proved) finding.explanation += " This CPU has no AVX, which the published packages need.";
    finding.evidence = {seen(one.path, one.error.why())};
    if (proved) finding.evidence.push_back(seen("/cpu/isa", "no avx"));
    finding.fix = {{.text = diagnosis(id)->remedy}};
    return;
  }
  if (tried)
    answers.sound(id);
  else if (imports_of(snapshot).empty())
    answers.not_applicable(id, "no framework was looked at");
  else
    answers.unknown(id, "no framework was imported");
}

}  // namespace

Check cpu_isa_missing() { return {{id}, run}; }

}  // namespace envdoctor

// cpu.isa-missing: the official packages' least instruction set against what the CPU has.
#include <algorithm>

#include "checks/facts.h"
#include "checks/presence.h"
#include "knowledge/drivers.h"

namespace envdoctor {
namespace {

constexpr const char* id = "cpu.isa-missing";

// TensorFlow's packages need AVX from 1.6 on (its release notes), and 2.4.0 alone AVX2 (2.4.1 took that back); jaxlib
// needs AVX (its start-up check).
std::string needed(const std::string& framework, const std::string& version) {
  if (framework == "jax") return "avx";
  if (framework != "tensorflow" || knowledge::compare_versions(version, "1.6") < 0) return {};
  return version == "2.4.0" ? "avx2" : "avx";
}

void run(const Snapshot& snapshot, Answers& answers) {
  const auto isa = of(snapshot.cpu, &Cpu::isa);
  if (!isa.get()) return answers.unknown(id, why_unknown("/cpu/isa", isa));
  if (!of(snapshot.host, &HostFacts::arch).is("x86_64") && of(snapshot.host, &HostFacts::arch).get())
    return answers.not_applicable(id, "not an x86-64 processor");
  for (const std::string& framework : frameworks(snapshot)) {
    const std::string what = needed(framework, framework_version(snapshot, framework));
    if (what.empty() || std::ranges::find(*isa.get(), what) != isa.get()->end()) continue;
    Finding& finding = answers.found(id, "framework:" + framework);
    finding.confidence = Confidence::likely;  // a build of one's own may do without
    finding.explanation = "The official " + framework + " " + framework_version(snapshot, framework) + " uses " + what +
                          " instructions, and this CPU doesn't list them: importing it ends in an illegal instruction.";
    finding.evidence = {framework_seen(snapshot, framework), seen("/cpu/isa", "no " + what)};
    finding.fix = {{.text = diagnosis(id)->remedy}};
    return;
  }
  answers.sound(id);
}

}  // namespace

Check cpu_isa_missing() { return {{id}, run}; }

}  // namespace envdoctor

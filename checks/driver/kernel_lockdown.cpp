// driver.kernel-lockdown: the kernel is locked down and loads no unsigned module, for another reason than Secure Boot,
// or denies a GPU tool access to the card's registers.
#include "checks/driver/nvidia_facts.h"

namespace envdoctor::driver_kernel_lockdown {

using enum SymptomClass;

Fix see_what_locks(const Facts& facts) {
  return on_host(facts, "see what locks the kernel down.", "cat /sys/kernel/security/lockdown /proc/cmdline");
}

void report_finding(const Facts& facts, Confidence confidence, std::vector<Evidence> proof, Answers& answers) {
  Finding& finding = nvidia::fault(answers, facts, confidence, std::move(proof));
  finding.explanation =
      "A locked-down kernel loads signed modules only. Secure Boot is not what locked it: the kernel's command line "
      "(lockdown=), its configuration or the distribution did.";
  finding.fix = {see_what_locks(facts),
                 on_host(facts,
                         "sign the module with a key that the kernel trusts, or take lockdown= off the kernel's "
                         "command line and reboot.")};
}

// A tool that reads and writes the card's registers itself, and is refused in the same text.
void report_failed_tool(const Facts& facts, const Symptom& kernel, const Symptom& tool, Answers& answers) {
  Finding& finding = nvidia::fault(answers, facts, Confidence::likely, {evidence(tool), evidence(kernel)});
  finding.title = "The kernel is locked down and keeps a tool from the GPU's registers";
  finding.explanation =
      "A locked-down kernel lets no program, not even root's, reach a PCI device past its driver. The GPU is not shown "
      "to be broken.";
  finding.fix = {see_what_locks(facts),
                 on_host(facts,
                         "switch Secure Boot off, or take lockdown= off the kernel's command line, for as long as the "
                         "tool is needed.")};
}

void judge(const Facts& facts, Answers& answers) {
  const Snapshot& snapshot = facts;
  const Flag runs = nvidia::kernel_driver_runs(snapshot);
  const Text lockdown = of(snapshot.host, &HostFacts::lockdown);
  if (runs.is(true) || nvidia::cuda_works(snapshot) || lockdown.is("none")) return answers.passed();
  if (nvidia::secure_boot_is_on(facts)) return answers.not_applicable("Secure Boot locks the kernel down");
  if (const Symptom* line = facts.first({{refused, "kernel-module-by-lockdown"}}))
    return report_finding(facts, Confidence::likely, {evidence(*line)}, answers);
  if (const Symptom* kernel = facts.first({{refused, "pci-access-by-lockdown"}})) {
    if (const Symptom* tool = facts.first({{refused, "pci-device-access"}}))
      return report_failed_tool(facts, *kernel, *tool, answers);
  }
  const Symptom* locked = facts.first({{present, "kernel-lockdown"}});
  const bool refused_module = facts.saw({{failed, "kernel-module"}, {refused, "kernel-module-signature"}});
  if (locked && (refused_module || facts.driver_dead()))
    return report_finding(facts, refused_module ? Confidence::likely : Confidence::possible, {evidence(*locked)},
                          answers);
  // A bad signature gives another message; if root may not insert the module at all, lockdown is the reason.
  if (const Symptom* line = facts.first({{failed, "kernel-module"}});
      line && !facts.container() && line->text.or_empty().find("not permitted") != std::string::npos)
    return report_finding(facts, Confidence::possible, {evidence(*line)}, answers);
  if (lockdown.get() && runs.is(false) && nvidia::user_space_installed(snapshot).is(true))
    return report_finding(facts, Confidence::possible,
                          {evidence("/host/lockdown", *lockdown.get()), evidence("/modules", "no nvidia")}, answers);
  lockdown.get() ? answers.unknown(why_unknown("/modules", runs))
                 : answers.unknown(why_unknown("/host/lockdown", lockdown));
}

Diagnosis diagnosis() {
  return {
      .id = "driver.kernel-lockdown",
      .layer = Layer::kernel_driver,
      .severity = Severity::error,
      .title = "The kernel is locked down and refuses the NVIDIA module",
      .claim = "Lockdown is on without Secure Boot, and the nvidia module carries no signature that the kernel trusts.",
      .proof = "The kernel log says that lockdown restricts the loading of an unsigned module.",
      .disproof = "/sys/kernel/security/lockdown shows [none], or the module is loaded.",
      .remedy = "Sign the module, or take lockdown= off the kernel's command line.",
      .explains = with_unusable_driver(
          {"driver.module-not-loaded", "driver.not-installed", "driver.device-nodes-missing", "driver.init-failed"}),
      .not_here = nvidia::not_here,
      .judge = judge,
  };
}

}  // namespace envdoctor::driver_kernel_lockdown

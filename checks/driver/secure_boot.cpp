// driver.secure-boot: the kernel refuses NVIDIA's module because it has no trusted signature.
#include "checks/driver/nvidia_facts.h"

namespace envdoctor::driver_secure_boot {

using enum SymptomClass;

void report_finding(const Snapshot& snapshot, Confidence confidence, std::vector<Evidence> proof, Answers& answers) {
  const bool possible = confidence == Confidence::possible;
  Finding& finding = nvidia::fault(answers, snapshot, confidence, std::move(proof));
  if (possible) finding.severity = Severity::warning;
  finding.explanation =
      "With Secure Boot on, the kernel loads only modules signed with a key that the firmware or the machine's owner "
      "has enrolled. The nvidia module isn't loaded";
  finding.explanation +=
      possible ? ", and its missing signature is a usual reason." : " because its signature was refused.";
  const auto distro = distro_of(snapshot);
  const std::string key = distro == Distro::ubuntu   ? "/var/lib/shim-signed/mok/MOK.der"
                          : distro == Distro::debian ? "/var/lib/dkms/mok.pub"
                                                     : "";
  finding.fix = {
      on_host(snapshot, "see whether the signature is the reason.", "sudo modprobe nvidia"),
      on_host(snapshot,
              "enrol the key that DKMS signs with, set a password, reboot and confirm it in the blue MOK screen.",
              key.empty() ? "" : "sudo mokutil --import " + key),
      {.text = "Or switch Secure Boot off in the firmware setup."}};
}

// Secure Boot locks the kernel down; a kernel that is locked down without it is driver.kernel-lockdown.
const Symptom* refused_module(const Facts& facts) {
  for (const Symptom* line : facts.all({refused, "kernel-module-signature"})) {
    const std::string module = line->detail("module");
    if (module.empty() || module.starts_with("nvidia")) return line;  // not a module of another device
  }
  return nvidia::secure_boot_is_on(facts) ? facts.first({{refused, "kernel-module-by-lockdown"}}) : nullptr;
}

void judge(const Facts& facts, Answers& answers) {
  const Snapshot& snapshot = facts.snapshot();
  const Flag secure = of(snapshot.host, &HostFacts::secure_boot);
  const Flag runs = nvidia::kernel_driver_runs(snapshot);
  if (runs.is(true) || nvidia::cuda_works(snapshot) || secure.is(false)) return answers.passed();
  if (nvidia::on_wsl(snapshot)) return answers.not_applicable("WSL loads no NVIDIA module");
  if (const Symptom* line = refused_module(facts)) {
    std::vector<Evidence> proof{evidence(*line, "module signature rejected")};
    if (secure.is(true)) proof.push_back(evidence("/host/secure_boot", "true"));
    // The line may be about another module; if the driver is known not to run, it is this one.
    const bool dead = runs.is(false) ? secure.is(true) : facts.driver_dead();
    return report_finding(snapshot, dead ? Confidence::certain : Confidence::likely, std::move(proof), answers);
  }
  const bool installed = nvidia::user_space_installed(snapshot).is(true) ||
                         nvidia::nvml(snapshot).is(nvml_error::driver_not_loaded);  // NVML answered, with an error
  if (secure.is(true) && runs.is(false) && installed)
    return report_finding(snapshot, Confidence::possible,
                          {evidence("/host/secure_boot", "true"), evidence("/modules", "no nvidia")}, answers);
  if (runs.is(false) && nvidia::user_space_installed(snapshot).is(false))
    return answers.not_applicable("no NVIDIA driver is installed");
  if (!secure.get()) return answers.unknown(why_unknown("/host/secure_boot", secure));
  answers.unknown(why_unknown("/modules", runs));
}

// The driver doesn't answer on a machine that asks for signatures, and nothing else is said of its module.
bool module_dead(const Facts& facts) {
  return when::no_better_cause(facts) && facts.saw({{missing, "loaded-driver"}, {missing, "kernel-driver"}});
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "driver.secure-boot",
      .layer = Layer::kernel_driver,
      .severity = Severity::error,
      .title = "Secure Boot refuses the NVIDIA kernel module",
      .claim = "The module isn't signed with a key that this machine trusts, so the kernel won't load it.",
      .proof = "Loading the module was refused for its key, or Secure Boot is on and the module is unsigned.",
      .disproof = "The module is loaded, or Secure Boot is off.",
      .remedy = "Enrol the key that signs the module (mokutil --import) and reboot, or switch Secure Boot off.",
      .explains = with_unusable_driver(
          {"driver.module-not-loaded", "driver.not-installed", "driver.device-nodes-missing", "driver.init-failed"}),
      .symptoms =
          {
              {{present, "secure-boot"}, possible, module_dead},
              {{missing, "any-driver"},
               possible,
               [](const Facts& f) {
                 return of(f.snapshot().host, &HostFacts::secure_boot).is(true) && !f.container();
               }},
              {{failed, "kernel-module"},
               likely,
               [](const Facts& f) { return of(f.snapshot().host, &HostFacts::secure_boot).is(true); }},
          },
      .not_here = nvidia::not_here,
      .judge = judge,
  };
}

}  // namespace envdoctor::driver_secure_boot

// driver.secure-boot: the kernel refuses NVIDIA's module because nobody it trusts has signed it.
#include "checks/distro.h"
#include "checks/nvidia.h"

namespace envdoctor {
namespace {

constexpr const char* id = "driver.secure-boot";

void tell(const Snapshot& snapshot, Confidence confidence, std::vector<Evidence> evidence, Answers& answers) {
  Finding& finding = answers.found(id);
  finding.severity = confidence == Confidence::possible ? Severity::warning : nvidia::fault_severity(snapshot);
  finding.confidence = confidence;
  finding.explanation =
      "With Secure Boot on, the kernel loads only modules signed with a key that the firmware or the machine's owner "
      "has enrolled. The nvidia module "
      "isn't loaded";
  finding.explanation += confidence == Confidence::possible ? ", and its missing signature is a usual reason."
                                                            : " because its signature was refused.";
  finding.evidence = std::move(evidence);
  const auto distro = distro_of(snapshot);
  const bool ubuntu = distro == Distro::ubuntu;
  finding.fix = {
      {.text = on_the_host(snapshot) + "see whether the signature is the reason.",
       .command = host_command(snapshot, "sudo modprobe nvidia")},
      {.text = on_the_host(snapshot) +
               "enrol the key that DKMS signs with, set a password, reboot and confirm it in the blue MOK screen.",
       .command = ubuntu ? host_command(snapshot, "sudo mokutil --import /var/lib/shim-signed/mok/MOK.der")
                  : distro == Distro::debian ? host_command(snapshot, "sudo mokutil --import /var/lib/dkms/mok.pub")
                                             : ""},
      {.text = "Or switch Secure Boot off in the firmware setup."}};
}

void run(const Snapshot& snapshot, Answers& answers) {
  if (const std::string why = nvidia::not_here(snapshot); !why.empty()) return answers.not_applicable(id, why);
  const Flag secure = of(snapshot.host, &HostFacts::secure_boot);
  const Flag runs = nvidia::kernel_driver_runs(snapshot);
  if (runs.is(true) || nvidia::cuda_works(snapshot)) return answers.sound(id);
  if (secure.is(false)) return answers.sound(id);
  if (nvidia::on_wsl(snapshot)) return answers.not_applicable(id, "WSL loads no NVIDIA module");
  for (const LogEvent* line : events_of(snapshot, "module-key-rejected")) {
    std::vector<Evidence> evidence{seen(*line, "module signature rejected")};
    if (secure.is(true)) evidence.push_back(seen("/host/secure_boot", "true"));
    // The line may speak of another module; where the nvidia module is known not to run, it is very likely this one.
    return tell(snapshot, runs.is(false) && secure.is(true) ? Confidence::certain : Confidence::likely,
                std::move(evidence), answers);
  }
  if (secure.is(true) && runs.is(false) && nvidia::user_space_installed(snapshot).is(true))
    return tell(snapshot, Confidence::possible, {seen("/host/secure_boot", "true"), seen("/modules", "no nvidia")},
                answers);
  if (runs.is(false) && nvidia::user_space_installed(snapshot).is(false))
    return answers.not_applicable(id, "no NVIDIA driver is installed");
  if (!secure.get()) return answers.unknown(id, why_unknown("/host/secure_boot", secure));
  answers.unknown(id, why_unknown("/modules", runs));
}

}  // namespace

Check driver_secure_boot() { return {{id}, run}; }

}  // namespace envdoctor

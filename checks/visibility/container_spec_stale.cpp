// visibility.container-spec-stale: the specification by which containers get their GPUs names files of another driver.
#include "checks/driver/nvidia_facts.h"

namespace envdoctor::visibility_container_spec_stale {

using enum SymptomClass;

Fix generate(const Snapshot& snapshot, const std::string& file) {
  return on_host(snapshot, "write the specification again, after each update of the driver.",
                 "sudo nvidia-ctk cdi generate --output=" + (file.empty() ? "/etc/cdi/nvidia.yaml" : file));
}

// The running driver's version; both agree on a working host.
std::pair<std::string, std::string> driver_version(const Snapshot& snapshot) {
  const Text kernel = of(snapshot.nvidia, &Nvidia::kernel_driver_version);
  const Text user = of(snapshot.nvidia, &Nvidia::userspace_driver_version);
  if (kernel.get()) return {"/nvidia/kernel_driver_version", *kernel.get()};
  return user.get() ? std::pair<std::string, std::string>{"/nvidia/userspace_driver_version", *user.get()}
                    : std::pair<std::string, std::string>{};
}

bool judge_files(const Snapshot& snapshot, Answers& answers) {
  const auto [place, version] = driver_version(snapshot);
  const auto& specs = of(snapshot.nvidia, &Nvidia::container_specs);
  for (const auto& [i, spec] : numbered(specs)) {
    if (!spec.driver_version.get() || version.empty() || *spec.driver_version.get() == version) continue;
    Finding& finding = answers.found();
    finding.severity = Severity::warning;
    finding.explanation = fmt::format(
        "{} names libraries of driver {}, and driver {} runs: containers that get their GPUs by it find files missing.",
        spec.path.or_empty(), *spec.driver_version.get(), version);
    finding.evidence = {evidence(at("/nvidia/container_specs", i, "driver_version"), *spec.driver_version.get()),
                        evidence(place, version)};
    finding.fix = {generate(snapshot, spec.path.or_empty())};
    return true;
  }
  return false;
}

// The engine could not pass a library on whose name holds a driver's version.
bool judge_message(const Facts& facts, Answers& answers) {
  const Symptom* line = facts.first({{missing, "file-of-container-spec"}});
  if (!line) return false;
  const auto [place, version] = driver_version(facts);
  const std::string asked = line->detail("version");
  const bool same = !version.empty() && asked == version;
  Finding& finding = answers.found_in(*line, same              ? Confidence::possible
                                             : version.empty() ? Confidence::likely
                                                               : Confidence::certain);
  if (!version.empty()) finding.evidence.push_back(evidence(place, version));
  finding.explanation =
      "The container engine was told to pass " + line->detail("file") + " on, and there is no such file" +
      (same              ? ", though the driver has that version: the package that holds the file is missing."
       : version.empty() ? ": the file's name holds the version of a driver that is no longer installed."
                         : "; the driver that is installed is " + version + ".");
  finding.fix = {generate(facts, "")};
  return true;
}

// The specification names a node that this host doesn't have, or no longer has.
bool judge_node(const Facts& facts, Answers& answers) {
  const Symptom* line = facts.first({{missing, "node-of-container-spec"}});
  if (!line) return false;
  Finding& finding = answers.found_in(*line, Confidence::likely);
  finding.title = "The container specification names a device node that is not there";
  finding.explanation = "The container engine was told to pass " + line->detail("node") +
                        " on, and this host has no such node: the specification is older than the hardware or the "
                        "driver that runs, or the driver has not made its nodes yet.";
  finding.fix = {on_host(facts, "let the driver make its nodes.", "sudo nvidia-modprobe -u -c=0"), generate(facts, "")};
  return true;
}

// The specification has a field, or a version, that the engine doesn't know.
bool judge_format(const Facts& facts, Answers& answers) {
  const Symptom* line = facts.first({{mismatch, "container-spec-format"}});
  if (!line) return false;
  Finding& finding = answers.found_in(*line, Confidence::likely);
  finding.title = "The container engine can't read the container specification";
  finding.explanation = "The engine refuses " + line->detail("file") +
                        ": it was written for another version of the format, so the engine knows none of its devices.";
  finding.fix = {{.text = on_the_host(facts) + "update the container engine, or take a toolkit of the engine's age."},
                 generate(facts, line->detail("file"))};
  return true;
}

void judge(const Facts& facts, Answers& answers) {
  if (judge_format(facts, answers) || judge_message(facts, answers) || judge_node(facts, answers) ||
      judge_files(facts, answers))
    return;
  const auto& specs = of(facts.snapshot().nvidia, &Nvidia::container_specs);
  if (!specs.get()) return answers.unknown(why_unknown("/nvidia/container_specs", specs));
  specs.get()->empty() ? answers.not_applicable("no container specification of NVIDIA is here") : answers.passed();
}

Diagnosis diagnosis() {
  return {
      .id = "visibility.container-spec-stale",
      .layer = Layer::visibility,
      .severity = Severity::error,
      .title = "The container specification belongs to another driver version",
      .claim = "The CDI specification was written before the driver was updated, and names files that are gone.",
      .proof = "A library that the specification names holds another version than the driver that runs.",
      .disproof = "The specification names the running driver's version.",
      .remedy = "Write the specification again: sudo nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml.",
      .explains = {"visibility.container-toolkit-missing", "visibility.container-hidden", "driver.unreachable",
                   "driver.device-nodes-missing"},
      .judge = judge,
  };
}

}  // namespace envdoctor::visibility_container_spec_stale

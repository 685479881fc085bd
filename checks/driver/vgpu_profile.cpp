// driver.vgpu-profile: this virtual GPU has a profile without CUDA, or no licence.
#include <re2/re2.h>
#include "checks/driver/nvidia_facts.h"
#include "knowledge/lazy_regex.h"

namespace envdoctor::driver_vgpu_profile {

using enum SymptomClass;

constexpr const char* profile_form = R"((?:^|\s)([A-Z]{1,3}[0-9]{1,3}[A-Z]{0,2})-([0-9]{1,3})([ABQC])[0-9]?$)";

bool is_virtual(const std::string& name) { return RE2::PartialMatch(name, profile_form); }

// NVIDIA names a virtual GPU BOARD-MEMORYKIND: kind A (applications) and B (desktops) have no CUDA; Q and C have it,
// but on Maxwell boards only with the whole memory.
std::string why_no_cuda(const std::string& name) {
  static const LazyRegex profile(profile_form), of_kepler(R"(GRID K[12]\d0Q$)", RE2::Latin1);
  if (RE2::PartialMatch(name, of_kepler)) return "virtual GPUs of the boards GRID K1 and K2 have no CUDA";
  std::string board, memory, kind;
  if (!RE2::PartialMatch(name, profile, &board, &memory, &kind)) return {};
  if (kind == "A") return "profiles of kind A are for applications that are shown on another machine";
  if (kind == "B") return "profiles of kind B are for desktops";
  const bool maxwell = board == "M6" || board == "M10" || board == "M60";
  return maxwell && kind == "Q" && memory != "8" ? "on boards of the Maxwell generation only -8Q has CUDA" : "";
}

// The virtual GPU runs programs and refuses a call: profiles leave unified memory and memory pools out by default.
bool refuses_a_call(const Facts& facts, Answers& answers) {
  const Symptom* refused = facts.first({{unsupported, "cuda-operation"}});
  if (!refused) refused = facts.with({failed, "gpu-api-call"}, "code", cuda_error::not_supported);
  const Symptom* name = facts.first({{noted, "virtual-gpu"}});
  if (!refused || !name) return false;
  Finding& finding = answers.found_in(*refused, Confidence::likely);
  finding.evidence.push_back(evidence(*name));
  finding.title = "The virtual GPU refuses an operation of CUDA";
  finding.explanation =
      "The device is a virtual GPU (" + name->detail("name") +
      "). Unified memory, memory pools and debuggers are switched off in most profiles, and a call that needs them is "
      "refused as not supported.";
  finding.fix = {{.text = "Ask the hypervisor's administrator to enable unified memory for this virtual GPU "
                          "(enable_uvm=1), or for a whole GPU."}};
  return true;
}

// A line names the virtual GPU, and CUDA finds no device or doesn't start.
bool by_line(const Facts& facts, Answers& answers) {
  const bool fails = nvidia::cuinit(facts).get() || of(facts.snapshot().torch, &Torch::cuda_available).is(false) ||
                     facts.saw({{missing, "cuda-device"}, {missing, "available-gpu"}});
  if (!fails) return false;
  for (const Symptom* line : facts.all({noted, "virtual-gpu"})) {
    const std::string why = why_no_cuda(line->detail("name"));
    if (why.empty()) continue;
    Finding& finding = answers.found_in(*line, Confidence::likely);
    finding.explanation = "This virtual GPU is " + line->detail("name") + "; " + why + ".";
    finding.fix = {{.text = find_diagnosis(answers.id)->remedy}};
    return true;
  }
  return false;
}

void judge(const Facts& facts, Answers& answers) {
  const Snapshot& snapshot = facts;
  if (refuses_a_call(facts, answers)) return;
  if (nvidia::cuda_works(snapshot) && !facts.saw({{busy, "cuda-device"}})) return answers.passed();
  if (const Symptom* line = facts.first({{refused, "vgpu-licence"}})) {
    Finding& finding = answers.found_in(*line, Confidence::likely);
    finding.title = "The virtual GPU has no licence";
    finding.explanation = "Without a licence NVIDIA's guest driver restricts the virtual GPU, CUDA first of all.";
    finding.fix = {{.text = "Put the client token of the licence server under /etc/nvidia/ClientConfigToken, start "
                            "nvidia-gridd again, and see whether it gets a licence.",
                    .command = host_command(facts, "nvidia-smi -q | grep -A 2 -i 'vGPU Software Licensed Product'")}};
    return;
  }
  if (const Symptom* line = facts.first({{mismatch, "vgpu-guest-driver"}})) {
    Finding& finding = answers.found_in(*line, Confidence::likely);
    finding.title = "The guest's NVIDIA driver doesn't fit the host's vGPU manager";
    finding.explanation = fmt::format(
        "The vGPU manager on the host compares both and switches the virtual GPU off: the guest's driver is {}.",
        line->detail("guest").empty() ? "of another branch"
                                      : "too " + std::string(line->detail("guest") == "older" ? "old" : "new"));
    finding.fix = {{.text = "Install in the guest the driver of the same vGPU release as the host's manager."}};
    return;
  }
  const Symptom* refused_all = facts.first({{busy, "cuda-device"}});
  bool any = false;
  for (const auto& [i, device] : numbered(of(snapshot.nvidia, &Nvidia::devices))) {
    any = true;
    std::string why = why_no_cuda(device.name.or_empty());
    // A virtual GPU has no other users: the driver reports "all devices are busy" if this one may not compute.
    const bool refused_here = refused_all && is_virtual(device.name.or_empty()) && device.compute_mode.is("default");
    if (why.empty() && !refused_here) continue;
    if (why.empty()) why = "CUDA is refused in it, as without a licence or on a host that is not set up for computing";
    Finding& finding = answers.found_on(nvidia::subject_of(device));
    finding.confidence = Confidence::likely;
    if (refused_here) finding.evidence.push_back(evidence(*refused_all));
    finding.explanation = "This virtual GPU is " + *device.name.get() + "; " + why + ".";
    finding.evidence.push_back(evidence(at("/nvidia/devices", i, "name"), *device.name.get()));
    finding.fix = {{.text = find_diagnosis(answers.id)->remedy}};
    return;
  }
  if (by_line(facts, answers)) return;
  any ? answers.passed() : answers.unknown(why_unknown("/nvidia/devices", of(snapshot.nvidia, &Nvidia::devices)));
}

Diagnosis diagnosis() {
  return {
      .id = "driver.vgpu-profile",
      .layer = Layer::user_driver,
      .severity = Severity::error,
      .title = "The virtual GPU's profile has no CUDA",
      .claim = "The hypervisor gave this machine a slice of a GPU whose profile or licence does not include CUDA.",
      .proof = "The name of the device ends in a profile without CUDA, or the licence was refused.",
      .disproof = "CUDA lists the device.",
      .remedy = "Ask the hypervisor's administrator for a profile that ends in Q or C, with its licence.",
      .explains = with_unusable_driver({"driver.init-failed", "driver.gpu-init-failed", "driver.compute-mode"}),
      .symptoms = {{{refused, "vgpu-type"}, Confidence::possible}},
      .not_here = nvidia::not_here,
      .judge = judge,
  };
}

}  // namespace envdoctor::driver_vgpu_profile

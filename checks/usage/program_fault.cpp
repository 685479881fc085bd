// usage.program-fault: a kernel accessed invalid memory, or stopped itself. The driver reports such faults
// but doesn't cause them; a hardware fault gives the same message.
#include <set>
#include "checks/driver/nvidia_facts.h"
#include "checks/driver/xid_findings.h"
#include "knowledge/codes/names.h"

namespace envdoctor::usage_program_fault {

using enum SymptomClass;

const Symptom* fault(const Facts& facts) {
  if (const auto& lines = facts.all({crashed, "cuda-kernel"}); !lines.empty()) return lines.front();
  static const std::set<std::string> faults = {cuda_error::illegal_address,    cuda_error::illegal_instruction,
                                               cuda_error::misaligned_address, cuda_error::hardware_stack_error,
                                               cuda_error::assert_failed,      cuda_error::launch_failed};
  for (const Symptom* line : facts.all({failed, "cuda-call"})) {
    if (faults.contains(knowledge::cuda_error_name(line->detail("code")))) return line;
  }
  return facts.first({{failed, "amd-gpu-memory-access"}});
}

// The GPU itself failed; then the kernel's error is a consequence of that.
bool hardware_failed(const Facts& facts) {
  for (const char* cause : {"hardware.ecc", "driver.gpu-lost", "driver.gpu-init-failed", "hardware.power-or-thermal"}) {
    const auto xids = xids_of(facts.snapshot(), cause);
    if (!std::ranges::all_of(xids, [&](const LoggedXid& xid) { return follows_program_fault(xid, facts.snapshot()); }))
      return true;
  }
  return facts.saw({{lost, "gpu"}, {lost, "pci-device"}, {failed, "gpu"}, {failed, "gpu-memory-ecc"}}) ||
         nvidia::nvml(facts.snapshot()).is(nvml_error::gpu_is_lost);
}

// The kernel module logs an Xid of its own for faults of programs.
std::vector<Evidence> program_xids(const Snapshot& snapshot) {
  std::vector<Evidence> found;
  for (const LoggedXid& xid : xids_of(snapshot, "")) {
    const auto known = knowledge::xid(xid.code);
    if (known && known->class_ == "app") found = nvidia::joined(std::move(found), xid.evidence);
  }
  return found;
}

// A compiler of OpenCL read the program's source and refused it.
const Symptom* refused_source(const Facts& facts) {
  if (facts.saw({{failed, "opencl-driver"}, {unsupported, "float64"}})) return nullptr;
  if (const Symptom* line = facts.first({{failed, "opencl-kernel-source"}})) return line;
  return facts.with({failed, "gpu-api-call"}, "code", "CL_BUILD_PROGRAM_FAILURE");
}

std::vector<Fix> remedies() {
  return {{.text = "Run the program with CUDA_LAUNCH_BLOCKING=1 (AMD: AMD_SERIALIZE_KERNEL=3), so that the error names "
                   "the call that fails."},
          {.text = "Let compute-sanitizer (part of the CUDA toolkit) name the kernel and the address."},
          {.text = "If correct programs fail too, test the GPU's memory."}};
}

void judge(const Facts& facts, Answers& answers) {
  const Symptom* line = fault(facts);
  const auto xids = program_xids(facts.snapshot());
  if (const Symptom* source = refused_source(facts); source && !line && xids.empty()) {
    Finding& finding = answers.found_in(*source, Confidence::possible);
    finding.title = "A program's own kernel does not compile for this device";
    finding.explanation =
        "OpenCL's compiler was reached, so driver and device answer; it refuses the source or the options that the "
        "program hands it.";
    finding.fix = {{.text = "Read the build log: it names the line or the option that this device's compiler refuses."},
                   {.text = "Update the program, or the driver that brings the compiler."}};
    return;
  }
  if (const Symptom* handle = facts.first({{failed, "cuda-resource-handle"}}); handle && !line && xids.empty()) {
    Finding& finding = answers.found_in(*handle, Confidence::possible);
    finding.title = "A program uses a stream or an event on a GPU that it doesn't belong to";
    finding.explanation =
        "Streams, events and kernels belong to the GPU, and to the process, in which they were made: CUDA refuses them "
        "while another one is current, or after a fork.";
    finding.fix = {{.text = "Run it with one GPU (CUDA_VISIBLE_DEVICES=0): if that works, the program doesn't select "
                            "the device before it uses the stream. Update it, or report it to its authors."}};
    return;
  }
  if (!line && xids.empty()) return answers.not_applicable("no program reports a fault in a kernel");
  if (hardware_failed(facts)) return answers.not_applicable("the GPU itself failed");
  if (facts.saw({{wrong_result, "peer-copy"}})) return answers.not_applicable("copies between the GPUs fail");
  if (!line) {  // only the kernel module reports it
    Finding& finding = answers.found();
    finding.confidence = Confidence::possible;
    // The host's own log goes back to boot: a program's fault of yesterday is no current problem.
    const bool handed_in =
        std::ranges::any_of(xids, [](const Evidence& one) { return one.path == "log" && one.source != "kernel"; });
    if (!handed_in) finding.severity = Severity::info;
    finding.explanation = find_diagnosis(answers.id)->claim;
    finding.evidence = xids;
    finding.fix = remedies();
    return;
  }
  Finding& finding = answers.found_in(*line, xids.empty() ? Confidence::possible : Confidence::likely);
  finding.evidence = nvidia::joined(std::move(finding.evidence), xids);
  finding.fix = remedies();
}

Diagnosis diagnosis() {
  return {
      .id = "usage.program-fault",
      .layer = Layer::use,
      .severity = Severity::error,
      .title = "A program's own kernel failed on the GPU",
      .claim =
          "A kernel read or wrote memory that is not its own, or failed an assertion: a bug in the program or in one "
          "of its libraries.",
      .proof =
          "The program reports an illegal access, a misaligned address, a launch failure or a failed assertion, "
          "and the kernel log holds an Xid of a program's fault and none of a fault of the GPU.",
      .disproof = "The kernel log holds an Xid of a hardware fault, or the program runs to its end.",
      .remedy =
          "Run it with CUDA_LAUNCH_BLOCKING=1 or under compute-sanitizer to find the call; index errors of a model "
          "show in plain words on the CPU.",
      .judge = judge,
  };
}

}  // namespace envdoctor::usage_program_fault

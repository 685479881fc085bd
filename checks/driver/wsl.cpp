// driver.wsl: under WSL2 the driver is the one of Windows, reached by /dev/dxg and the libraries in /usr/lib/wsl/lib.
#include "checks/driver/nvidia_facts.h"

namespace envdoctor::driver_wsl {

using enum SymptomClass;

const Fix update{
    "Update NVIDIA's driver in Windows and WSL itself (in Windows: wsl --update, then wsl --shutdown), then start WSL "
    "again.",
    ""};

void report_finding(const Snapshot& snapshot, Confidence confidence, std::string explanation,
                    std::vector<Evidence> proof, std::vector<Fix> fix, Answers& answers) {
  Finding& finding = nvidia::fault(answers, snapshot, confidence, std::move(proof));
  finding.explanation = std::move(explanation);
  finding.fix = std::move(fix);
}

// libcuda of a Linux driver that was installed inside the distribution.
std::optional<Evidence> linux_libcuda(const Snapshot& snapshot) {
  const std::string path = nvidia::libcuda(snapshot).or_empty();
  // In a container the toolkit mounts Windows' copy under the usual name.
  if (!path.starts_with('/') || path.starts_with("/usr/lib/wsl/") || path.find("/compat/") != path.npos ||
      path.find("/stubs/") != path.npos || nvidia::contained(snapshot))
    return std::nullopt;
  return nvidia::libcuda_evidence(snapshot);
}

void judge_errors(const Snapshot& snapshot, Answers& answers) {
  const Text cuinit = nvidia::cuinit(snapshot);
  const auto proof = nvidia::cuinit_evidence(snapshot);
  if (nvidia::nvml(snapshot).is(nvml_error::operating_system))
    return report_finding(
        snapshot, Confidence::likely,
        "Windows refuses WSL the GPU: its driver, a policy or an update that waits for a restart stands in the way.",
        nvidia::nvml_evidence(snapshot),
        {{"Restart Windows, then update NVIDIA's driver there and WSL itself (wsl --update, wsl --shutdown).", ""}},
        answers);
  if (const auto path = linux_libcuda(snapshot); path && cuinit.get())
    return report_finding(
        snapshot, Confidence::likely,
        "The libcuda that is loaded is not the one Windows provides in /usr/lib/wsl/lib: a Linux driver was "
        "installed inside WSL.",
        nvidia::joined({*path}, proof),
        {{"Remove every NVIDIA driver package inside WSL (libcuda1, libnvidia-*, nvidia-driver-*); keep the "
          "CUDA toolkit only.",
          ""}},
        answers);
  if (cuinit.is(cuda_error::not_found))
    return report_finding(
        snapshot, Confidence::likely,
        "The Windows driver needs a library that an older NVIDIA container toolkit doesn't pass into the container.",
        proof, {{"Update nvidia-container-toolkit in WSL (or Docker Desktop), then start the container anew.", ""}},
        answers);
  if (cuinit.is(cuda_error::out_of_memory))
    return report_finding(
        snapshot, Confidence::likely,
        "Starting CUDA fails with 'out of memory' before anything was allocated, as it does under WSL with several "
        "GPUs.",
        proof,
        {{"Try with one GPU (CUDA_VISIBLE_DEVICES=0), give WSL more memory in .wslconfig, and update.", ""}, update},
        answers);
  if (cuinit.get() && !cuinit.is(cuda_error::stub_library) && !cuinit.is(cuda_error::compat_not_supported_on_device))
    report_finding(
        snapshot, Confidence::possible,
        "Under WSL CUDA doesn't start; the driver of Windows, WSL or a Linux driver inside it are the usual places to "
        "look.",
        proof,
        {update,
         {"Look for a Linux driver inside WSL: dpkg -l | grep -E 'libcuda1|nvidia-driver|libnvidia-compute'; remove "
          "it.",
          ""}},
        answers);
}

// The interface to Windows is missing.
void judge_passage(const Snapshot& snapshot, Answers& answers) {
  const DeviceNode* passage = node_of(snapshot, "/dev/dxg");
  if (snapshot.device_nodes.get() && !passage && !nvidia::contained(snapshot))
    return report_finding(
        snapshot, Confidence::likely,
        "/dev/dxg, by which WSL2 reaches the GPU of Windows, does not exist: WSL's kernel is too old or "
        "Windows offers no GPU.",
        {evidence("/device_nodes", "no /dev/dxg")}, {update}, answers);
  if (!passage || nvidia::libcuda(snapshot).outcome() != Outcome::absent) return;
  report_finding(
      snapshot, Confidence::possible,
      "WSL2 reaches a GPU, and libcuda.so.1 is not found. If the GPU is NVIDIA's, Windows' driver is missing or too "
      "old, or /usr/lib/wsl/lib is not on the search path.",
      {evidence("/device_nodes", "/dev/dxg"), nvidia::libcuda_evidence(snapshot)},
      {update,
       {"If /usr/lib/wsl/lib/libcuda.so.1 exists, make the loader look there: echo /usr/lib/wsl/lib | sudo tee "
        "/etc/ld.so.conf.d/ld.wsl.conf, then sudo ldconfig.",
        ""}},
      answers);
  answers.findings.back().severity = Severity::warning;  // the GPU may be of another vendor
}

// Only a framework's own output is known: a CUDA build that can't use CUDA.
void judge_framework(const Snapshot& snapshot, Answers& answers) {
  const bool asked = nvidia::cuinit(snapshot).outcome() != Outcome::not_probed || snapshot.device_nodes.get();
  if (!asked && of(snapshot.torch, &Torch::cuda_available).is(false) &&
      of(snapshot.torch, &Torch::cuda_version).get() && !env_of(snapshot, "CUDA_VISIBLE_DEVICES").get())
    report_finding(
        snapshot, Confidence::possible,
        "PyTorch is a CUDA build and can't use CUDA under WSL; the driver of Windows is the usual place to look.",
        {evidence("/torch/cuda_available", "false"), evidence("/host/platform", "wsl2")}, {update}, answers);
}

void judge(const Snapshot& snapshot, Answers& answers) {
  const Text platform = of(snapshot.host, &HostFacts::platform);
  if (!nvidia::on_wsl(snapshot))
    return platform.get() ? answers.not_applicable("this is not WSL")
                          : answers.unknown(why_unknown("/host/platform", platform));
  if (nvidia::cuda_works(snapshot)) return answers.passed();
  const std::size_t before = answers.findings.size();
  for (const auto look : {judge_errors, judge_passage, judge_framework}) {
    if (answers.findings.size() == before) look(snapshot, answers);
  }
  const Text cuinit = nvidia::cuinit(snapshot);
  cuinit.outcome() == Outcome::absent ? answers.passed() : answers.unknown(why_unknown("/nvidia/cuinit_error", cuinit));
}

bool on_wsl(const Facts& facts) { return facts.wsl(); }

// nvidia-smi calls Windows' driver through its own library; a program that finds no GPU anyway has loaded another
// libcuda.
bool smi_alone_answers(const Facts& facts) {
  return when::wsl_or_named(facts) && !facts.used() && !facts.container() &&
         facts.saw({{noted, "nvidia-smi-versions"}}) &&
         !facts.saw({{noted, "visible-devices"}, {noted, "visible-devices-in-program"}});
}

// WSL's kernel holds no amdgpu: AMD's GPUs are reached through Windows' driver as well.
void judge_amd(const Facts& facts, Answers& answers) {
  const Symptom* module = facts.first({{missing, "amdgpu-kernel-module"}, {missing, "kfd-node"}});
  // amd-smi looks for the module even under WSL, where it never exists.
  const bool by_rocm = module && (module->program.is("rocminfo") || module->is({missing, "kfd-node"}));
  if (!by_rocm || !facts.wsl() || facts.used()) return;
  Finding& finding = answers.found_in(*module, Confidence::likely);
  finding.explanation =
      "WSL's kernel has no amdgpu driver and makes no /dev/kfd. ROCm reaches the GPU through Windows' driver there, "
      "for "
      "the GPUs that AMD lists for WSL.";
  finding.fix = {{.text = "Install AMD's driver for WSL in Windows and ROCm's packages for WSL here (amdgpu-install "
                          "--usecase=wsl,rocm --no-dkms); remove amdgpu-dkms."}};
}

// https://learn.microsoft.com/windows/ai/directml/gpu-cuda-in-wsl names Windows 11 and Windows 10 of version 21H2.
constexpr int first_build_with_cuda = 19044;

void judge_build(const Facts& facts, Answers& answers) {
  const Symptom* line = when::windows_before(facts, first_build_with_cuda);
  if (!line || !facts.wsl() || facts.used() || facts.driver_works()) return;
  Finding& finding = answers.found_in(*line, Confidence::likely);
  finding.title = "This Windows passes no GPU on to WSL";
  finding.explanation = fmt::format("Windows build {} is older than {}, the first whose WSL reaches the GPU.",
                                    line->detail("build"), first_build_with_cuda);
  finding.fix = {{.text = "Update Windows to version 21H2 of Windows 10 or to Windows 11, then WSL: wsl --update."}};
}

void judge_text(const Facts& facts, Answers& answers) {
  judge_amd(facts, answers);
  judge_build(facts, answers);
}

// Windows passes cards of its display driver model (WDDM) on to WSL, none of the one for computing (TCC).
bool no_use_on_wsl(const Facts& facts) { return facts.wsl() && !facts.used(); }

// A person says that it happens under WSL, where only Windows' driver can be missing or broken; what else would hide
// the GPU isn't told.
bool named_and_unreached(const Facts& facts) {
  return when::wsl_or_named(facts) && when::no_better_cause(facts) && !facts.container() &&
         !facts.saw({{noted, "visible-devices"},
                     {noted, "visible-devices-in-program"},
                     {noted, "cpu-build"},
                     {missing, "gpu-support"},
                     {missing, "library"},
                     {missing, "cuda-libraries"},
                     {missing, "gpu-libraries"}}) &&
         !of(facts.snapshot().host, &HostFacts::platform).is("windows");
}

// Of NVML alone: nvidia-smi asks Windows' driver by a library of its own, and answers.
bool nvml_alone_fails(const Facts& facts) {
  return when::wsl_or_named(facts) && facts.saw({{noted, "nvidia-smi-versions"}});
}

// nvidia-smi and the driver have versions of different series: the driver is that of Windows.
bool tool_of_windows(const Facts& facts) {
  const Symptom* head = facts.first({{noted, "nvidia-smi-versions"}});
  return facts.wsl() || facts.with({crashed, "nvidia-smi"}, "windows", "yes") ||
         (head && !head->detail("driver").empty() && head->detail("driver").size() < 7 &&
          head->detail("smi") != head->detail("driver"));
}

// CUDA starts nowhere in a container, though the driver of Windows lists a GPU with free memory.
bool windows_beside_container(const Facts& facts) {
  return when::wsl_or_named(facts) || (facts.saw({{noted, "driver-model-of-windows"}}) &&
                                       (facts.container() || facts.saw({{noted, "container-named"}})));
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "driver.wsl",
      .layer = Layer::user_driver,
      .severity = Severity::error,
      .title = "The GPU is not reachable from WSL",
      .claim =
          "Under WSL2 the driver is the Windows one, passed on by /dev/dxg and /usr/lib/wsl/lib; this way is blocked "
          "or broken.",
      .proof = "Under WSL2, the library isn't Windows' own one, or the Windows driver doesn't answer it.",
      .disproof = "CUDA lists the GPU inside WSL.",
      .remedy =
          "Update the Windows driver and WSL (wsl --update, wsl --shutdown), remove any Linux NVIDIA driver inside "
          "WSL, and give a card in TCC mode Windows' display driver model (nvidia-smi -dm 0).",
      .explains = with_unusable_driver({"driver.container-cgroup-lost", "driver.not-installed",
                                        "driver.libcuda-missing", "driver.init-failed", "driver.module-not-loaded",
                                        "driver.device-nodes-missing", "hardware.no-gpu"}),
      .symptoms =
          {
              {{crashed, "nvidia-smi"}, likely, tool_of_windows},
              {{too_old, "driver"}, likely, on_wsl, "found", "0"},
              {{missing, "loaded-driver"}, likely, on_wsl},
              {{missing, "driver-for-container-toolkit"}, likely, on_wsl},
              {{failed, "container-driver-service"}, likely, when::wsl_or_named},
              {{failed, "nvml"}, possible, nvml_alone_fails},
              {{failed, "cuda-start"}, likely, windows_beside_container, "code", cuda_error::out_of_memory},
              {{missing, "any-gpu"}, possible, named_and_unreached},
              {{missing, "any-driver"}, possible, named_and_unreached},
              {{missing, "available-gpu"}, possible, named_and_unreached},
              {{missing, "gpu"}, possible, named_and_unreached},
              {{missing, "cuda"}, possible, named_and_unreached},
              {{missing, "driver"}, possible, named_and_unreached},
              {{missing, "cuda-device"}, possible, named_and_unreached},
              {{failed, "nvidia-smi-on-wsl"}, likely},
              {{duplicate, "driver-library-in-image"}, likely, on_wsl},
              {{noted, "driver-model-tcc"}, likely, no_use_on_wsl},
              {{refused, "gpu-access"}, likely},
              {{missing, "driver-version"}, likely, on_wsl},
              {{noted, "nvidia-smi-versions"}, possible, on_wsl, "cuda", "ERR!"},
              {{missing, "cuda-device"}, likely, smi_alone_answers},
          },
      .judge_host = judge,
      .judge = judge_text,
  };
}

}  // namespace envdoctor::driver_wsl

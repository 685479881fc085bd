// driver.wsl: under WSL2 the driver is the one of Windows, reached by /dev/dxg and the libraries in /usr/lib/wsl/lib.
#include "checks/driver/nvidia_facts.h"

namespace envdoctor::driver_wsl {

using enum SymptomClass;
namespace {

constexpr const char* id = "driver.wsl";
const Fix update{.text =
                     "Update NVIDIA's driver in Windows and WSL itself (in Windows: wsl --update, then wsl "
                     "--shutdown), then start WSL again."};

Finding& tell(const Snapshot& snapshot, Confidence confidence, std::string explanation, std::vector<Evidence> proof,
              Answers& answers) {
  Finding& finding = answers.found(id);
  finding.severity = nvidia::fault_severity(snapshot);
  finding.confidence = confidence;
  finding.explanation = std::move(explanation);
  finding.evidence = std::move(proof);
  return finding;
}

// libcuda of a Linux driver that was installed inside the distribution.
std::optional<Evidence> linux_libcuda(const Snapshot& snapshot) {
  const Text path = nvidia::libcuda(snapshot);
  if (!path.get() || !path.get()->starts_with('/') || path.get()->starts_with("/usr/lib/wsl/") ||
      path.get()->find("/compat/") != std::string::npos || path.get()->find("/stubs/") != std::string::npos)
    return std::nullopt;
  // In a container the toolkit mounts Windows' copy under the usual name.
  if (nvidia::contained(snapshot)) return std::nullopt;
  return nvidia::libcuda_evidence(snapshot);
}

bool judge_errors(const Snapshot& snapshot, Answers& answers) {
  const Text cuinit = nvidia::cuinit(snapshot);
  const Text nvml = nvidia::nvml(snapshot);
  if (nvml.is(nvml_error::operating_system)) {
    tell(snapshot, Confidence::likely,
         "Windows refuses WSL the GPU: its driver, a policy or an update that waits for a restart stands in the way.",
         nvidia::nvml_evidence(snapshot), answers)
        .fix = {
        {.text = "Restart Windows, then update NVIDIA's driver there and WSL itself (wsl --update, wsl --shutdown)."}};
    return true;
  }
  if (const auto path = linux_libcuda(snapshot); path && cuinit.get()) {
    tell(snapshot, Confidence::likely,
         "The libcuda that is loaded is not the one Windows provides in /usr/lib/wsl/lib: a Linux driver was installed "
         "inside WSL.",
         nvidia::joined({*path}, nvidia::cuinit_evidence(snapshot)), answers)
        .fix = {{.text = "Remove every NVIDIA driver package inside WSL (libcuda1, libnvidia-*, nvidia-driver-*); keep "
                         "the CUDA toolkit only."}};
    return true;
  }
  if (cuinit.is(cuda_error::not_found)) {
    tell(snapshot, Confidence::likely,
         "The Windows driver needs a library that an older NVIDIA container toolkit doesn't pass into the container.",
         nvidia::cuinit_evidence(snapshot), answers)
        .fix = {{.text = "Update nvidia-container-toolkit in WSL (or Docker Desktop), then start the container anew."}};
    return true;
  }
  if (cuinit.is(cuda_error::out_of_memory)) {
    tell(snapshot, Confidence::likely,
         "Starting CUDA fails with 'out of memory' before anything was allocated, as it does under WSL with several "
         "GPUs.",
         nvidia::cuinit_evidence(snapshot), answers)
        .fix = {{.text = "Try with one GPU (CUDA_VISIBLE_DEVICES=0), give WSL more memory in .wslconfig, and update."},
                update};
    return true;
  }
  const bool starts_elsewhere =
      cuinit.is(cuda_error::stub_library) || cuinit.is(cuda_error::compat_not_supported_on_device);
  if (cuinit.get() && !starts_elsewhere) {
    tell(snapshot, Confidence::possible,
         "Under WSL CUDA doesn't start; the driver of Windows, WSL or a Linux driver inside it are the usual places to "
         "look.",
         nvidia::cuinit_evidence(snapshot), answers)
        .fix = {update,
                {.text = "Look for a Linux driver inside WSL: dpkg -l | grep -E "
                         "'libcuda1|nvidia-driver|libnvidia-compute'; remove it."}};
    return true;
  }
  return false;
}

// The way to Windows isn't there.
bool judge_passage(const Snapshot& snapshot, Answers& answers) {
  const bool nodes = snapshot.device_nodes.get() != nullptr;
  if (nodes && !node_of(snapshot, "/dev/dxg") && !nvidia::contained(snapshot)) {
    tell(snapshot, Confidence::likely,
         "/dev/dxg, by which WSL2 reaches the GPU of Windows, does not exist: WSL's kernel is too old or Windows "
         "offers no GPU.",
         {evidence("/device_nodes", "no /dev/dxg")}, answers)
        .fix = {update};
    return true;
  }
  if (node_of(snapshot, "/dev/dxg") && nvidia::libcuda(snapshot).outcome() == Outcome::absent) {
    Finding& finding = tell(
        snapshot, Confidence::possible,
        "WSL2 reaches a GPU, and libcuda.so.1 is not found. If the GPU is NVIDIA's, Windows' driver is missing or too "
        "old, or "
        "/usr/lib/wsl/lib is not on the search path.",
        {evidence("/device_nodes", "/dev/dxg"), nvidia::libcuda_evidence(snapshot)}, answers);
    finding.severity = Severity::warning;  // the GPU may be of another vendor
    finding.fix = {
        update,
        {.text = "If /usr/lib/wsl/lib/libcuda.so.1 exists, make the loader look there: echo /usr/lib/wsl/lib | "
                 "sudo tee /etc/ld.so.conf.d/ld.wsl.conf, then sudo ldconfig."}};
    return true;
  }
  return false;
}

// Only what a framework says of itself is known: a CUDA build that can't use CUDA.
bool judge_framework(const Snapshot& snapshot, Answers& answers) {
  const bool asked = nvidia::cuinit(snapshot).outcome() != Outcome::not_probed || snapshot.device_nodes.get();
  if (asked || !of(snapshot.torch, &Torch::cuda_available).is(false) || !of(snapshot.torch, &Torch::cuda_version).get())
    return false;
  const Text visible = env_of(snapshot, "CUDA_VISIBLE_DEVICES");
  if (visible.get()) return false;
  tell(snapshot, Confidence::possible,
       "PyTorch is a CUDA build and can't use CUDA under WSL; the driver of Windows is the usual place to look.",
       {evidence("/torch/cuda_available", "false"), evidence("/host/platform", "wsl2")}, answers)
      .fix = {update};
  return true;
}

void judge(const Facts& facts, Answers& answers) {
  const Snapshot& snapshot = facts.snapshot();
  const Text platform = of(snapshot.host, &HostFacts::platform);
  if (platform.get() && !nvidia::on_wsl(snapshot)) return answers.not_applicable(id, "this is not WSL");
  if (!nvidia::on_wsl(snapshot)) return answers.unknown(id, why_unknown("/host/platform", platform));
  if (nvidia::cuda_works(snapshot)) return answers.passed(id);
  if (judge_errors(snapshot, answers) || judge_passage(snapshot, answers) || judge_framework(snapshot, answers)) return;
  const Text cuinit = nvidia::cuinit(snapshot);
  if (cuinit.outcome() == Outcome::absent) return answers.passed(id);
  answers.unknown(id, why_unknown("/nvidia/cuinit_error", cuinit));
}

bool on_wsl(const Facts& facts) { return facts.wsl(); }

}  // namespace

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
          "Update the Windows driver and WSL (wsl --update, wsl --shutdown), and remove any Linux NVIDIA driver inside "
          "WSL.",
      .explains = with_unusable_driver({"driver.not-installed", "driver.libcuda-missing", "driver.init-failed",
                                        "driver.module-not-loaded", "driver.device-nodes-missing", "hardware.no-gpu"}),
      .symptoms =
          {
              {{too_old, "driver"}, likely, on_wsl, "found", "0"},
              {{refused, "gpu-access"}, likely},
              {{missing, "driver-version"}, likely, on_wsl},
              {{noted, "nvidia-smi-versions"}, possible, on_wsl, "cuda", "ERR!"},
          },
      .judge = judge,
  };
}

}  // namespace envdoctor::driver_wsl

// driver.init-failed: everything that the driver needs is present, but cuInit fails with an error that names no cause.
#include <array>

#include "checks/driver/nvidia_facts.h"
#include "knowledge/gpus/drivers.h"

namespace envdoctor::driver_init_failed {

using enum SymptomClass;

// Errors that name their cause, or are no fault of the driver; other checks handle each of them. The last ones come
// from a program's own mistakes or from a machine without a visible device.
constexpr std::array others{cuda_error::no_device,
                            cuda_error::stub_library,
                            cuda_error::system_not_ready,
                            cuda_error::system_driver_mismatch,
                            cuda_error::compat_not_supported_on_device,
                            cuda_error::device_unavailable,
                            cuda_error::out_of_memory,
                            cuda_error::shared_object_init_failed,
                            cuda_error::not_initialized,
                            cuda_error::invalid_device,
                            cuda_error::ecc_uncorrectable,
                            cuda_error::no_binary_for_gpu,
                            cuda_error::invalid_image,
                            cuda_error::invalid_ptx,
                            cuda_error::unsupported_ptx_version,
                            cuda_error::illegal_address,
                            cuda_error::illegal_instruction,
                            cuda_error::misaligned_address,
                            cuda_error::hardware_stack_error,
                            cuda_error::assert_failed,
                            cuda_error::launch_failed,
                            cuda_error::launch_timeout,
                            cuda_error::launch_out_of_resources};

// NCCL was the first to be refused: its ranks had opened their GPUs, and what it asked for between them failed.
bool failed_within_nccl(const Facts& facts) {
  const Symptom* nccl = facts.first({{failed, "nccl-cuda-call"}});
  return nccl && !facts.saw({{failed, "cuinit"}, {failed, "cuda-call"}, {missing, "cuda-device"}}) &&
         std::ranges::all_of(facts.all({failed, "cuda"}), [nccl](const Symptom* line) {
           return line->source == nccl->source && line->line.or_empty() >= nccl->line.or_empty();
         });
}

// A better explanation of the error, if one is known.
std::string better_cause(const Facts& facts) {
  const Snapshot& snapshot = facts.snapshot();
  if (nvidia::kernel_driver_runs(snapshot).is(false)) return "no NVIDIA kernel driver runs";
  if (nvidia::nvml(snapshot).is(nvml_error::lib_rm_version_mismatch) || nvidia::versions(snapshot).differ())
    return "module and library have different versions";
  if (!of(snapshot.nvidia, &Nvidia::kernel_driver_version).get() && facts.driver_dead())
    return "no driver answers at all";
  if (const DeviceNode* node = nvidia::closed_node(snapshot, {"/dev/nvidia-caps", "/dev/nvidia-modeset"}))
    return *node->path.get() + " may not be opened";
  if (!of(snapshot.nvidia, &Nvidia::cuinit_error).get() && failed_within_nccl(facts))
    return "the GPUs were open when a call of NCCL failed";
  if (nvidia::cuinit(snapshot).is(cuda_error::not_permitted) && nvidia::nvml(snapshot).is(nvml_error::unknown))
    return "NVML may not open the GPU either, which is a lost permission";
  if (nvidia::nvml(snapshot).is(nvml_error::unknown) && (facts.container() || nvidia::cgroup_forbids(snapshot)))
    return "NVML answers its unknown error in a container, which is a lost permission";
  if (snapshot.device_nodes.get() && !node_of(snapshot, "/dev/nvidia-uvm")) return "/dev/nvidia-uvm is missing";
  return {};
}

// The driver lists its GPUs and serves the CUDA of PyTorch's build, and PyTorch finds none: what cuInit answers wasn't
// shown.
bool torch_finds_none(const Facts& facts, Answers& answers) {
  const Snapshot& snapshot = facts;
  const Torch& torch = snapshot.torch.or_empty();
  const auto driver = knowledge::max_cuda_of_driver(of(snapshot.nvidia, &Nvidia::kernel_driver_version).or_empty());
  if (!torch.cuda_available.is(false) || !torch.cuda_version.get() || !driver ||
      of(snapshot.nvidia, &Nvidia::devices).or_empty().empty() || nvidia::on_wsl(snapshot) || facts.container() ||
      env_of(snapshot, "CUDA_VISIBLE_DEVICES").get() || !when::no_better_cause(facts) ||
      knowledge::compare_versions(*driver, *torch.cuda_version.get()) < 0)
    return false;
  Finding& finding = answers.found_on("framework:torch");
  finding.confidence = Confidence::possible;
  finding.title = "PyTorch finds no GPU though the driver lists some";
  finding.explanation = fmt::format(
      "PyTorch was built for CUDA {}, which this driver serves, and the driver lists GPUs: a variable hides them from "
      "this process, or cuInit fails.",
      *torch.cuda_version.get());
  finding.evidence = {
      evidence("/torch/cuda_available", "false"),
      evidence("/nvidia/kernel_driver_version", *of(snapshot.nvidia, &Nvidia::kernel_driver_version).get())};
  finding.fix = {
      {.text = "If a variable is set, unset it.", .command = "env | grep VISIBLE_DEVICES"},
      {.text = "See what cuInit answers: 0 is success, 999 mostly a module nvidia_uvm that must be reloaded.",
       .command = "python3 -c \"import ctypes; print(ctypes.CDLL('libcuda.so.1').cuInit(0))\""}};
  return true;
}

void judge(const Facts& facts, Answers& answers) {
  const Snapshot& snapshot = facts;
  const Text cuinit = nvidia::cuinit(snapshot);
  if (nvidia::cuda_works(snapshot) || cuinit.outcome() == Outcome::absent) return answers.passed();
  if (nvidia::libcuda(snapshot).outcome() == Outcome::absent) return answers.not_applicable("libcuda is not found");
  if (!cuinit.get() && torch_finds_none(facts, answers)) return;
  if (!cuinit.get()) return answers.unknown(why_unknown("/nvidia/cuinit_error", cuinit));
  if (!cuinit.get()->starts_with("CUDA_ERROR_") || std::ranges::find(others, *cuinit.get()) != others.end())
    return answers.not_applicable("cuInit answers " + *cuinit.get() + ", which other checks judge");
  if (nvidia::on_wsl(snapshot)) return answers.not_applicable("under WSL this is driver.wsl");
  if (const std::string cause = better_cause(facts); !cause.empty()) return answers.not_applicable(cause);

  Finding& finding =
      nvidia::fault(answers, snapshot, snapshot.device_nodes.get() ? Confidence::certain : Confidence::likely,
                    nvidia::cuinit_evidence(snapshot));
  finding.explanation =
      "cuInit answers " + *cuinit.get() +
      ". NVML and nvidia-smi don't need the module nvidia_uvm and often work all the same; after a suspend that module "
      "is left unusable on some machines. CUDA_VISIBLE_DEVICES, which PyTorch's message names, is seldom involved.";
  if (nvidia::nvml(snapshot).outcome() == Outcome::absent)
    finding.evidence.push_back(evidence("/nvidia/nvml_error", "none: NVML works"));
  finding.fix = {on_host(snapshot, "reload the module while no program uses the GPU.",
                         "sudo modprobe -r nvidia_uvm && sudo modprobe nvidia_uvm"),
                 on_host(snapshot, "if that doesn't help, reboot, and read what the kernel log says of NVRM.",
                         "sudo dmesg | grep -iE 'nvrm|nvidia|xid'")};
}

// A person says that it began with a suspend, and a program fails at the GPU: nvidia_uvm is left unusable by it.
bool since_suspend(const Facts& facts) {
  return when::no_better_cause(facts) && !nvidia::on_wsl(facts) &&
         (of(facts.snapshot().torch, &Torch::cuda_available).is(false) || facts.saw({{missing, "any-gpu"},
                                                                                     {missing, "available-gpu"},
                                                                                     {missing, "gpu"},
                                                                                     {missing, "cuda"},
                                                                                     {missing, "cuda-device"},
                                                                                     {failed, "cuda"},
                                                                                     {failed, "cuda-call"},
                                                                                     {failed, "cuinit"},
                                                                                     {failed, "cuda-in-program"},
                                                                                     {crashed, "cuda-kernel"}}));
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "driver.init-failed",
      .layer = Layer::user_driver,
      .severity = Severity::error,
      .title = "The CUDA driver does not initialise",
      .claim = "Driver and device nodes are there and cuInit fails all the same.",
      .proof = "cuInit answers 999 or another start error with module, nodes and library in place.",
      .disproof = "cuInit returns CUDA_SUCCESS.",
      .remedy = "Reload the nvidia_uvm module (suspend leaves it unusable on some machines) or reboot.",
      .explains = with_unusable_driver({"usage.program-fault"}),
      .symptoms =
          {
              helped_by("unified-memory-reloaded"),
              {{noted, "suspend"}, possible, since_suspend},
              {{failed, "hip-start"}, possible, not_used},
              {{failed, "cuda-start"}, possible, not_used},
              {{failed, "cuda-initialization"},
               likely,
               [](const Facts& f) {
                 return f.with({used, "gpu"}, "program", "ggml") != nullptr;
               }},
              // In a container the folder of the host's MPS daemon is missing, or its variable leads elsewhere.
              {{failed, "cuda-mps"}, possible, [](const Facts& f) { return f.container(); }},
          },
      .not_here = nvidia::not_here,
      .judge = judge,
  };
}

}  // namespace envdoctor::driver_init_failed

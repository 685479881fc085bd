// visibility.container-hidden: the host's driver works on a GPU, but neither its nodes nor its libraries were passed
// into this container.
#include "checks/engine/rule.h"

namespace envdoctor::visibility_container_hidden {

using enum SymptomClass;

// /dev/nvidia0 and so on: the nodes of single GPUs.
bool has_card_node(const Snapshot& snapshot) {
  return std::ranges::any_of(snapshot.device_nodes.or_empty(), is_card_node);
}

Flag finds_libcuda(const Snapshot& snapshot) {
  if (of(snapshot.nvidia, &Nvidia::cuda_library).get()) return true;
  if (!snapshot.libraries.get()) return snapshot.libraries.missing();
  Flag answer;
  for (const SharedLibrary& library : *snapshot.libraries.get()) {
    if (library.soname.is("libcuda.so.1") && library.found.get() && !answer.is(true)) answer = library.found;
  }
  return answer;
}

std::string asked_for(const Snapshot& snapshot) {
  const Text variable = env_of(snapshot, "NVIDIA_VISIBLE_DEVICES");
  if (!variable.get()) return {};
  const bool none = variable.is("none") || variable.is("void") || variable.is("");
  return fmt::format(
      " NVIDIA_VISIBLE_DEVICES is \"{}\"{}", *variable.get(),
      none ? ", which asks for no GPU." : "; it has an effect only where NVIDIA's container runtime reads it.");
}

Fix start_again(const Snapshot& snapshot) {
  const Text kind = of(snapshot.host, &HostFacts::container);
  if (kind.is("docker")) return {.text = "Start the container again with the option --gpus all."};
  if (kind.is("podman")) return {.text = "Start the container again with the option --device nvidia.com/gpu=all."};
  if (kind.is("kubernetes"))
    return {.text = "Ask for a GPU in the pod's resources (nvidia.com/gpu: 1); the node needs NVIDIA's device plugin."};
  if (kind.is("singularity")) return {.text = "Start the container again with the option --nv."};
  return {.text = "Start the container again with its GPUs passed through."};
}

// The module's version is shared with the host, so it shows the host's driver even where nothing was passed on.
void judge_nvidia(const Snapshot& snapshot, Answers& answers) {
  const Text kernel = of(snapshot.nvidia, &Nvidia::kernel_driver_version);
  const Flag loaded = module_loaded(snapshot, "nvidia");
  const Flag libcuda = finds_libcuda(snapshot);
  if (cuda_device_seen(snapshot) || has_card_node(snapshot) || node_of(snapshot, "/dev/dxg")) return;
  const bool driver = kernel.get() || loaded.is(true);
  const bool no_nodes = snapshot.device_nodes.get() != nullptr;
  if (!driver && (kernel.outcome() == Outcome::absent || loaded.is(false))) return;  // the host itself has none
  if (!(driver && no_nodes) && !libcuda.is(false)) return;

  Finding& finding = answers.found();
  finding.confidence = driver && no_nodes ? Confidence::certain : driver ? Confidence::likely : Confidence::possible;
  finding.evidence = {evidence("/host/container", *snapshot.host.get()->container.get())};
  if (kernel.get()) finding.evidence.push_back(evidence("/nvidia/kernel_driver_version", *kernel.get()));
  if (!kernel.get() && loaded.is(true)) finding.evidence.push_back(evidence("/modules", "nvidia"));
  if (no_nodes) finding.evidence.push_back(evidence("/device_nodes", "no /dev/nvidia0 and the like"));
  if (libcuda.is(false)) finding.evidence.push_back(evidence("/libraries", "libcuda.so.1 not found"));
  finding.explanation = fmt::format("{}{} is here: the container was started without its GPUs.{}",
                                    driver ? "The node's NVIDIA driver runs, and " : "In this container ",
                                    no_nodes ? "no GPU's device node" : "no libcuda.so.1", asked_for(snapshot));
  finding.fix = {start_again(snapshot)};
}

void judge_render(const Snapshot& snapshot, const Gpu& gpu, Answers& answers) {
  const bool amd = gpu.vendor == Vendor::amd;
  if (amd ? gpu.driver != "amdgpu" : gpu.driver != "i915" && gpu.driver != "xe") return;
  if (!snapshot.device_nodes.get() || !nodes_under(snapshot, "/dev/dri/renderD").empty() ||
      node_of(snapshot, "/dev/kfd"))
    return;
  Finding& finding = answers.found_on(gpu.subject());
  // Every laptop and desktop has an integrated GPU; it is not necessarily wanted in a container.
  finding.severity = gpu.integrated ? Severity::info : Severity::error;
  finding.explanation = "The host's " + gpu.driver + " driver holds " + (gpu.name.empty() ? "this GPU" : gpu.name) +
                        ", and no node under /dev/dri is in this container.";
  finding.evidence = {evidence("/host/container", *snapshot.host.get()->container.get()),
                      evidence(gpu.in_pci("driver"), gpu.driver), evidence("/device_nodes", "no /dev/dri/renderD*")};
  finding.fix = {{.text = amd ? "Start the container with --device /dev/kfd --device /dev/dri and the numbers of the "
                                "groups that own them."
                              : "Start the container with --device /dev/dri and the number of the render group."}};
}

// rocminfo looks for the module in sysfs, which a container shares with its host, and for the node in /dev.
bool judge_kfd(const Facts& facts, Answers& answers) {
  const Symptom* lacking = facts.first({{missing, "kfd-node"}});
  const bool started = facts.saw({{noted, "container-start"}}) && node_of(facts, "/dev/kfd");  // the host has the node
  if (!lacking || !(facts.container() || started) || facts.saw({{missing, "amdgpu-kernel-module"}})) return false;
  Finding& finding = answers.found_in(*lacking, Confidence::likely);
  finding.explanation = "This container has no /dev/kfd: ROCm's device nodes were not passed into it.";
  finding.fix = {{.text = "Start the container with the nodes of ROCm: docker run --device=/dev/kfd --device=/dev/dri, "
                          "and with the group that owns them (--group-add)."}};
  return true;
}

// The engine finds no such file, but the shell beside it does: the engine runs on another machine, usually a virtual
// one.
bool judge_engine(const Facts& facts, Answers& answers) {
  const Symptom* lacking = facts.first({{missing, "amdgpu-kernel-module"}});
  if (!lacking || !facts.saw({{noted, "container-start"}}) || !node_of(facts, "/dev/kfd")) return false;
  Finding& finding = answers.found_in(*lacking, Confidence::likely);
  finding.evidence.push_back(evidence("/device_nodes", "/dev/kfd"));
  finding.title = "The container engine runs where the GPU's nodes are not";
  finding.explanation =
      "/dev/kfd is on this host, and the engine finds none: it runs in a virtual machine, as Docker Desktop's does, or "
      "on another host.";
  finding.fix = {{.text = "Use the host's own engine: choose its context, or run docker with sudo.",
                  .command = "docker context use default"}};
  return true;
}

std::string ask_scheduler(const std::string& directive) {
  const auto of = [&directive](std::string_view name) { return directive.find(name) != std::string::npos; };
  if (of("#BSUB"))
    return "Ask for a GPU: #BSUB -gpu \"num=1\", and a queue whose hosts have GPUs (bqueues, bhosts -gpu).";
  if (of("#PBS")) return "Ask for a GPU: #PBS -l select=1:ncpus=4:ngpus=1, and a queue whose hosts have GPUs.";
  if (of("#COBALT")) return "Ask for a queue whose hosts have GPUs: #COBALT -q QUEUE.";
  return "Ask for a GPU: --gres=gpu:1 (or --gpus=1) with sbatch, salloc or srun.";
}

// Schedulers hide the GPUs that a job didn't ask for, as a container's engine does. What Slurm says of a job proves
// more than the job's script does, since a queue may give a GPU unasked.
bool judge_job(const Facts& facts, Answers& answers) {
  const Symptom* given = facts.first({{missing, "gpu-of-slurm-job"}});
  const Symptom* job = given ? given : facts.first({{missing, "gpu-in-job-script"}});
  const Torch& torch = facts.snapshot().torch.or_empty();
  const Symptom* none = facts.first({{missing, "visible-gpu"},
                                     {missing, "cuda-device"},
                                     {missing, "available-gpu"},
                                     {missing, "torch-cuda"},
                                     {missing, "any-gpu"},
                                     {missing, "gpu"}});
  if (!job || (!none && !torch.cuda_available.is(false) && !torch.device_count.is(0))) return false;
  if (!given && !when::no_better_cause(facts)) return false;
  Finding& finding = answers.found_in(*job, given ? Confidence::likely : Confidence::possible);
  if (none) finding.evidence.push_back(evidence(*none));
  finding.title = given ? "The Slurm job was given no GPU" : "The job asked its scheduler for no GPU";
  finding.explanation =
      given
          ? "What Slurm gave to this job holds no gres/gpu, so it hides the node's GPUs from its programs."
          : "No directive of the job's script asks for a GPU. Then the scheduler chooses a host without one, or hides "
            "the host's GPUs from the job.";
  finding.fix = {{.text = ask_scheduler(job->text.or_empty())}};
  return true;
}

void judge(const Facts& facts, Answers& answers) {
  const Snapshot& snapshot = facts;
  if (judge_kfd(facts, answers) || judge_engine(facts, answers) || judge_job(facts, answers)) return;
  const Flag container = in_container(snapshot);
  if (container.is(false)) return answers.not_applicable("this is no container");
  if (!container.get()) return answers.unknown(why_unknown("/host/container", container));
  if (!has_gpu(snapshot, Vendor::nvidia).is(false) || module_loaded(snapshot, "nvidia").is(true))
    judge_nvidia(snapshot, answers);
  for (const Gpu& gpu : gpus_of(snapshot)) {
    if (gpu.vendor != Vendor::nvidia && gpu.pci_index >= 0) judge_render(snapshot, gpu, answers);
  }
  if (cuda_device_seen(snapshot) || hip_device_seen(snapshot) || has_card_node(snapshot) ||
      node_of(snapshot, "/dev/kfd"))
    return answers.passed();
  if (!snapshot.device_nodes.get()) return answers.unknown(why_unknown("/device_nodes", snapshot.device_nodes));
  const Flag any = has_any_gpu(snapshot);
  if (any.is(false)) return answers.not_applicable("the node has no GPU to pass through");
  any.get() ? answers.passed() : answers.unknown(why_unknown("/pci", any));
}

bool in_container_without_driver(const Facts& facts) { return when::no_better_cause(facts) && facts.container(); }

// Docker gives a container no GPU by default, and the program in it finds none.
bool no_gpu_granted(const Facts& facts) {
  return when::no_driver_answers(facts) && !facts.saw({{noted, "container-gpu-option"}}) &&
         (of(facts.snapshot().torch, &Torch::cuda_available).is(false) ||
          facts.with({missing, "library"}, "library", "libcuda.") ||
          facts.saw({{missing, "driver"},
                     {missing, "available-gpu"},
                     {missing, "device-node"},
                     {missing, "cuda"},
                     {missing, "cuda-device"},
                     {missing, "gpu"},
                     {missing, "torch-cuda"}}));
}

// The same in words that programs use of their own, some of which go on without.
bool perhaps_no_gpu_granted(const Facts& facts) {
  return when::no_better_cause(facts) && !facts.saw({{noted, "container-gpu-option"}}) &&
         facts.saw({{missing, "any-gpu"}});
}

// NVIDIA's images print at their start that they find no driver.
bool image_finds_no_driver(const Facts& facts) {
  return when::no_driver_answers(facts) && !facts.wsl() && !facts.saw({{present, "gpu"}}) &&
         (facts.container() || !facts.saw({{noted, "nvidia-smi-versions"}}));
}

// No libcuda can be loaded, and lines show that the kernel, which a container shares with its host, has a driver.
bool driver_not_passed_on(const Facts& facts) {
  return in_container_without_driver(facts) &&
         facts.saw(
             {{noted, "kernel-driver-version"}, {present, "nvidia-kernel-module"}, {noted, "nvidia-smi-versions"}});
}

// Something looked for a GPU in vain.
bool finds_none(const Facts& facts) {
  return of(facts.snapshot().torch, &Torch::cuda_available).is(false) || facts.saw({{missing, "any-gpu"},
                                                                                    {missing, "visible-gpu"},
                                                                                    {missing, "available-gpu"},
                                                                                    {missing, "driver"},
                                                                                    {missing, "cuda-device"},
                                                                                    {missing, "rocm-device"},
                                                                                    {missing, "hip-device"},
                                                                                    {failed, "cuinit"},
                                                                                    {failed, "hsa"}});
}

// The host lists a GPU but its container none, and the command that started the container did not request one.
bool none_asked_for(const Facts& facts) {
  const Symptom* blind = facts.first({{missing, "gpu-in-container"}});
  if (blind && blind->detail("nodes") == "none" && !finds_none(facts)) return false;
  // The one with an option may have used it in the same text.
  return blind && blind->detail("option") != "given" && (!facts.used() || blind->detail("with-option") == "found");
}

bool asked_in_vain(const Facts& facts) {
  const Symptom* blind = facts.first({{missing, "gpu-in-container"}});
  // A /dev without its nodes is certain to be another than the one in which a program used it.
  return blind && (blind->detail("nodes") == "none" ? finds_none(facts) : !facts.used()) &&
         blind->detail("option") == "given";
}

// If the GPU's files are requested there is usually a driver: they are in a place where the engine doesn't look. If the
// host's own nvidia-smi is missing, there is none.
bool driver_may_be_elsewhere(const Facts& facts) {
  return when::no_driver_answers(facts) && (facts.container() || !facts.saw({{missing, "nvidia-smi"}}));
}

bool in_named_container(const Facts& facts) {
  return when::no_better_cause(facts) &&
         (facts.container() || facts.saw({{noted, "container-named"}, {noted, "container-start"}}));
}

// A service of a swarm gets no devices by the keys that compose knows.
bool in_service(const Facts& facts) {
  return when::no_better_cause(facts) && facts.saw({{noted, "container-service"}});
}

// The pod may use no GPU, and a program in it finds none.
bool pod_without_gpu(const Facts& facts) {
  return when::no_driver_answers(facts) && (of(facts.snapshot().torch, &Torch::cuda_available).is(false) ||
                                            facts.saw({{missing, "any-gpu"},
                                                       {missing, "available-gpu"},
                                                       {missing, "nvidia-smi"},
                                                       {missing, "nvidia-smi-in-container"},
                                                       {missing, "driver"},
                                                       {missing, "device-node"},
                                                       {missing, "cuda-device"}}));
}

bool on_jetson(const Facts& facts) { return facts.saw({{present, "jetson"}}); }

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "visibility.container-hidden",
      .layer = Layer::visibility,
      .severity = Severity::error,
      .title = "The container was started without the GPU",
      .claim =
          "The host has a working GPU, and neither device nodes nor driver libraries were passed into this container.",
      .proof = "In a container there are no GPU nodes while the host has a driver.",
      .disproof = "The GPU's device nodes exist inside the container.",
      .remedy = "Start the container with the GPU: docker run --gpus all, or the device request of the orchestrator.",
      .explains = with_unusable_driver({"driver.not-installed", "driver.libcuda-missing", "driver.module-not-loaded",
                                        "driver.device-nodes-missing", "hardware.no-gpu"}),
      .symptoms =
          {
              helped_by("gpus-given"),
              helped_by("outside-container"),
              {{missing, "gpu-in-container"}, likely, none_asked_for},
              {{missing, "gpu-in-container"}, possible, asked_in_vain},
              {{missing, "device-request-of-container"}, possible, not_used},
              {{missing, "driver-files-for-container"}, likely, on_jetson},
              {{missing, "driver-files-for-container"}, possible, driver_may_be_elsewhere},
              {{missing, "device-node"}, likely, in_container_without_driver},
              {{missing, "device-node"}, possible, not_used, "node", "/dev/nvmap"},
              {{missing, "driver"}, likely, in_container_without_driver},
              {{missing, "driver-in-container"}, likely, image_finds_no_driver},
              {{noted, "container-start"}, likely, no_gpu_granted},
              {{noted, "container-start"}, possible, perhaps_no_gpu_granted},
              {{missing, "nvidia-smi"}, possible, in_container_without_driver},
              {{failed, "cuinit"}, likely, driver_not_passed_on, "code", cuda_error::shared_object_init_failed},
              {{failed, "cuinit"},
               possible,
               in_container_without_driver,
               "code",
               cuda_error::shared_object_init_failed},
              {{missing, "gpu-limit-of-pod"}, likely, pod_without_gpu},
              {{missing, "kubernetes-gpu"}, possible, when::no_driver_answers},
              {{missing, "any-driver-library"}, possible, in_named_container},
              {{missing, "any-gpu"}, possible, in_service},
              {{missing, "visible-gpu"}, possible, in_service},
              {{missing, "driver"}, possible, in_service},
              {{missing, "driver"}, possible, in_named_container},
              {{missing, "libnvidia-ml"}, possible, in_named_container},
              {{missing, "nvidia-smi-in-container"}, possible, when::no_driver_answers},
          },
      .judge = judge,
  };
}

}  // namespace envdoctor::visibility_container_hidden

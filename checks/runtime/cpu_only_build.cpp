// runtime.cpu-only-build: the installed framework was built without GPU support. The framework's own answer
// takes precedence over its package's name.
#include "checks/engine/rule.h"
#include "checks/facts/fitting_build.h"
#include "checks/runtime/library_facts.h"

namespace envdoctor::runtime_cpu_only_build {

using enum SymptomClass;

// A GPU is wanted here: without one, a CPU build is the right build.
bool gpu_known(const Snapshot& snapshot) {
  return !of(snapshot.nvidia, &Nvidia::devices).or_empty().empty() ||
         !of(snapshot.rocm, &Rocm::devices).or_empty().empty() ||
         of(snapshot.nvidia, &Nvidia::kernel_driver_version).get() ||
         std::ranges::any_of(snapshot.pci.or_empty(), [](const PciDevice& d) { return d.vendor_id.is("10de"); });
}

// The text shows that torch was asked for CUDA, and the host's GPUs are unknown.
bool asked_in_vain(const Snapshot& snapshot) {
  const Text& platform = of(snapshot.host, &HostFacts::platform);
  const auto& sources = snapshot.sources.or_empty();
  return (sources.contains("/torch/cuda_available") || sources.contains("/torch/cuda_version")) &&
         of(snapshot.torch, &Torch::cuda_available).is(false) && !has_any_gpu(snapshot).get() && !platform.is("macos");
}

// A framework other than this one lists a GPU: this one was installed for the CPU on purpose. Where nothing but the
// frameworks' answers is known, somebody asks why this one does not.
bool another_works(const Snapshot& snapshot, std::string_view framework) {
  const bool answers_alone = snapshot.pci.outcome() == Outcome::not_probed &&
                             snapshot.nvidia.outcome() == Outcome::not_probed &&
                             snapshot.rocm.outcome() == Outcome::not_probed && !snapshot.log.get();
  if (answers_alone) return false;
  const Text& jax = of(snapshot.jax, &Jax::backend);
  if (std::ranges::any_of(symptoms_of(snapshot, {used, "gpu"}),
                          [](const Symptom* one) { return one->program.is("paddle"); }))
    return true;
  return (framework != "tensorflow" && of(snapshot.tensorflow, &Tensorflow::physical_gpus).or_empty() > 0) ||
         (framework != "torch" && of(snapshot.torch, &Torch::cuda_available).is(true)) ||
         (framework != "jax" && jax.get() && !jax.is("cpu"));
}

// Somebody asks about a GPU: one is known, a framework was asked for it, or a line says what is missing.
bool gpu_spoken_of(const Snapshot& snapshot) {
  const auto& log = snapshot.log.or_empty();
  return gpu_known(snapshot) || has_any_gpu(snapshot).get() || snapshot.probes.get() || snapshot.captured.get() ||
         of(snapshot.torch, &Torch::cuda_available).get() || of(snapshot.torch, &Torch::cuda_version).get() ||
         std::ranges::any_of(log, [](const Symptom& one) {
           return !one.is({noted, "helping-change"}) && !one.is({noted, "cpu-build"}) &&
                  !one.is({noted, "framework-import"}) && !one.is({noted, "variable-of-one-command"});
         });
}

// A program works better with another binding of its threads, and no GPU is spoken of.
bool only_about_processors(const Snapshot& snapshot) {
  return std::ranges::any_of(symptoms_of(snapshot, {noted, "helping-change"}),
                             [](const Symptom* one) {
                               return one->detail("change") == "no-thread-binding" ||
                                      one->detail("change") == "fewer-threads";
                             }) &&
         !gpu_spoken_of(snapshot);
}

void report(const Snapshot& snapshot, Answers& answers, const std::string& framework, Evidence proof) {
  Finding& finding = answers.found_on("framework:" + framework);
  const bool integrated = has_any_gpu(snapshot).is(true) && !has_discrete_gpu(snapshot);
  const bool nobody_asked = has_any_gpu(snapshot).is(false) || integrated ||
                            (snapshot.pci.get() && snapshot.pci.get()->empty()) || only_about_processors(snapshot);
  if (framework == "torch" &&
      (proof.path == "/host/arch" || (proof.path == "/torch/cuda_version" && !gpu_known(snapshot))))
    finding.confidence = Confidence::possible;
  if (nobody_asked)
    finding.severity = Severity::info;
  else if (another_works(snapshot, framework))
    finding.severity = of(snapshot.keras, &Keras::backend).is(framework) ? Severity::warning : Severity::info;
  finding.explanation = "This build of the framework has no GPU code, so it runs on the CPU with any driver.";
  if (proof.path == "/host/arch")
    finding.explanation =
        "PyTorch finds no GPU, and PyPI's wheels for 64-bit ARM were long built for the CPU alone; NVIDIA's own wheels "
        "(for Jetson) and those of PyTorch's index for CUDA have GPU code.";
  finding.evidence.push_back(std::move(proof));
  finding.fix.push_back({.text = find_diagnosis(answers.id)->remedy});
}

bool is_for_xpu(const Torch& torch) {
  return torch.xpu_version.get() || torch.version.or_empty().find("+xpu") != std::string::npos;
}

// PyTorch's build for Intel's GPUs says that it wasn't compiled with CUDA where a program asks for that.
bool not_for_xpu(const Facts& facts) { return !is_for_xpu(facts.snapshot().torch.or_empty()); }

// Evidence of a build without GPU code. PyTorch: the version's tag, or a build without CUDA, ROCm or another device
// of its kind.
std::optional<Evidence> torch_on_cpu(const Snapshot& snapshot) {
  const Torch* torch = snapshot.torch.get();
  if (!torch || torch->cuda_available.is(true) || torch->xpu_available.is(true)) return {};
  const std::string version = text_of(torch->version);
  if (version.find("+cpu") != version.npos) return evidence("/torch/version", version);
  // PyPI's wheels for 64-bit ARM had no CUDA before 2.9, and on such a machine nothing else says what was installed.
  if (version.empty() && torch->cuda_available.is(false) && of(snapshot.host, &HostFacts::arch).is("aarch64") &&
      torch->cuda_version.outcome() == Outcome::not_probed && !has_any_gpu(snapshot).get())
    return evidence("/host/arch", "aarch64");
  const bool other_device = version.find("+rocm") != version.npos || torch->hip_version.get() || is_for_xpu(*torch);
  if (other_device || torch->cuda_version.outcome() != Outcome::absent) return {};
  // If CUDA's libraries are installed as well, a GPU build is wanted.
  if (!gpu_known(snapshot) && !asked_in_vain(snapshot) && !package_installed(snapshot, "cudatoolkit").is(true))
    return {};
  return evidence("/torch/cuda_version", torch->cuda_version.why());
}

// TensorFlow's list of local devices was printed, and holds the CPU alone.
bool lists_cpu_alone(const Snapshot& snapshot) {
  const auto listed = symptoms_of(snapshot, {noted, "tensorflow-local-device"});
  return !listed.empty() && std::ranges::all_of(listed, [](const Symptom* one) {
    return one->detail("type") == "CPU" || one->detail("type") == "XLA_CPU";
  });
}

// TensorFlow: its own answer; on Windows, every wheel from 2.11 on.
std::optional<Evidence> tensorflow_on_cpu(const Snapshot& snapshot) {
  const Tensorflow* tensorflow = snapshot.tensorflow.get();
  if (!tensorflow || tensorflow->physical_gpus.or_empty() > 0 ||
      package_installed(snapshot, "tensorflow-directml-plugin").is(true) ||
      package_installed(snapshot, "intel-extension-for-tensorflow").is(true))
    return {};
  const Text& platform = of(snapshot.host, &HostFacts::platform);
  if (tensorflow->built_with_cuda.is(false)) {
    // On macOS its GPU build is a plug-in.
    if (platform.is("macos") || tensorflow->built_with_rocm.is(true)) return {};
    return evidence("/tensorflow/built_with_cuda", "false");
  }
  for (const char* name : {"tensorflow-cpu", "intel-tensorflow"}) {
    const bool alone = package_installed(snapshot, name).is(true) &&
                       !package_installed(snapshot, "tensorflow").is(true) &&
                       !package_installed(snapshot, "tensorflow-gpu").is(true);
    if (alone && (gpu_known(snapshot) || tensorflow->physical_gpus.is(0)))
      return evidence(std::string("/python/packages/") + name, "installed");
  }
  const auto* version = tensorflow->version.get();
  const auto needs = version ? knowledge::tensorflow_needs(*version) : std::nullopt;
  const bool wanted = gpu_known(snapshot) || tensorflow->physical_gpus.is(0) || lists_cpu_alone(snapshot) ||
                      first_symptom(snapshot, {{missing, "any-gpu"}, {missing, "tensorflow-gpu"}});
  const bool windows = platform.is("windows") || (!platform.get() && first_symptom(snapshot, {{noted, "windows"}}) &&
                                                  !first_symptom(snapshot, {{present, "wsl"}, {noted, "wsl-named"}}));
  if (!version || !windows || !wanted || tensorflow->built_with_cuda.is(true) || (needs && needs->windows_gpu))
    return {};
  return evidence("/tensorflow/version", *version + " on Windows");
}

// JAX: a jaxlib without a plug-in, and without the CUDA tag that it had before there were plug-ins.
std::optional<Evidence> jax_on_cpu(const Snapshot& snapshot) {
  const Jax* jax = snapshot.jax.get();
  const auto* plugins = jax ? jax->plugins.get() : nullptr;
  const auto* version = jax ? jax->jaxlib_version.get() : nullptr;
  if (!plugins || !version || !plugins->empty() || version->find('+') != std::string::npos) return {};
  if (jax->backend.get() && !jax->backend.is("cpu")) return {};
  return evidence("/jax/plugins", "none");
}

// A build for CUDA on a machine whose only GPUs are AMD's: it has no code for them.
void judge_vendor(const Snapshot& snapshot, Answers& answers) {
  const Torch* torch = snapshot.torch.get();
  const auto gpus = gpus_of(snapshot);
  const bool amd =
      std::ranges::any_of(gpus, [](const Gpu& gpu) { return gpu.vendor == Vendor::amd && !gpu.integrated; });
  const bool nvidia = std::ranges::any_of(gpus, [](const Gpu& gpu) { return gpu.vendor == Vendor::nvidia; });
  if (!torch || !torch->cuda_available.is(false) || !amd || nvidia || torch_is_for_rocm(snapshot)) return;
  const std::string version = text_of(torch->version);
  const bool for_cuda = version.find("+cu") != version.npos || torch->cuda_version.get();
  if (!for_cuda) return;
  Finding& finding = answers.found_on("framework:torch");
  finding.confidence = Confidence::likely;
  finding.title = "PyTorch was built for CUDA, and the GPU is AMD's";
  finding.explanation = "This build has code for NVIDIA's GPUs only; the machine has one of AMD.";
  finding.evidence = {torch->version.get() ? evidence("/torch/version", version)
                                           : evidence("/torch/cuda_version", *torch->cuda_version.get())};
  for (const Gpu& gpu : gpus) {
    if (gpu.vendor == Vendor::amd && gpu.pci_index >= 0)
      finding.evidence.push_back(evidence(gpu.in_pci("vendor_id"), "1002"));
  }
  finding.fix = {{.text = "Install the ROCm build: its wheels have versions that end in +rocm."}};
}

void judge(const Snapshot& snapshot, Answers& answers) {
  judge_vendor(snapshot, answers);
  const std::pair<const char*, std::optional<Evidence>> proofs[] = {
      {"torch", torch_on_cpu(snapshot)}, {"tensorflow", tensorflow_on_cpu(snapshot)}, {"jax", jax_on_cpu(snapshot)}};
  for (const auto& [framework, proof] : proofs) {
    if (proof) report(snapshot, answers, framework, *proof);
  }
  if (of(snapshot.torch, &Torch::cuda_available).is(true) || of(snapshot.torch, &Torch::cuda_version).get() ||
      of(snapshot.tensorflow, &Tensorflow::built_with_cuda).is(true) ||
      of(snapshot.jax, &Jax::plugins).then([](const auto& p) { return !p.empty(); }).is(true)) {
    answers.passed();
  } else if (snapshot.torch.get() || snapshot.tensorflow.get() || snapshot.jax.get()) {
    answers.unknown("what the framework was built for is not known");
  } else {
    answers.not_applicable("no framework was looked at");
  }
}

// PyTorch computes on the GPU that JAX doesn't find.
bool torch_works(const Facts& facts) {
  return of(facts.snapshot().torch, &Torch::cuda_available).is(true) &&
         !facts.saw({{missing, "jax-library"}, {failed, "jax-plugin"}, {too_old, "jax-library"}});
}

// Who shows how the CPU rounds did not ask for a GPU.
bool jax_cpu_only(const Facts& facts) {
  if (facts.with({noted, "values-differ"}, "by", "subnormal") && !when::gpu_listed(facts)) return false;
  return no_driver_fault(facts) && !facts.used() && !of(facts.snapshot().jax, &Jax::backend).is("gpu") &&
         !facts.saw({{missing, "jax-library"},
                     {missing, "library-symbol"},
                     {mismatch, "cudnn-version"},
                     {mismatch, "cuda-version"},
                     {failed, "jax-plugin"},
                     {too_old, "jax-library"},
                     {missing, "visible-gpu"},
                     {missing, "library"}});
}

// Beside a PyTorch that works, a program that only imports JAX prints this as well.
bool jax_asked_for_gpu(const Facts& facts) {
  if (of(facts.snapshot().torch, &Torch::cuda_available).is(true))
    return torch_works(facts) && of(facts.snapshot().jax, &Jax::backend).is("cpu");
  return jax_cpu_only(facts);
}

// There is a GPU, but TensorFlow lists none and prints nothing about drivers or libraries: it never looked.
bool silent_build(const Facts& facts) {
  return !of(facts.snapshot().nvidia, &Nvidia::devices).or_empty().empty() && no_driver_fault(facts) && !facts.used() &&
         !facts.saw({{missing, "library"},
                     {present, "library"},
                     {missing, "gpu-libraries"},
                     {missing, "cuda-libraries"},
                     {too_old, "driver"},
                     {present, "gpu"},
                     {too_old, "compute-capability"}});
}

bool no_gpu_known(const Facts& facts) {
  return !when::gpu_listed(facts) && !facts.driver_dead() &&
         !facts.saw(
             {{missing, "library"}, {missing, "gpu-libraries"}, {failed, "cuinit"}, {missing, "cuda-libraries"}});
}

// The GPU's driver works with OpenCL, so the problem is in PyTorch.
bool opencl_reaches_gpu(const Facts& facts) { return !facts.used() && opencl_lists_gpu(facts.snapshot()); }

// A program that called CUDA for a device, or looked for its driver, was built for it, whatever it prints afterwards.
bool cuda_was_not_tried(const Facts& facts) {
  return not_for_xpu(facts) && !facts.saw({{failed, "cuda-in-program"},
                                           {missing, "system-initialization"},
                                           {failed, "cuda"},
                                           {missing, "libcuda-of-program"}});
}

// Most programs don't use CUDA in OpenCV: its build matters only where one counts its devices.
bool opencv_asked(const Facts& facts) { return facts.saw({{noted, "opencv-asked-for-cuda"}}); }

// PyTorch asks for NVIDIA's driver, and the only card that a person names is AMD's.
void judge_stated_vendor(const Facts& facts, Answers& answers) {
  const Symptom* card = facts.first({{noted, "stated-amd-gpu"}});
  const bool for_cuda = of(facts.snapshot().torch, &Torch::cuda_available).is(false) &&
                        of(facts.snapshot().torch, &Torch::cuda_version).get();
  const Symptom* asked = facts.first({{missing, "driver"}});
  if (!card || (!asked && !for_cuda) || facts.used() || torch_is_for_rocm(facts) || !answers.findings.empty() ||
      of(facts.snapshot().torch, &Torch::hip_version).get() || has_gpu(facts, Vendor::nvidia).is(true) ||
      facts.saw({{noted, "stated-gpu"}, {noted, "nvidia-smi-versions"}}))
    return;
  Finding& finding = answers.found_in(*card, Confidence::possible);
  if (asked) finding.evidence.push_back(evidence(*asked));
  finding.title = "PyTorch was built for CUDA, and the GPU is AMD's";
  finding.explanation = "This build has code for NVIDIA's GPUs only; the card that is named is one of AMD.";
  finding.fix = {{.text = "Install the ROCm build: its wheels have versions that end in +rocm."}};
}

// A person names Windows and a release of TensorFlow that has no CUDA there, and TensorFlow lists the CPU alone.
void judge_stated_release(const Facts& facts, Answers& answers) {
  const Symptom* release = facts.first({{noted, "stated-tensorflow"}});
  const bool windows = facts.saw({{noted, "windows"}}) && !when::wsl_or_named(facts);
  const auto needs = release ? knowledge::tensorflow_needs(release->detail("version")) : std::nullopt;
  if (!release || !windows || !lists_cpu_alone(facts.snapshot()) || !needs || needs->windows_gpu || facts.used() ||
      !answers.findings.empty())
    return;
  Finding& finding = answers.found_in(*release, Confidence::likely, "framework:tensorflow");
  finding.evidence.push_back(evidence(*facts.first({{noted, "tensorflow-local-device"}})));
  finding.explanation = "TensorFlow has no CUDA build for Windows from 2.11 on; it lists the CPU alone.";
  finding.fix = {{.text = "Use WSL2, or TensorFlow 2.10 with CUDA 11.2 and cuDNN 8.1."}};
}

// JAX lists the CPU alone beside a driver that lists GPUs, and nobody asked it to: most often its CUDA plug-in isn't
// there, of which reports about JAX seldom tell.
void judge_lone_jax(const Facts& facts, Answers& answers) {
  const Snapshot& snapshot = facts;
  const Jax* jax = snapshot.jax.get();
  const bool wanted = !of(snapshot.nvidia, &Nvidia::devices).or_empty().empty();
  const bool asked = env_of(snapshot, "JAX_PLATFORMS").get() || env_of(snapshot, "JAX_PLATFORM_NAME").get() ||
                     env_of(snapshot, "CUDA_VISIBLE_DEVICES").get() || facts.saw({{noted, "cpu-asked-for"}});
  if (!jax || !jax->backend.is("cpu") || jax->plugins.get() || !wanted || asked || snapshot.probes.get() ||
      snapshot.captured.get() || !answers.findings.empty() || !jax_cpu_only(facts) || another_works(snapshot, "jax"))
    return;
  Finding& finding = answers.found_on("framework:jax");
  finding.confidence = Confidence::possible;
  finding.explanation =
      "JAX computes on the CPU although the driver lists a GPU. It does so without a word where its CUDA plug-in isn't "
      "installed.";
  finding.evidence = {evidence("/jax/backend", "cpu")};
  finding.fix = {{.text = "If no jax-cuda plug-in is listed, install JAX with it.", .command = "pip list | grep jax"},
                 {.text = "For a driver that takes CUDA 12:", .command = "pip install -U 'jax[cuda12]'"}};
}

// The framework of a finding that a line alone shows; empty: it may be another program.
std::string framework_of_lines(const Facts& facts) {
  if (facts.with({missing, "gpu-support"}, "built", "torch") || facts.with({noted, "cpu-build"}, "built", "torch"))
    return "torch";
  if (facts.saw({{missing, "jax-gpu-support"}, {missing, "jax-cuda-build"}})) return "jax";
  return {};
}

bool is_jetson(const Facts& facts) {
  return facts.saw({{present, "jetson"}, {noted, "l4t-host"}, {noted, "l4t-image"}});
}

// Where to look where nothing is known of the driver.
Fix build_by_driver(const Facts& facts, const std::string& framework) {
  const Text& platform = of(facts.snapshot().host, &HostFacts::platform);
  if (is_jetson(facts))
    return {.text =
                "On a Jetson install NVIDIA's own wheel for its JetPack: those of PyPI and of PyTorch's index have no "
                "code for its GPUs up to Orin."};
  if (has_gpu(facts, Vendor::amd).is(true) || platform.is("macos")) return {};
  if (framework == "torch")
    return {.text =
                "The first lines of nvidia-smi name the highest CUDA that the driver takes; PyTorch's builds for "
                "CUDA 12.6, for instance, come from https://download.pytorch.org/whl/cu126 (pip's --index-url)."};
  if (framework == "jax")
    return {.text = "With a driver from 580 on: pip install -U \"jax[cuda13]\"; from 525 on: \"jax[cuda12]\"."};
  if (framework == "tensorflow" && !platform.is("windows"))
    return {.text = "On Linux and in WSL2: pip install \"tensorflow[and-cuda]\", after pip uninstall tensorflow-cpu."};
  return {};
}

// The build to install instead, where the cause is sure enough to be acted on.
void name_gpu_build(const Facts& facts, Answers& answers) {
  constexpr std::string_view prefix = "framework:";
  for (Finding& finding : answers.findings) {
    const bool built_for_cuda = !finding.title.empty() && finding.title != find_diagnosis(answers.id)->title;
    if (finding.id != answers.id || finding.severity == Severity::info || finding.confidence == Confidence::possible ||
        built_for_cuda)
      continue;
    const bool named = finding.subject.starts_with(prefix);
    const std::string framework = named ? finding.subject.substr(prefix.size()) : framework_of_lines(facts);
    const auto build = is_jetson(facts) ? std::nullopt : gpu_build(facts, framework);
    Fix fix = build ? *build : build_by_driver(facts, framework);
    if (!fix.text.empty()) finding.fix.push_back(std::move(fix));
  }
}

void judge_stated(const Facts& facts, Answers& answers) {
  judge_lone_jax(facts, answers);
  judge_stated_vendor(facts, answers);
  judge_stated_release(facts, answers);
}

// The program says that it finds no GPU, whatever another one finds.
bool program_finds_none(const Facts& facts) {
  return facts.saw({{missing, "any-gpu"}, {missing, "gpu-support"}, {missing, "available-gpu"}});
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "runtime.cpu-only-build",
      .layer = Layer::framework,
      .severity = Severity::error,
      .title = "The installed framework is a CPU-only build",
      .claim = "The package was built without GPU support; it can't use a GPU with any driver.",
      .proof = "The framework reports that it was built without CUDA, or its package's tag says so.",
      .disproof = "The framework says that it was built with CUDA or ROCm.",
      .remedy = "Replace the package by its GPU build.",
      .explains = {"usage.detected-unused", "driver.unreachable"},
      .symptoms =
          {
              {{missing, "gpu-support"}, certain, not_for_xpu, "built", "t"},
              {{missing, "gpu-support"}, likely, cuda_was_not_tried},
              {{missing, "jax-gpu-support"}, likely},
              {{missing, "gpu-kernel-for-operation"},
               likely,
               [](const Facts& f) {
                 return f.saw({{missing, "any-kernel"}});
               },
               "op",
               "Cudnn"},
              {{missing, "jax-cuda-build"}, likely, jax_asked_for_gpu},
              {{missing, "jax-gpu"}, possible, jax_cpu_only},
              {{missing, "jax-gpu"}, likely, torch_works},
              {{noted, "ggml-cpu-backend"},
               possible,
               [](const Facts& f) {
                 return !f.saw({{present, "ggml-gpu-backend"}, {limited, "cpu-time-of-cgroup"}});
               }},
              {{missing, "jax-backend"}, possible, jax_cpu_only},
              {{missing, "compiler-of-extension"}, likely, torch_works},
              {{missing, "cuda"}, possible, opencl_reaches_gpu},
              {{noted, "opencv-without-cuda"}, likely, opencv_asked},
              {{noted, "cpu-build"}, likely, not_used, "built", "torch"},
              {{noted, "cpu-build"}, likely, program_finds_none, "built", "XGBoost"},
              {{noted, "cpu-build"}, possible, torch_works, "built", "onnxruntime"},
              {{noted, "cpu-build"}, possible, torch_works, "built", "llama.cpp"},
              {{noted, "cpu-build"},
               possible,
               [](const Facts& f) { return not_used(f) && not_for_xpu(f) && !only_about_processors(f); }},
              {{missing, "tensorflow-gpu"}, possible, silent_build},
              {{missing, "tensorflow-device"}, possible, no_gpu_known},
          },
      .judge_host = judge,
      .judge = judge_stated,
      .complete = name_gpu_build,
  };
}

}  // namespace envdoctor::runtime_cpu_only_build

// usage.wrong-gpu: PyTorch works on another GPU than the one with that number in nvidia-smi.
#include <re2/re2.h>
#include "checks/engine/rule.h"
#include "checks/facts/visible.h"
#include "knowledge/lazy_regex.h"

namespace envdoctor::usage_wrong_gpu {

using enum SymptomClass;

// The index of a PyTorch device in nvidia-smi's list.
const VisibleDevice* find(const std::vector<VisibleDevice>& devices, const TorchDevice& wanted) {
  for (const VisibleDevice& device : devices) {
    if (!device.uuid.empty() && same_device(device, {.uuid = text_of(wanted.uuid)})) return &device;
  }
  return nullptr;
}

void report_finding(const std::string& variable, const VisibleDevice& meant, const VisibleDevice& got,
                    std::size_t index, Answers& answers) {
  Finding& finding = answers.found_on("env:CUDA_VISIBLE_DEVICES");
  const std::string number = std::to_string(meant.listed);
  finding.explanation = "CUDA_VISIBLE_DEVICES names GPU " + number + ", which nvidia-smi shows as " + meant.name +
                        " (" + describe(meant) + "). PyTorch's cuda:" + std::to_string(index) + " is GPU " +
                        std::to_string(got.listed) + ", " + got.name + " (" + describe(got) + ").";
  finding.evidence = {evidence("/env/CUDA_VISIBLE_DEVICES", variable),
                      evidence(at("/torch/devices", index, "uuid"), got.uuid),
                      evidence(at("/nvidia/devices", static_cast<std::size_t>(meant.listed), "uuid"), meant.uuid)};
  finding.fix = {{.text = "Let CUDA number the GPUs as nvidia-smi does, or name them by UUID.",
                  .command = "export CUDA_DEVICE_ORDER=PCI_BUS_ID"}};
}

void judge(const Snapshot& snapshot, Answers& answers) {
  const Text variable = env_of(snapshot, "CUDA_VISIBLE_DEVICES");
  if (variable.outcome() == Outcome::absent) return answers.not_applicable("no GPU was chosen by a variable");
  if (!variable.get()) return answers.unknown(why_unknown("/env/CUDA_VISIBLE_DEVICES", variable));
  const auto entries = entries_of(*variable.get());
  if (entries.empty() || !starts_as_number(entries.front()) || entries.front().front() == '-')
    return answers.not_applicable("no GPU was chosen by its number");
  const auto& torch = of(snapshot.torch, &Torch::devices);
  const auto& nvml = of(snapshot.nvidia, &Nvidia::devices);
  if (!torch.get()) return answers.unknown(why_unknown("/torch/devices", torch));
  if (!nvml.get()) return answers.unknown(why_unknown("/nvidia/devices", nvml));
  const std::vector<VisibleDevice> all = nvml_list(*nvml.get());
  std::vector<Selectable> selectable;
  for (const VisibleDevice& device : all) selectable.push_back({.uuid = device.uuid});
  const Selection meant = select_cuda(*variable.get(), selectable);
  bool compared = false;
  for (std::size_t i = 0; i < meant.chosen.size() && i < torch.get()->size(); ++i) {
    const VisibleDevice* got = find(all, (*torch.get())[i]);
    const VisibleDevice& wanted = all[meant.chosen[i].device];
    if (!got || wanted.uuid.empty()) continue;
    compared = true;
    if (got->listed != wanted.listed) return report_finding(*variable.get(), wanted, *got, i, answers);
  }
  if (compared) return answers.passed();
  answers.unknown("/torch/devices: which cards they are is not known");
}

// A discrete GPU that an OpenCL platform, the driver or the bus shows beside the integrated one.
bool has_discrete(const Facts& facts) {
  static const LazyRegex integrated("Iris| Graphics", RE2::Latin1);
  for (const OpenclPlatform& platform : of(facts.snapshot().opencl, &Opencl::platforms).or_empty()) {
    for (const OpenclDevice& device : platform.devices.or_empty()) {
      const bool gpu = device.type.is("GPU") || device.type.is("gpu");
      if (gpu && device.name.get() && !RE2::PartialMatch(*device.name.get(), integrated)) return true;
    }
  }
  return has_discrete_gpu(facts.snapshot());
}

bool chosen_beside_discrete(const Facts& facts) { return !facts.used() && has_discrete(facts); }

// A program was started in the background with a GPU's number, and nvidia-smi lists its process on another one.
void judge_started(const Facts& facts, Answers& answers) {
  const auto& devices = of(facts.snapshot().nvidia, &Nvidia::devices).or_empty();
  const auto& processes = of(facts.snapshot().nvidia, &Nvidia::processes).or_empty();
  if (!answers.findings.empty() || env_of(facts.snapshot(), "CUDA_VISIBLE_DEVICES").get()) return;
  for (const Symptom* started : facts.all({noted, "gpu-asked-for"})) {
    const std::int64_t wanted = std::atoll(started->detail("gpu").c_str()),
                       pid = std::atoll(started->detail("pid").c_str());
    const auto runs_on = [&](bool there) {
      return std::ranges::any_of(processes, [&](const NvidiaProcess& one) {
        return one.pid.is(pid) && one.gpu.get() && one.gpu.is(wanted) == there;
      });
    };
    if (wanted >= std::ssize(devices) || runs_on(true) || !runs_on(false)) continue;
    Finding& finding = answers.found_in(*started, Confidence::likely);
    finding.evidence.push_back(evidence("/nvidia/processes", fmt::format("{} is not on GPU {}", pid, wanted)));
    return;
  }
}

// Python fills a small GPU, while one with many times its memory has nothing to do.
void judge_idle_beside(const Facts& facts, Answers& answers) {
  constexpr std::int64_t times_larger = 4, few_mib = 200;
  const auto& devices = of(facts.snapshot().nvidia, &Nvidia::devices).or_empty();
  if (!answers.findings.empty()) return;
  for (const NvidiaProcess& one : of(facts.snapshot().nvidia, &Nvidia::processes).or_empty()) {
    if (one.name.or_empty().find("python") == std::string::npos || !one.gpu.get() ||
        *one.gpu.get() >= std::ssize(devices))
      continue;
    const NvidiaDevice& small = devices[static_cast<std::size_t>(*one.gpu.get())];
    const std::int64_t total = small.memory_total_mib.or_empty();
    const auto idle = std::ranges::find_if(devices, [total](const NvidiaDevice& other) {
      const auto used = used_mib(other);
      return used && *used < few_mib && other.memory_total_mib.or_empty() >= times_larger * total;
    });
    if (const auto used = used_mib(small); !used || *used * 2 < total || idle == devices.end()) continue;
    Finding& finding = answers.found();
    finding.confidence = Confidence::possible;
    finding.evidence = {
        evidence("/nvidia/processes", fmt::format("{} on GPU {}", one.name.or_empty(), *one.gpu.get()))};
    finding.explanation =
        fmt::format("{} with {} MiB is nearly full, and {} with {} MiB has nothing to do.", small.name.or_empty(),
                    total, idle->name.or_empty(), idle->memory_total_mib.or_empty());
    return;
  }
}

// CUDA's and ROCm's first device is the processor's own GPU, and a program that takes it finds little memory or none of
// its code, while a card is listed beside it.
void judge_first_integrated(const Facts& facts, Answers& answers) {
  static const LazyRegex integrated(
      R"(^(?:AMD )?Radeon(?:\(TM\)|™)? (?:[0-9]{3}M )?Graphics$|^AMD Radeon(?:\(TM\)|™)? [0-9]{3}M$)");
  const Symptom *first = nullptr, *card = nullptr;
  for (const Symptom* one : facts.all({noted, "program-device"})) {
    const bool own = RE2::FullMatch(one->detail("name"), integrated);
    if (own && one->detail("ordinal") == "0") first = one;
    if (!own && one->detail("ordinal") != "0") card = one;
  }
  const Symptom* fails = facts.first({{exhausted, "gpu-memory"}, {missing, "hip-kernel-image"}});
  if (!first || !card || !fails || fails->text.or_empty().find("GPU 1 ") != std::string::npos) return;
  Finding& finding = answers.found_in(*first, Confidence::likely);
  finding.evidence.push_back(evidence(*card));
  finding.evidence.push_back(evidence(*fails));
  finding.explanation = fmt::format("Device 0 is the processor's own GPU, {}; the card is device {}.",
                                    first->detail("name"), card->detail("ordinal"));
  finding.fix = {{.text = "Let the program see the card alone.",
                  .command = "export HIP_VISIBLE_DEVICES=" + card->detail("ordinal")}};
}

// mpirun starts several copies of a program that was built without MPI: each is rank 0 and takes the first GPU.
void judge_ranks(const Facts& facts, Answers& answers) {
  const Symptom* second = facts.first({{duplicate, "first-rank"}});
  if (!second) return;
  Finding& finding = answers.found_in(*second, Confidence::likely);
  finding.title = "Every process is rank 0 and uses the first GPU";
  finding.explanation =
      "Several processes were started and each is rank 0 of its own: the program was built without MPI, so none knows "
      "of the others and all use the first GPU of their host.";
  finding.fix = {{.text = "Build nccl-tests with MPI (make MPI=1 MPI_HOME=...), and start it again."}};
}

// The node that was opened answers none of the requests that Intel's driver for video makes.
void judge_video(const Facts& facts, Answers& answers) {
  const Symptom* line = facts.first({{mismatch, "video-driver-and-node"}});
  if (!line) return;
  Finding& finding = answers.found_in(*line, Confidence::possible);
  finding.title = "Intel's driver for video was started on a node that another driver serves";
  finding.explanation =
      "The requests of i915 are invalid there: the node belongs to another maker's GPU, or to a driver of the kernel "
      "(xe) that is newer than this driver for video.";
  finding.fix = {
      {.text = "Choose the driver or the node of the GPU that is there: ls -l /dev/dri/by-path shows them."}};
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "usage.wrong-gpu",
      .layer = Layer::use,
      .severity = Severity::warning,
      .title = "The work runs on another GPU than intended",
      .claim = "The program's device number means another GPU than the person thinks.",
      .proof = "The program names a GPU other than the intended one, or two parts of it name two.",
      .disproof = "The process is listed on the intended GPU.",
      .remedy = "Select the GPU by UUID, or set CUDA_DEVICE_ORDER=PCI_BUS_ID.",
      .explains = {"memory.out-of-memory", "runtime.rocm-arch-unsupported"},
      .symptoms =
          {
              {{noted, "chosen-integrated-gpu"}, likely, chosen_beside_discrete},
              {{noted, "integrated-gpu-used"}, likely},
              {{duplicate, "nccl-gpu"}, likely},
              {{mismatch, "gpu-of-process"}, likely},
              // Mostly a model that is spread over the GPUs on purpose, whose own code joins what lies on two of them.
              {{mismatch, "gpus-of-tensors"}, possible},
          },
      .judge_host = judge,
      .judge =
          [](const Facts& facts, Answers& answers) {
            judge_started(facts, answers);
            judge_ranks(facts, answers);
            judge_first_integrated(facts, answers);
            judge_video(facts, answers);
            judge_idle_beside(facts, answers);
          },
  };
}

}  // namespace envdoctor::usage_wrong_gpu

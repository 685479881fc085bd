// visibility.invalid-ordinal: the visibility variable, or the program, names a number that no device has.
#include "checks/facts/selection.h"
#include "checks/visibility/cut_list.h"
#include "checks/visibility/settings.h"

namespace envdoctor::visibility_invalid_ordinal {

using enum SymptomClass;

// If the number of devices is unknown there may be only one: for a list that begins beyond it, CUDA reports that
// there is no device.
void judge_shown(const Facts& facts, Answers& answers) {
  const std::size_t gpus = visibility::listed_gpus(facts);
  if (facts.used() || (gpus == 0 && (facts.driver_dead() || !visibility::no_device_answered(facts)))) return;
  const std::vector<Selectable> devices(std::max<std::size_t>(gpus, 1));
  for (const visibility::Setting& setting : visibility::shown_settings(facts)) {
    if (!setting.name.starts_with("CUDA")) continue;
    const Selection selection = select_cuda(setting.value, devices);
    const bool repeated = selection.cut == Cut::repeated;
    if (!repeated && selection.cut != Cut::out_of_range) continue;
    const bool all_hidden = selection.chosen.empty();
    if (!all_hidden && (repeated || gpus == 0)) continue;
    Finding& finding = visibility::found_in(
        answers, setting, all_hidden && (gpus > 0 || repeated) ? Confidence::likely : Confidence::possible);
    if (repeated) finding.explanation = "The list names one GPU twice, and CUDA then treats it as empty.";
    return;
  }
}

// A launcher starts one process for each GPU that it counts, and the last ones find no GPU.
void judge_ranks(const Facts& facts, Answers& answers) {
  const Symptom* refused = facts.first({{missing, "cuda-device-index"}, {missing, "gpu-index"}});
  const Symptom* ranks = facts.first({{noted, "ranks"}});
  if (!refused || !ranks) return;
  for (const Symptom* one : facts.all({noted, "ranks"})) {
    if (ranks->detail("count").empty() && !one->detail("count").empty()) ranks = one;
  }
  const auto settings = visibility::shown_settings(facts);
  const std::size_t named = settings.empty() ? 0 : entries_of(settings.front().value).size();
  const std::size_t visible = named > 0 ? named : visibility::listed_gpus(facts);
  Finding& finding = answers.found_in(*refused, Confidence::likely);
  finding.evidence.push_back(evidence(*ranks));
  finding.title = "More processes were started than GPUs are visible";
  finding.explanation =
      "Each process of this job takes the GPU of its own number, and a number that no visible GPU has was refused.";
  if (visible > 0)
    finding.explanation += fmt::format(" {} GPU{} visible, numbered from 0.", visible, visible == 1 ? " is" : "s are");
  if (named > 0) finding.evidence.push_back(evidence(*settings.front().shown));
  finding.fix = {{.text =
                      "Start as many processes as GPUs are visible (torchrun --nproc-per-node, NGPU, mpirun -np), or "
                      "let the visibility variable name more of them."}};
}

// PyTorch finds a GPU at a prompt, and a program none: what differs is what the program sets for itself.
void judge_elsewhere(const Facts& facts, Answers& answers) {
  const Symptom* none = facts.first({{missing, "available-gpu"}, {missing, "visible-gpu"}});
  if (!none || !of(facts.snapshot().torch, &Torch::cuda_available).is(true) || !answers.findings.empty() ||
      facts.container() || facts.saw({{noted, "container-named"}, {noted, "ranks"}}))
    return;
  Finding& finding = answers.found_in(*none, Confidence::possible);
  finding.explanation =
      "PyTorch finds a GPU on this machine, and this program finds none: most often it sets CUDA_VISIBLE_DEVICES to a "
      "number that only another machine has.";
  finding.fix = {{.text = "Look for CUDA_VISIBLE_DEVICES in the program, its settings and its start script."}};
}

void judge_texts(const Facts& facts, Answers& answers) {
  judge_ranks(facts, answers);
  judge_shown(facts, answers);
  judge_elsewhere(facts, answers);
}

void name_numbers(const Facts& facts, Answers& answers) {
  std::size_t gpus = 0;
  for (const Symptom* line : facts.all({missing, "gpu-index"}))
    gpus = std::max<std::size_t>(gpus, std::strtoul(line->detail("count").c_str(), nullptr, 10));
  if (gpus == 0 && visibility::shown_settings(facts).empty()) gpus = visibility::listed_gpus(facts);
  if (gpus == 0) return;
  each_with_remedy(answers, [&](Finding& finding) {
    finding.fix.front().text =
        gpus == 1 ? "One GPU is visible here, number 0 (cuda:0): use that, or its UUID."
                  : fmt::format("{} GPUs are visible here: use numbers from 0 to {}, or UUIDs.", gpus, gpus - 1);
  });
}

bool by_number(const Facts& facts) {
  return !facts.with({missing, "container-device"}, "device", "GPU-") &&
         !facts.with({missing, "container-device"}, "device", "MIG-");
}

// Slurm refuses a step inside a job, and in this job the driver lists a GPU: what the step asks for, often by the
// variables of the job that it was started from, is not what its own job has.
bool device_refused(const Facts& facts) {
  const Symptom* first = facts.first({{missing, "container-device"}});
  const bool step = first && !first->detail("job").empty() && visibility::listed_gpus(facts) > 0;
  return by_number(facts) && !step;
}

bool cuda_starts(const Facts& facts) {
  return !facts.saw({{failed, "cuinit"}, {failed, "hip-start"}, {failed, "hsa"}});
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "visibility.invalid-ordinal",
      .layer = Layer::visibility,
      .severity = Severity::error,
      .title = "A device number in the visibility variable doesn't exist",
      .claim = "The list is cut at the first number that no device has; it and all that follow are hidden.",
      .proof = "The variable or the program names a number that no device has.",
      .disproof = "Every number in the list is smaller than the number of GPUs.",
      .remedy = "Use numbers from 0 to the number of GPUs less one, or UUIDs.",
      .explains = {"opencl.icd-no-device", "opencl.cpu-only", "driver.init-failed", "driver.unreachable",
                   "usage.detected-unused", "usage.wrong-gpu"},
      .symptoms =
          {
              {{missing, "container-device"}, likely, device_refused},
              {{missing, "gpu-index"}, certain},
              {{missing, "cuda-device-index"}, likely, cuda_starts},
              {{missing, "any-gpu-index"}, possible, cuda_starts},
              // The program works with fewer GPUs, or with one of a lower number.
              {{missing, "gpus-asked-for"}, likely, cuda_starts},
              {{failed, "cuda-call"}, possible, when::no_driver_answers, "code", cuda_error::invalid_device},
              {{missing, "tensorflow-device"},
               possible,
               [](const Facts& f) {
                 return when::gpu_listed(f) && !f.saw({{missing, "gpu-kernel-for-operation"}});
               }},
          },
      .judge_host = [](const Snapshot& snapshot, Answers& answers) { visibility::judge_cut(snapshot, answers, false); },
      .judge = judge_texts,
      .complete = name_numbers,
  };
}

}  // namespace envdoctor::visibility_invalid_ordinal

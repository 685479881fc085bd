// What can be said of a text that ends in an error where no diagnosis was found: what stands there, what the facts rule
// out, which fact is missing, and the one command that would tell it.
#include <algorithm>
#include <array>

#include "checks/engine/diagnosis.h"
#include "checks/engine/resemblance.h"
#include "checks/engine/verdict.h"
#include "checks/facts/facts.h"
#include "knowledge/lower_case.h"

namespace envdoctor {
namespace {

// What a text may speak of, the fact that decides most there, and the command that tells it.
struct Question {
  std::vector<std::string_view> words;  // in small letters; one of them is in a line that looks decisive
  bool (*known)(const Facts&);          // the fact is here already
  const char* missing;
  const char* command;
};

bool nvidia_listed(const Facts& facts) {
  const Nvidia& nvidia = facts.snapshot().nvidia.or_empty();
  return nvidia.devices.get() || nvidia.cuda_devices.get() || nvidia.nvml_error.get();
}

bool kernel_told(const Facts& facts) {
  return of(facts.snapshot().nvidia, &Nvidia::xid).get() ||
         std::ranges::any_of(facts.snapshot().log.or_empty(), [](const Symptom& one) {
           return one.source.or_empty() == "kernel" || one.is({SymptomClass::noted, "xid"});
         });
}

bool never(const Facts&) { return false; }

// The first whose words are met and whose fact is not known is asked. What lies lower is asked first: a framework's
// error says little while nobody knows whether the driver answers.
const std::array<Question, 15>& questions() {
  static const std::array<Question, 15> all = {{
      {{"docker", "podman", "containerd", "nvidia-container", "runc", "crun", "oci runtime", "cdi device"},
       never,
       "whether a plain container gets the GPU on this host",
       "docker run --rm --gpus all ubuntu nvidia-smi"},
      {{"kubelet", "kubectl", "kubernetes", "pod ", "nvidia.com/gpu"},
       never,
       "what the node offers and what the pod was given",
       "kubectl describe node"},
      {{"slurm", "srun", "sbatch", "gres"}, never, "what Slurm offers on the node", "scontrol show node"},
      {{"nccl", "allreduce", "torch.distributed", "processgroup"},
       never,
       "which call of NCCL failed first, and on which rank",
       "NCCL_DEBUG=INFO python -m torch.distributed.run --nproc-per-node=2 PROGRAM"},
      {{"rocm", "hip", "amdgpu", "kfd", "miopen", "hsa", "gfx"},
       [](const Facts& f) { return of(f.snapshot().rocm, &Rocm::devices).get() != nullptr; },
       "whether ROCm's runtime lists the GPU, and as which target",
       "rocminfo"},
      {{"amdgpu", "kfd", "hsa", "rocm"},
       never,
       "what the kernel driver says of the GPU",
       "sudo dmesg | grep -iE 'amdgpu|kfd'"},
      {{"sycl", "level zero", "level_zero", "libze", "xpu", "oneapi"},
       [](const Facts& f) {
         return f.snapshot().level_zero.get() || f.saw({{SymptomClass::present, "sycl-device"}});
       },
       "which devices SYCL finds, and through which driver",
       "sycl-ls --verbose"},
      {{"opencl", "clget", "clcreate", "clbuild", "pocl", "icd"},
       [](const Facts& f) { return of(f.snapshot().opencl, &Opencl::platforms).get() != nullptr; },
       "which OpenCL platforms and devices are here",
       "clinfo"},
      {{"i915", "xe ", "drm"}, never, "what the kernel driver says of the GPU", "sudo dmesg | grep -iE 'i915|xe |drm'"},
      {{"nvidia", "nvrm", "cuda", "nvml", "cudnn", "cublas", "nvcc", "gpu", "tensorrt", "torch", "tensorflow", "jax"},
       [](const Facts& f) { return nvidia_listed(f) || f.used() || f.driver_works(); },
       "whether the NVIDIA driver answers, which version it is and which GPUs it lists",
       "nvidia-smi"},
      {{"torch", "torchvision", "transformers", "vllm", "lightning"},
       [](const Facts& f) { return of(f.snapshot().torch, &Torch::cuda_available).get() != nullptr; },
       "which build of PyTorch this is, and whether it sees the GPU",
       "python -m torch.utils.collect_env"},
      {{"tensorflow", "keras", "xla"},
       [](const Facts& f) { return of(f.snapshot().tensorflow, &Tensorflow::physical_gpus).get() != nullptr; },
       "what TensorFlow was built for, and whether it lists the GPU",
       "python -c \"import tensorflow as t; print(t.sysconfig.get_build_info(), t.config.list_physical_devices())\""},
      {{"jax", "flax", "pjrt"},
       [](const Facts& f) { return of(f.snapshot().jax, &Jax::devices).get() != nullptr; },
       "which JAX and plug-in these are, and which devices they list",
       "python -c \"import jax; jax.print_environment_info()\""},
      {{"nvidia", "nvrm", "cuda", "gpu"},
       kernel_told,
       "whether the kernel logged a fault of the GPU at that time",
       "sudo dmesg | grep -iE 'nvrm|xid|aer'"},
      {{"import", "module", "package", "pip", "conda", "attribute", "wheel"},
       [](const Facts& f) { return of(f.snapshot().python, &Python::packages).get() != nullptr; },
       "which packages this Python has, and whether they fit each other",
       "python -m pip list"},
  }};
  return all;
}

// The harmless lines among them are explained already.
bool is_harmless(const Facts& facts, const std::string& source, std::int64_t line) {
  return std::ranges::any_of(
      facts.harmless(), [&](const Symptom* one) { return one->line.is(line) && one->source.or_empty() == source; });
}

// The same words again, of which the first few are kept as symptoms.
bool repeats_the_harmless(const Facts& facts, const std::string& line) {
  return std::ranges::any_of(facts.harmless(), [&](const Symptom* one) { return one->text.is(line); });
}

// Words that stand for one thing only: names of files and programs.
std::vector<std::string> names_in(const std::string& line) {
  constexpr std::size_t long_enough = 12, with_a_mark = 8;
  std::vector<std::string> names;
  std::string word;
  for (const char c : line + ' ') {
    const bool digit = c >= '0' && c <= '9', letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (digit || letter) {
      word += c;
      continue;
    }
    const bool marked = word.find_first_of("0123456789_") != word.npos && word.size() >= with_a_mark;
    if (marked || word.size() >= long_enough) names.push_back(lower_case(word));
    word.clear();
  }
  return names;
}

// Lines around a harmless one speak of the same thing, and say as little.
bool speaks_of_the_harmless(const Facts& facts, const Evidence& line) {
  const auto names = names_in(line.value);
  return std::ranges::any_of(facts.harmless(), [&](const Symptom* one) {
    const auto others = names_in(one->text.or_empty());
    return std::ranges::any_of(
        names, [&](const std::string& name) { return std::ranges::find(others, name) != others.end(); });
  });
}

bool is_a_fault(const Symptom& symptom) {
  using enum SymptomClass;
  const auto class_ = symptom_class(symptom.class_.or_empty());
  constexpr std::array faults = {failed,  crashed,   wrong_result, timed_out,  mismatch,
                                 refused, exhausted, slow,         unsupported};
  return class_ && std::ranges::find(faults, *class_) != faults.end();
}

// Known messages of which no diagnosis came.
std::vector<Evidence> unexplained_symptoms(const Facts& facts) {
  constexpr std::size_t most = 5;
  std::vector<Evidence> lines;
  for (const Symptom& one : facts.snapshot().log.or_empty()) {
    const std::string source = one.source.or_empty();
    if (lines.size() < most && is_a_fault(one) && one.text.get() && !asked_by_us(one) &&
        !is_harmless(facts, source, one.line.or_empty()))
      lines.push_back({"log", *one.text.get(), source, one.line.or_empty()});
  }
  return lines;
}

// The whole text may speak of more than its last lines: what its symptoms are about counts, too.
std::string words_of(const Facts& facts, const Undetermined& undetermined) {
  std::string words;
  for (const Evidence& line : undetermined.decisive) words += lower_case(line.value) + '\n';
  for (const Symptom& one : facts.snapshot().log.or_empty())
    words += one.program.or_empty() + ' ' + one.subject.or_empty() + ' ' + lower_case(one.code.or_empty()) + '\n';
  return words;
}

void ask(const Facts& facts, Undetermined& undetermined) {
  constexpr std::size_t most_missing = 3;
  const std::string words = words_of(facts, undetermined);
  for (const Question& one : questions()) {
    const bool met = std::ranges::any_of(one.words, [&](std::string_view w) { return words.find(w) != words.npos; });
    if (!met || one.known(facts) || undetermined.missing.size() == most_missing) continue;
    if (undetermined.missing.empty()) undetermined.next_command = one.command;
    undetermined.missing.emplace_back(one.missing);
  }
  if (!undetermined.missing.empty()) return;
  undetermined.missing.emplace_back("what the machine itself shows of its GPUs, drivers and frameworks");
  undetermined.next_command = "envdoctor check";
}

bool cause_found(const Report& report) {
  return std::ranges::any_of(report.findings,
                             [](const Finding& f) { return f.severity != Severity::info && !by_resemblance(f); });
}

}  // namespace

void describe_undetermined(Report& report) {
  const auto& texts = report.snapshot.texts.or_empty();
  if (texts.empty() || cause_found(report)) return;
  const Facts facts(report.snapshot);
  Undetermined undetermined;
  for (const ReadText& text : texts) {
    undetermined.lines += text.lines.or_empty();
    for (const TextLine& line : text.notable.or_empty()) {
      const std::string source = text.source.or_empty();
      if (!is_harmless(facts, source, line.line.or_empty()) && !repeats_the_harmless(facts, line.text.or_empty()))
        undetermined.decisive.push_back({"log", line.text.or_empty(), source, line.line.or_empty()});
    }
  }
  if (undetermined.decisive.empty() && report.verdict != Verdict::pass)
    undetermined.decisive = unexplained_symptoms(facts);
  const auto idle = [&](const Evidence& line) { return speaks_of_the_harmless(facts, line); };
  if (std::ranges::all_of(undetermined.decisive, idle)) return;
  constexpr std::size_t most_lines = 5;
  if (undetermined.decisive.size() > most_lines)
    undetermined.decisive.erase(undetermined.decisive.begin(), undetermined.decisive.end() - most_lines);
  for (const CheckResult& check : report.checks) {
    const bool says_something =
        !check.id.starts_with("benign.") && !check.id.starts_with("script.") && !check.id.starts_with("expect.");
    if (check.state == CheckState::passed && says_something) undetermined.excluded.push_back(check.id);
  }
  ask(facts, undetermined);
  report.undetermined = std::move(undetermined);
}

}  // namespace envdoctor

// The report on a text with an error or a complaint but without a diagnosis: the lines, what
// the facts rule out, which fact is missing, and the one command that would show it.
#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "checks/engine/diagnosis.h"
#include "checks/engine/guessed_cause.h"
#include "checks/engine/verdict.h"
#include "checks/facts/facts.h"
#include "knowledge/lower_case.h"
#include "knowledge/wordings/questions.h"

namespace envdoctor {
namespace {

bool has_kernel_log(const Facts& facts) {
  return of(facts.snapshot().nvidia, &Nvidia::xid).get() ||
         std::ranges::any_of(facts.snapshot().log.or_empty(), [](const Symptom& one) {
           return one.source.or_empty() == "kernel" || one.is({SymptomClass::noted, "xid"});
         });
}

bool nvidia_listed(const Facts& facts) {
  const Nvidia& nvidia = facts.snapshot().nvidia.or_empty();
  return nvidia.devices.get() || nvidia.cuda_devices.get() || nvidia.nvml_error.get() || facts.used() ||
         facts.driver_works();
}

bool sycl_listed(const Facts& facts) {
  return facts.snapshot().level_zero.get() || facts.saw({{SymptomClass::present, "sycl-device"}});
}

// Whether the evidence contains the fact that a question asks for.
bool is_known(const Facts& facts, const std::string& fact) {
  const Snapshot& snapshot = facts.snapshot();
  if (fact == "nvidia-devices") return nvidia_listed(facts);
  if (fact == "kernel-log") return has_kernel_log(facts);
  if (fact == "rocm-devices") return of(snapshot.rocm, &Rocm::devices).get();
  if (fact == "sycl-devices") return sycl_listed(facts);
  if (fact == "opencl-platforms") return of(snapshot.opencl, &Opencl::platforms).get();
  if (fact == "torch") return of(snapshot.torch, &Torch::cuda_available).get();
  if (fact == "tensorflow") return of(snapshot.tensorflow, &Tensorflow::physical_gpus).get();
  if (fact == "keras") return of(snapshot.keras, &Keras::backend).get();
  if (fact == "jax") return of(snapshot.jax, &Jax::devices).get();
  return fact == "packages" && of(snapshot.python, &Python::packages).get();
}

// The harmless lines among them are explained already.
bool is_harmless(const Facts& facts, const std::string& source, std::int64_t line) {
  return std::ranges::any_of(
      facts.harmless(), [&](const Symptom* one) { return one->line.is(line) && one->source.or_empty() == source; });
}

// Repeated messages, of which the first few are kept as symptoms.
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

// Lines around a harmless one are about the same thing, and harmless too.
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

// Known messages that led to no diagnosis.
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

// The topics of the decisive lines, and the symptoms of the whole text.
std::string words_of(const Facts& facts, const Undetermined& undetermined) {
  std::string words;
  for (const Evidence& line : undetermined.decisive) words += line.value + '\n';
  for (const Symptom& one : facts.snapshot().log.or_empty())
    words += one.program.or_empty() + ' ' + one.subject.or_empty() + ' ' + one.code.or_empty() + '\n';
  return words;
}

bool holds_any(const std::set<std::string>& words, const std::vector<std::string>& wanted) {
  return std::ranges::any_of(wanted, [&](const std::string& word) { return words.contains(word); });
}

// Questions about the topics of those lines come first, then other topics. Lower layers come first in the table:
// a framework's error says little as long as it is unknown whether the driver answers.
void ask(const Facts& facts, Undetermined& undetermined) {
  constexpr std::size_t most_missing = 3;
  const std::set<std::string> decisive = knowledge::question_words_in(words_of(facts, undetermined));
  std::set<std::string> about = decisive;
  for (const ReadText& text : facts.snapshot().texts.or_empty())
    about.insert(text.about.or_empty().begin(), text.about.or_empty().end());
  for (const auto* words : {&decisive, &std::as_const(about)}) {
    for (const knowledge::Question& one : knowledge::questions()) {
      const bool met = holds_any(*words, one.words) && (one.also.empty() || holds_any(about, one.also));
      if (!met || is_known(facts, one.known) || undetermined.missing.size() == most_missing ||
          std::ranges::find(undetermined.missing, one.missing) != undetermined.missing.end())
        continue;
      if (undetermined.missing.empty()) undetermined.next_command = one.command;
      undetermined.missing.push_back(one.missing);
    }
  }
  if (!undetermined.missing.empty()) return;
  undetermined.missing.emplace_back("what the machine itself shows of its GPUs, drivers and frameworks");
  undetermined.next_command = "envdoctor check";
}

// A framework that lists no GPU beside a driver that lists one.
struct BlindFramework {
  const char* path;  // of its answer
  const char* answer;
  const char* missing;
  const char* command;
};

std::optional<BlindFramework> blind_framework(const Facts& facts) {
  const Snapshot& snapshot = facts.snapshot();
  if (of(snapshot.nvidia, &Nvidia::devices).or_empty().empty() || facts.used()) return {};
  if (of(snapshot.torch, &Torch::cuda_available).is(false))
    return BlindFramework{"/torch/cuda_available", "false", "the error with which PyTorch fails to start CUDA",
                          "python -c \"import torch; torch.zeros(1, device='cuda')\""};
  if (of(snapshot.tensorflow, &Tensorflow::physical_gpus).is(0))
    return BlindFramework{"/tensorflow/physical_gpus", "0",
                          "what TensorFlow was built for, and what it logs when it looks for GPUs",
                          "python -c \"import tensorflow as tf; print(tf.sysconfig.get_build_info(), "
                          "tf.config.list_physical_devices())\""};
  if (of(snapshot.jax, &Jax::backend).is("cpu"))
    return BlindFramework{"/jax/backend", "cpu", "the error with which JAX fails to start CUDA",
                          "JAX_PLATFORMS=cuda python -c \"import jax; print(jax.devices())\""};
  return {};
}

Evidence line_of(const Facts& facts, const BlindFramework& framework) {
  Evidence line = evidence(framework.path, std::string(framework.path) + " = " + framework.answer);
  add_source(line, facts.snapshot());
  line.path = "log";  // as the other lines of the text
  return line;
}

// The lines of one kind that aren't known to be harmless.
std::vector<Evidence> lines_of(const Facts& facts, List<TextLine> ReadText::*kind) {
  std::vector<Evidence> lines;
  for (const ReadText& text : facts.snapshot().texts.or_empty()) {
    const std::string source = text.source.or_empty();
    for (const TextLine& line : (text.*kind).or_empty()) {
      if (!is_harmless(facts, source, line.line.or_empty()) && !repeats_the_harmless(facts, line.text.or_empty()))
        lines.push_back({"log", line.text.or_empty(), source, line.line.or_empty()});
    }
  }
  return lines;
}

bool cause_found(const Report& report) {
  return std::ranges::any_of(report.findings,
                             [](const Finding& f) { return f.severity != Severity::info && !is_guessed(f); });
}

}  // namespace

void describe_undetermined(Report& report) {
  const auto& texts = report.snapshot.texts.or_empty();
  if (texts.empty() || cause_found(report)) return;
  const Facts facts(report.snapshot);
  Undetermined undetermined{.decisive = lines_of(facts, &ReadText::notable)};
  for (const ReadText& text : texts) undetermined.lines += text.lines.or_empty();
  if (undetermined.decisive.empty() && report.verdict != Verdict::pass)
    undetermined.decisive = unexplained_symptoms(facts);
  const auto idle = [&](const Evidence& line) { return speaks_of_the_harmless(facts, line); };
  if (std::ranges::all_of(undetermined.decisive, idle)) {
    undetermined.decisive = facts.harmless().empty() ? lines_of(facts, &ReadText::complaints) : std::vector<Evidence>();
  }
  const auto blind = undetermined.decisive.empty() ? blind_framework(facts) : std::nullopt;
  if (blind) undetermined.decisive.push_back(line_of(facts, *blind));
  if (undetermined.decisive.empty()) return;
  constexpr std::size_t most_lines = 5;
  if (undetermined.decisive.size() > most_lines)
    undetermined.decisive.erase(undetermined.decisive.begin(), undetermined.decisive.end() - most_lines);
  for (const CheckResult& check : report.checks) {
    const bool says_something =
        !check.id.starts_with("benign.") && !check.id.starts_with("script.") && !check.id.starts_with("expect.");
    if (check.state == CheckState::passed && says_something) undetermined.excluded.push_back(check.id);
  }
  if (blind) {
    undetermined.missing.emplace_back(blind->missing);
    undetermined.next_command = blind->command;
  } else {
    ask(facts, undetermined);
  }
  report.undetermined = std::move(undetermined);
}

}  // namespace envdoctor

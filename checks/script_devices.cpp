// Device numbers and texts that a script holds, against this host.
#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "checks/facts.h"
#include "checks/gpus.h"
#include "checks/script_facts.h"
#include "checks/selection.h"

namespace envdoctor {
namespace {

constexpr const char* empty_id = "script.empty-variable";
constexpr const char* order_id = "script.order-unset";
constexpr const char* ordinal_id = "script.ordinal-missing";
const std::vector<const char*> ids = {empty_id, order_id, ordinal_id};

bool chooses_cuda_devices(const ScriptEvent& event) {
  return event.kind == "set-variable" && event.name == "CUDA_VISIBLE_DEVICES";
}

// The GPU's number behind "gpu:" or "cuda:" in any letters: "'/GPU:3'" -> 3.
std::optional<std::size_t> number_behind_kind(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  for (const std::string kind : {"gpu:", "cuda:"}) {
    const auto at = text.find(kind);
    if (at == text.npos) continue;
    std::size_t number = 0;
    const char* begin = text.data() + at + kind.size();
    if (std::from_chars(begin, text.data() + text.size(), number).ec == std::errc()) return number;
  }
  return std::nullopt;
}

std::set<std::size_t> numbers_of(const ScriptEvent& event) {
  std::set<std::size_t> numbers;
  if (chooses_cuda_devices(event)) {
    for (const std::string& entry : entries_of(event.value)) {
      std::size_t number = 0;
      if (std::from_chars(entry.data(), entry.data() + entry.size(), number).ec == std::errc()) numbers.insert(number);
    }
  } else if (event.kind == "call") {
    if (const auto number = number_behind_kind(event.value)) numbers.insert(*number);
    std::size_t number = 0;
    const bool bare = event.name == "torch.cuda.set_device" || event.name == ".cuda";
    if (bare && std::from_chars(event.value.data(), event.value.data() + event.value.size(), number).ec == std::errc())
      numbers.insert(number);
  } else if (event.kind == "placed-call") {
    if (const auto number = number_behind_kind(event.inside)) numbers.insert(*number);
  }
  return numbers;
}

void judge_ordinals(const Snapshot& snapshot, Answers& answers, const std::vector<ScriptEvent>& events) {
  const auto gpus = gpus_of(snapshot);
  if (!snapshot.pci.get() && gpus.empty()) return answers.unknown(ordinal_id, why_unknown("/pci", snapshot.pci));
  for (const ScriptEvent& event : events) {
    const auto numbers = numbers_of(event);
    if (numbers.empty() || *numbers.rbegin() < gpus.size()) continue;
    Finding& finding = found_in_script(
        answers, ordinal_id, event,
        "GPU " + std::to_string(*numbers.rbegin()) + " is named, and this host has " +
            (gpus.empty() ? std::string("none") : std::to_string(gpus.size()) + ", counted from 0") + ".",
        "Name no number in the script; choose when starting it: envdoctor run --device gpu:N -- CMD.");
    finding.confidence = std::min(finding.confidence, Confidence::likely);
    if (chooses_cuda_devices(event)) finding.severity = Severity::error;
  }
}

void judge_order(const Snapshot& snapshot, Answers& answers, const std::vector<ScriptEvent>& events) {
  const auto gpus = gpus_of(snapshot);
  std::set<std::string> models;
  for (const Gpu& gpu : gpus) models.insert(gpu.name);
  const bool ordered = std::ranges::any_of(events, [](const ScriptEvent& event) {
    return event.kind == "set-variable" && event.name == "CUDA_DEVICE_ORDER";
  });
  if (ordered || models.size() < 2 || env_of(snapshot, "CUDA_DEVICE_ORDER").is("PCI_BUS_ID")) return;
  for (const ScriptEvent& event : events) {
    if (!chooses_cuda_devices(event) || numbers_of(event).empty()) continue;
    Finding& finding = found_in_script(
        answers, order_id, event,
        "CUDA_VISIBLE_DEVICES names GPUs by number without CUDA_DEVICE_ORDER. This host's GPUs differ, and CUDA counts "
        "the fastest first, nvidia-smi by PCI address.",
        "Set CUDA_DEVICE_ORDER=PCI_BUS_ID as well, or name the GPU by its UUID.");
    finding.confidence = Confidence::likely;
  }
}

void run(const Snapshot& snapshot, Answers& answers) {
  if (!have_script(snapshot, answers, ids)) return;
  const auto events = script_events(snapshot);
  for (const ScriptEvent& event : events) {
    if (!chooses_cuda_devices(event) || !event.has_value || !event.value.empty()) continue;
    found_in_script(answers, empty_id, event,
                    "CUDA_VISIBLE_DEVICES is set to an empty text. CUDA then shows no GPU, but programs that test "
                    "whether the variable is set may take an empty one as not set.",
                    "Write '-1', which every program takes as no GPU.");
  }
  judge_ordinals(snapshot, answers, events);
  judge_order(snapshot, answers, events);
  rest_is_sound(answers, ids);
}

}  // namespace

Check script_devices() { return {.ids = ids, .run = run}; }

}  // namespace envdoctor

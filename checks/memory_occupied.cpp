// memory.occupied: other processes hold nearly all of a GPU's memory.
#include <algorithm>

#include "checks/facts.h"
#include "checks/gpu_memory.h"
#include "checks/presence.h"

namespace envdoctor {
namespace {

constexpr const char* id = "memory.occupied";
constexpr std::int64_t context_mib = 512;  // what a CUDA context and one framework's libraries take before any tensor

void tell(const Snapshot& snapshot, const GpuMemory& gpu, bool room_elsewhere, Answers& answers) {
  Finding& finding = answers.found(id, subject_of(snapshot, gpu));
  finding.severity = gpu.free_mib < context_mib && !room_elsewhere ? Severity::error : Severity::warning;
  finding.evidence = {free_memory_seen(gpu)};
  const std::string who = holders(snapshot, gpu, finding.evidence);
  // In a report the figure was often taken while the reporter's own program ran.
  const Confidence unnamed = told_by_a_report(snapshot) ? Confidence::possible : Confidence::likely;
  finding.confidence = who.empty() ? unnamed : Confidence::certain;
  finding.explanation =
      std::to_string(gpu.free_mib) + " of " + std::to_string(gpu.total_mib) + " MiB are free. " +
      (who.empty() ? "Another process holds the rest; which one isn't shown here." : "Held by " + who + ".");
  finding.fix = {
      {.text = "End the process if it is yours and no longer needed, or choose another GPU.", .command = "nvidia-smi"}};
}

void run(const Snapshot& snapshot, Answers& answers) {
  if (has_gpu(snapshot, Vendor::nvidia).is(false)) return answers.not_applicable(id, "no NVIDIA GPU");
  const auto devices = of(snapshot.nvidia, &Nvidia::devices);
  if (!devices.get()) return answers.unknown(id, why_unknown("/nvidia/devices", devices));
  const GpuMemories memory = visible_gpu_memory(snapshot);
  const bool room = !std::ranges::all_of(memory.gpus, nearly_full);
  bool full = false;
  for (const GpuMemory& gpu : memory.gpus) {
    if (!nearly_full(gpu)) continue;
    tell(snapshot, gpu, room, answers);
    full = true;
  }
  if (full) return;
  if (!memory.all_known) return answers.unknown(id, "/nvidia/devices: free memory is not known");
  answers.sound(id);
}

}  // namespace

Check memory_occupied() { return {{id}, run}; }

}  // namespace envdoctor

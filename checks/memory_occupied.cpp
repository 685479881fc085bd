// memory.occupied: other processes hold nearly all of a GPU's memory.
#include <algorithm>

#include "checks/facts.h"
#include "checks/presence.h"
#include "checks/visible.h"

namespace envdoctor {
namespace {

constexpr const char* id = "memory.occupied";
constexpr std::int64_t context_mib = 512;  // what a CUDA context and one framework's libraries take before any tensor
constexpr double nearly_all = 0.10;        // free at most

struct Use {
  std::int64_t total = 0;
  std::int64_t free = 0;
};

std::string subject_of(const NvidiaDevice& device, std::size_t index) {
  const std::string address = text_of(device.pci_address);
  return address.empty() ? "cuda:" + std::to_string(index) : "gpu:" + normal_address(address);
}

// The processes on this GPU that are known, largest first, as text and evidence.
std::string holders(const Snapshot& snapshot, std::int64_t gpu, std::vector<Evidence>& evidence) {
  const auto processes = of(snapshot.nvidia, &Nvidia::processes);
  std::string text;
  for (std::size_t i = 0; processes.get() && i < processes.get()->size(); ++i) {
    const NvidiaProcess& process = (*processes.get())[i];
    if (!process.gpu.is(gpu) || !process.pid.get() || !process.memory_mib.get()) continue;
    const std::string one = "process " + std::to_string(*process.pid.get()) +
                            (process.name.get() ? " (" + *process.name.get() + ")" : "") + ": " +
                            std::to_string(*process.memory_mib.get()) + " MiB";
    text += (text.empty() ? "" : ", ") + one;
    evidence.push_back(seen(at("/nvidia/processes", i), one));
  }
  return text;
}

void tell(const Snapshot& snapshot, const NvidiaDevice& device, std::size_t index, const Use& use, bool room_elsewhere,
          Answers& answers) {
  Finding& finding = answers.found(id, subject_of(device, index));
  finding.severity = use.free < context_mib && !room_elsewhere ? Severity::error : Severity::warning;
  finding.evidence = {seen(at("/nvidia/devices", index, "memory_free_mib"),
                           std::to_string(use.free) + " of " + std::to_string(use.total) + " MiB")};
  const std::string who =
      holders(snapshot, device.index.get() ? *device.index.get() : static_cast<std::int64_t>(index), finding.evidence);
  // In a report the figure was often taken while the reporter's own program ran.
  const Confidence unnamed = told_by_a_report(snapshot) ? Confidence::possible : Confidence::likely;
  finding.confidence = who.empty() ? unnamed : Confidence::certain;
  finding.explanation =
      std::to_string(use.free) + " of " + std::to_string(use.total) + " MiB are free. " +
      (who.empty() ? "Another process holds the rest; which one isn't shown here." : "Held by " + who + ".");
  finding.fix = {
      {.text = "End the process if it is yours and no longer needed, or choose another GPU.", .command = "nvidia-smi"}};
}

void run(const Snapshot& snapshot, Answers& answers) {
  if (has_gpu(snapshot, Vendor::nvidia).is(false)) return answers.not_applicable(id, "no NVIDIA GPU");
  const auto devices = of(snapshot.nvidia, &Nvidia::devices);
  if (!devices.get()) return answers.unknown(id, why_unknown("/nvidia/devices", devices));
  const VisibleList visible = visible_to_cuda(snapshot);
  std::vector<std::pair<std::size_t, Use>> full;
  bool room = false, all_known = true;
  for (std::size_t i = 0; i < devices.get()->size(); ++i) {
    const NvidiaDevice& device = (*devices.get())[i];
    const bool hidden = std::ranges::any_of(
        visible.hidden, [&](const HiddenDevice& h) { return h.device.listed == static_cast<int>(i); });
    if (hidden && !visible.devices.empty()) continue;
    if (device.mig.is(true)) continue;  // the card's sum says nothing of its instances
    if (!device.memory_total_mib.get() || !device.memory_free_mib.get() || *device.memory_total_mib.get() <= 0) {
      all_known = all_known && device.memory_total_mib.outcome() == Outcome::absent;  // shared with the processor
      continue;
    }
    const Use use{*device.memory_total_mib.get(), *device.memory_free_mib.get()};
    if (static_cast<double>(use.free) <= static_cast<double>(use.total) * nearly_all)
      full.emplace_back(i, use);
    else
      room = true;
  }
  for (const auto& [index, use] : full) tell(snapshot, (*devices.get())[index], index, use, room, answers);
  if (!full.empty()) return;
  if (!all_known) return answers.unknown(id, "/nvidia/devices: free memory is not known");
  answers.sound(id);
}

}  // namespace

Check memory_occupied() { return {{id}, run}; }

}  // namespace envdoctor

#include "checks/memory/memory_facts.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "checks/facts/facts.h"
#include "checks/facts/visible.h"

namespace envdoctor::memory {

using enum SymptomClass;

double mib_of(const std::string& text) {
  char* rest = nullptr;
  const double number = std::strtod(text.c_str(), &rest);
  if (rest == text.c_str()) return -1;
  while (*rest == ' ') ++rest;
  static const std::map<char, double> mib_of_unit = {{'T', 1 << 20}, {'G', 1024}, {'M', 1}, {'K', 1.0 / 1024}};
  const auto unit = mib_of_unit.find(*rest);
  return number * (unit == mib_of_unit.end() ? 1.0 / (1 << 20) : unit->second);
}

namespace {

// torch's figures for a card, in MiB. Old and new messages give different ones.
struct Sum {
  double wanted = -1, total = -1, free = -1, own = -1, unallocated = -1;
};

Sum sum_of(const Facts& facts, const Symptom& event) {
  Sum sum{.wanted = mib_of(event.detail("wanted")),
          .total = mib_of(event.detail("total")),
          .free = mib_of(event.detail("free"))};
  if (sum.total < 0) {
    sum.total = mib_of(event.detail("total_old"));
    sum.free = mib_of(event.detail("free_old"));
    sum.own = mib_of(event.detail("reserved_old"));
    const double allocated = mib_of(event.detail("allocated_old"));
    // Up to 1.3 the cached memory did not include the allocated memory.
    if (sum.own >= 0 && allocated > sum.own) {
      sum.unallocated = sum.own;
      sum.own += allocated;
    } else if (sum.own >= 0 && allocated >= 0) {
      sum.unallocated = sum.own - allocated;
    }
    if (sum.own < 0) sum.own = allocated;
  }
  double allocated = -1;
  for (const Symptom* parts : facts.all({noted, "gpu-memory-in-use"})) {
    if (const double bytes = mib_of(parts->detail("allocated")); bytes >= 0) allocated = bytes;
    if (const double process = mib_of(parts->detail("process")); process > 0) sum.own = process;
    if (const double idle = mib_of(parts->detail("unallocated")); idle >= 0) sum.unallocated = idle;
  }
  // On AMD and in containers the process's own use is unknown (or 0 bytes), so torch's own figure is used.
  if (sum.own < 0 && allocated >= 0 && sum.unallocated >= 0) sum.own = allocated + sum.unallocated;
  // The last lines of the message may be cut off, and the other processes stand before them.
  if (sum.own < 0 && sum.total > 0 && sum.free >= 0) {
    std::map<std::string, double> others;
    for (const Symptom* other : facts.all({noted, "gpu-memory-of-other-process"}))
      others[other->detail("pid")] = mib_of(other->detail("used"));
    double used = 0;
    for (const auto& [pid, by_other] : others) used += by_other;
    if (used > 0) sum.own = std::max(0.0, sum.total - sum.free - used);
  }
  return sum;
}

Holder holder_by_sum(const Sum& sum) {
  if (sum.total <= 0 || sum.free < 0 || sum.own < 0) return Holder::program;
  // A CUDA context takes a few hundred MiB that no process counts as its own, and some reserved memory is always
  // unused.
  const double others = sum.total - sum.free - sum.own - 600;
  // Who holds most of the memory and wants little more than is free needs no other to blame.
  const bool own_rules = sum.own > 2 * others && sum.own > 0.6 * sum.total;
  if (others > 0.2 * sum.total && others + sum.free > sum.wanted && !own_rules) return Holder::others;
  const bool idle =
      sum.unallocated > sum.wanted && sum.wanted > 0 && sum.unallocated > 0.05 * std::max(sum.total, sum.own);
  return idle ? Holder::fragments : Holder::program;
}

// Before 1.4 TensorFlow printed the card's memory on the line above the free memory.
double total_for(const Facts& facts, const Symptom& free) {
  for (const Symptom* event : facts.all({noted, "total-gpu-memory"})) {
    if (event->source == free.source && event->line.get() && free.line.is(*event->line.get() + 1))
      return mib_of(event->detail("total"));
  }
  return mib_of(free.detail("total"));
}

const Symptom* first(const Facts& facts, std::initializer_list<Kind> kinds) {
  for (const Kind& kind : kinds) {
    if (!facts.all(kind).empty()) return facts.all(kind).front();
  }
  return nullptr;
}

// Where the driver refused the program's CUDA, the program finds no room because it has no GPU. CUDA's own error of its
// memory shows that it did start, so a later run is meant.
bool follows_refusal(const Facts& facts, const Symptom& full) {
  const Symptom* refusal = facts.first({{too_old, "driver"}});
  const std::string& said = full.text.or_empty();
  return refusal && !facts.used() && refusal->source == full.source &&
         refusal->line.or_empty() < full.line.or_empty() && said.find("ut of memory") == said.npos &&
         said.find("llocat") == said.npos;
}

}  // namespace

const Symptom* little_free_at_start(const Facts& facts) {
  // The GPU of such a board has no memory of its own: the page cache counts as used.
  for (const char* board : {"NVIDIA Tegra", "Tegra", "Xavier", "Orin"}) {
    if (facts.with({used, "gpu"}, "name", board)) return nullptr;
  }
  constexpr double little = 0.3;
  for (const Symptom* symptom : facts.all({noted, "free-gpu-memory"})) {
    const double total = total_for(facts, *symptom), free = mib_of(symptom->detail("free"));
    // Without the card's size: what a context takes is gone before a program that computes has asked for anything.
    if (total > 0 ? free >= 0 && free < little * total : free >= 0 && free < 1024 && !symptom->program.get())
      return symptom;
  }
  // TensorFlow's allocator takes nearly all free memory at its start, so its limit is the memory that was free.
  const auto& devices = of(facts.snapshot().nvidia, &Nvidia::devices).or_empty();
  const auto total = devices.empty() ? 0 : devices.front().memory_total_mib.or_empty();
  for (const Symptom* symptom : facts.all({noted, "tensorflow-allocator-limit"})) {
    const double limit = mib_of(symptom->detail("bytes"));
    if (limit > 0 && limit < little * static_cast<double>(total)) return symptom;
  }
  return nullptr;
}

namespace {

// A line of TensorFlow's allocator that does not announce another attempt.
const Symptom* allocator_gave_up(const Facts& facts) {
  for (const Symptom* full : facts.all({exhausted, "tensorflow-allocator"})) {
    const auto& harmless = facts.harmless();
    const bool retried = std::ranges::any_of(harmless, [&](const Symptom* line) {
      return line->subject.is("allocation retried") && line->line == full->line && line->source == full->source;
    });
    if (!retried) return full;
  }
  return nullptr;
}

// TensorFlow prints what its allocator holds where an allocation failed: nearly all is in the program's use.
const Symptom* filled_by_itself(const Facts& facts) {
  constexpr double nearly_all = 0.95;
  const Symptom* limit = facts.first({{noted, "tensorflow-allocator-limit"}});
  const Symptom* in_use = facts.first({{noted, "tensorflow-allocator-in-use"}});
  if (!limit || !in_use) return nullptr;
  return mib_of(in_use->detail("bytes")) >= nearly_all * mib_of(limit->detail("bytes")) ? in_use : nullptr;
}

// XLA asks for the whole of its pool at its start, and for less where that fails: a program that prints results
// afterwards, and names no other want of memory, has found what it needs.
bool pool_asked_again(const Facts& facts, const Symptom& full) {
  const Symptom* pool = facts.first({{noted, "xla-memory-taken"}});
  const auto at_start = [&](const Symptom* one) {
    const std::string& said = one->text.or_empty();
    return one->source == pool->source && one->line.or_empty() > pool->line.or_empty() &&
           said.find("failed to alloc") != said.npos && said.find("_executor.cc") != said.npos;
  };
  if (!pool || !std::ranges::all_of(facts.all({exhausted, "cuda-memory"}), at_start) ||
      facts.saw({{exhausted, "gpu-memory"}, {exhausted, "any-gpu-memory"}, {refused, "gpu-memory-allocation"}}))
    return false;
  for (const Kind& kind : {Kind{noted, "tensorflow-result"}, Kind{noted, "jax-result"}}) {
    for (const Symptom* result : facts.all(kind)) {
      if (result->source == full.source && result->line.or_empty() > full.line.or_empty()) return true;
    }
  }
  return false;
}

}  // namespace

std::optional<Exhaustion> exhaustion_of(const Facts& facts) {
  const Symptom* full = first(facts, {{exhausted, "gpu-memory"},
                                      {refused, "gpu-memory-allocation"},
                                      {exhausted, "cuda-memory"},
                                      {exhausted, "opencl-memory"}});
  if (full && (pool_asked_again(facts, *full) || follows_refusal(facts, *full))) return std::nullopt;
  if (!full) full = allocator_gave_up(facts);
  const Symptom* little = little_free_at_start(facts);
  if (const Symptom* in_use = filled_by_itself(facts); in_use && !full) return Exhaustion{in_use, Holder::program};
  if (!full && little && little->is({noted, "tensorflow-allocator-limit"})) return Exhaustion{little, Holder::others};
  if (!full) return std::nullopt;
  if (asked_by_us(*full)) return Exhaustion{full, Holder::others};
  if (full->program.is("torch")) return Exhaustion{full, holder_by_sum(sum_of(facts, *full))};
  return Exhaustion{full, little ? Holder::others : Holder::program};
}

const Symptom* handle_without_memory(const Facts& facts) {
  if (const Symptom* memory = first(facts, {{noted, "free-beside-handle"}});
      memory && std::atof(memory->detail("free").c_str()) * 2 > std::atof(memory->detail("total").c_str()))
    return nullptr;
  if (exhaustion_of(facts) || facts.saw({{mismatch, "cudnn-version"},
                                         {missing, "library"},
                                         {missing, "cuda-kernel-image"},
                                         {unsupported, "gpu-architecture"},
                                         {too_old, "driver"},
                                         {mismatch, "cudnn-sublibrary-version"},
                                         {lost, "gpu"},
                                         {noted, "xid"},
                                         {unsupported, "ptx"},
                                         {unsupported, "cudnn-architecture"},
                                         {mismatch, "cuda-version"}}))
    return nullptr;
  return first(facts, {{failed, "cudnn-handle"},
                       {failed, "cublas-handle"},
                       {failed, "cusolver-handle"},
                       {failed, "cudnn"},
                       {failed, "cublas"},
                       {missing, "dnn-library"}});
}

namespace {

const NvidiaDevice& device_of(const Snapshot& snapshot, std::size_t index) {
  return (*snapshot.nvidia.get()->devices.get())[index];
}

}  // namespace

GpuMemories visible_gpu_memory(const Snapshot& snapshot) {
  GpuMemories seen;
  const VisibleList visible = visible_to_cuda(snapshot);
  const auto& devices = *snapshot.nvidia.get()->devices.get();
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const NvidiaDevice& device = devices[i];
    const bool hidden = std::ranges::any_of(
        visible.hidden, [&](const HiddenDevice& h) { return h.device.listed == static_cast<int>(i); });
    if ((hidden && !visible.devices.empty()) || device.mig.is(true)) continue;
    const auto *total = device.memory_total_mib.get(), *free = device.memory_free_mib.get();
    if (total && free && *total > 0)
      seen.gpus.push_back({i, *total, *free});
    else
      seen.all_known = seen.all_known && device.memory_total_mib.outcome() == Outcome::absent;  // the CPU's memory
  }
  return seen;
}

bool nearly_full(const GpuMemory& gpu) {
  constexpr double share = 0.10;
  return static_cast<double>(gpu.free_mib) <= static_cast<double>(gpu.total_mib) * share;
}

std::string subject_of(const Snapshot& snapshot, const GpuMemory& gpu) {
  const std::string address = text_of(device_of(snapshot, gpu.index).pci_address);
  return address.empty() ? "cuda:" + std::to_string(gpu.index) : "gpu:" + normal_address(address);
}

Evidence free_memory_seen(const GpuMemory& gpu) {
  return evidence(at("/nvidia/devices", gpu.index, "memory_free_mib"),
                  std::to_string(gpu.free_mib) + " of " + std::to_string(gpu.total_mib) + " MiB");
}

namespace {

// A table of processes may not name their GPU: where there is one alone, it is that.
std::optional<std::int64_t> gpu_of(const Snapshot& snapshot, const NvidiaProcess& process) {
  const auto& devices = of(snapshot.nvidia, &Nvidia::devices).or_empty();
  if (process.gpu.get() || devices.size() != 1)
    return process.gpu.get() ? std::optional(*process.gpu.get()) : std::nullopt;
  return devices[0].index.value_or(0);
}

}  // namespace

std::string holders(const Snapshot& snapshot, const GpuMemory& gpu, std::vector<Evidence>& proof) {
  const NvidiaDevice& device = device_of(snapshot, gpu.index);
  const std::int64_t index = device.index.value_or(static_cast<std::int64_t>(gpu.index));
  const auto& processes = of(snapshot.nvidia, &Nvidia::processes).or_empty();
  std::string text;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const NvidiaProcess& process = processes[i];
    if (gpu_of(snapshot, process) != index || !process.pid.get() || !process.memory_mib.get()) continue;
    const std::string one = "process " + std::to_string(*process.pid.get()) +
                            (process.name.get() ? " (" + *process.name.get() + ")" : "") + ": " +
                            std::to_string(*process.memory_mib.get()) + " MiB";
    text += (text.empty() ? "" : ", ") + one;
    proof.push_back(evidence(at("/nvidia/processes", i), one));
  }
  return text;
}

const Symptom* import_that_takes_all(const Facts& facts) {
  const auto& imports = facts.all({SymptomClass::noted, "framework-import"});
  const auto import = std::ranges::find_if(imports, [](const Symptom* symptom) {
    return symptom->detail("module") == "jax" || symptom->detail("module") == "tensorflow";
  });
  return import == imports.end() ? nullptr : *import;
}

double share_of_gpu(const Snapshot& snapshot, const NvidiaProcess& process) {
  const auto& devices = of(snapshot.nvidia, &Nvidia::devices).or_empty();
  const auto gpu = static_cast<std::size_t>(gpu_of(snapshot, process).value_or(-1));
  const std::int64_t total = gpu < devices.size() ? devices[gpu].memory_total_mib.or_empty() : 0;
  return total > 0 ? static_cast<double>(process.memory_mib.or_empty()) / static_cast<double>(total) : 0;
}

const Symptom* ended_at_limit(const Facts& facts) {
  if (!facts.saw({{SymptomClass::noted, "memory-limit-of-job"}})) return nullptr;
  const auto& ended = facts.all({SymptomClass::exhausted, "host-memory"});
  const auto of_cgroup = std::ranges::find_if(ended, [](const Symptom* line) {
    const std::string& said = line->text.or_empty();
    return std::ranges::any_of(std::array{"cgroup", "OOMKilled", "oom-kill event", "oom_kill "},
                               [&](const char* word) { return said.find(word) != said.npos; });
  });
  return of_cgroup == ended.end() ? nullptr : *of_cgroup;
}

}  // namespace envdoctor::memory

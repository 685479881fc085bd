// Out of memory: whose memory it is, by the sum that the message itself gives.
#include <algorithm>
#include <cstdlib>

#include "checks/facts.h"
#include "checks/log_facts.h"

namespace envdoctor {
namespace {

// "23.60 GiB" -> MiB; a negative number: not given.
double mib(const std::string& text) {
  char* rest = nullptr;
  const double number = std::strtod(text.c_str(), &rest);
  if (rest == text.c_str()) return -1;
  while (*rest == ' ') ++rest;
  switch (*rest) {
    case 'T':
      return number * 1024 * 1024;
    case 'G':
      return number * 1024;
    case 'M':
      return number;
    case 'K':
      return number / 1024;
    default:
      return number / 1024 / 1024;
  }
}

// What torch says of a card, in MiB. Old and new wording give different parts.
struct Sum {
  double wanted = -1, total = -1, free = -1, own = -1, unallocated = -1;
};

Sum sum_of(const LogFacts& facts, const LogEvent& event) {
  Sum sum{.wanted = mib(field_of(event, "wanted")),
          .total = mib(field_of(event, "total")),
          .free = mib(field_of(event, "free"))};
  if (sum.total < 0) {
    sum.total = mib(field_of(event, "total_old"));
    sum.free = mib(field_of(event, "free_old"));
    sum.own = mib(field_of(event, "reserved_old"));
    const double allocated = mib(field_of(event, "allocated_old"));
    if (sum.own >= 0 && allocated >= 0) sum.unallocated = sum.own - allocated;
    if (sum.own < 0) sum.own = allocated;
  }
  double allocated = -1;
  for (const LogEvent* parts : facts.all("memory-parts")) {
    if (const double bytes = mib(field_of(*parts, "allocated")); bytes >= 0) allocated = bytes;
    if (const double process = mib(field_of(*parts, "process")); process >= 0) sum.own = process;
    if (const double idle = mib(field_of(*parts, "unallocated")); idle >= 0) sum.unallocated = idle;
  }
  // On AMD and in containers the process is not told apart, and what torch itself holds must do.
  if (sum.own < 0 && allocated >= 0 && sum.unallocated >= 0) sum.own = allocated + sum.unallocated;
  return sum;
}

void torch_memory(const LogFacts& facts, const LogEvent& event, Answers& answers) {
  const Sum sum = sum_of(facts, event);
  const char* id = "memory.out-of-memory";
  Confidence sure = Confidence::likely;
  if (sum.total > 0 && sum.free >= 0 && sum.own >= 0) {
    // A CUDA context takes some hundred MiB that no process counts as its own; and some of what is held always lies
    // idle.
    const double others = sum.total - sum.free - sum.own - 600;
    if (others > 0.2 * sum.total && others + sum.free > sum.wanted)
      id = "memory.occupied";
    else if (sum.unallocated > sum.wanted && sum.wanted > 0 && sum.unallocated > 0.02 * sum.total)
      id = "memory.fragmented";
  }
  log_finding(answers, event, id, sure);
}

// The frameworks that envdoctor itself asks are given a product of 64 x 64 numbers and a model of five: where these
// find no memory, others hold it.
bool ran_for_us(const LogEvent& event) {
  return event.source.get() && event.source.get()->starts_with("standard error of ");
}

void no_memory_for_us(const LogEvent& event, Answers& answers) {
  Finding& finding = log_finding(answers, event, "memory.occupied", Confidence::likely);
  finding.explanation =
      "A product of 64 x 64 numbers found no memory on the GPU: other processes hold it, or its owner's share is used "
      "up.";
}

// What the kernel's killer, the job's control group and the C library count is the machine's memory, not the GPU's.
void host_memory(const LogEvent& event, Answers& answers) {
  Finding& finding = log_finding(answers, event, "memory.out-of-memory", Confidence::likely);
  finding.title = "The job needs more memory than the machine gives it";
  finding.explanation = "The machine's own memory, or the share of it that the job may use, was full; not the GPU's.";
  finding.fix = {{.text = "Ask for more memory (sbatch --mem, docker run --memory, the pod's limit), or load less at "
                          "a time: fewer workers, smaller pieces of the data."}};
}

// Before 1.4 TensorFlow told the card's memory on the line above the free part of it.
double total_for(const LogFacts& facts, const LogEvent& free) {
  for (const LogEvent* event : facts.all("memory-total")) {
    if (event->source == free.source && event->line.get() && free.line.is(*event->line.get() + 1))
      return mib(field_of(*event, "total"));
  }
  return mib(field_of(free, "total"));
}

// The GPU of such a board has no memory of its own: what the system keeps files in counts as taken.
bool shares_memory(const LogFacts& facts) {
  for (const char* name : {"NVIDIA Tegra", "Tegra", "Xavier", "Orin"}) {
    if (facts.with("device-used-tensorflow", "name", name)) return true;
  }
  return false;
}

bool little_was_free(const LogFacts& facts) {
  if (shares_memory(facts)) return false;
  for (const LogEvent* event : facts.all("memory-free")) {
    const double total = total_for(facts, *event), free = mib(field_of(*event, "free"));
    if (total > 0 && free >= 0 && free < 0.3 * total) return true;
  }
  // TensorFlow's allocator takes nearly all that is free at its start; its limit is what was free.
  const auto devices = of(facts.snapshot().nvidia, &Nvidia::devices);
  for (const LogEvent* event : facts.all("allocator-limit")) {
    const double limit = mib(field_of(*event, "bytes"));
    if (!devices.get() || devices.get()->empty() || limit <= 0) continue;
    const auto* total = devices.get()->front().memory_total_mib.get();
    if (total && limit < 0.3 * static_cast<double>(*total)) return true;
  }
  return false;
}

// JAX takes three quarters of the memory or more with its first operation, TensorFlow all of it; nothing failed.
void preallocated(const LogFacts& facts, Answers& answers) {
  const auto devices = of(facts.snapshot().nvidia, &Nvidia::devices);
  const auto& imports = facts.all("framework-imported");
  const auto fills = [](const LogEvent* e) {
    return field_of(*e, "module") == "jax" || field_of(*e, "module") == "tensorflow";
  };
  const auto import = std::ranges::find_if(imports, fills);
  if (!devices.get() || import == imports.end() || facts.saw({"out-of-memory", "cuda-out-of-memory"})) return;
  for (const NvidiaDevice& device : *devices.get()) {
    const auto* total = device.memory_total_mib.get();
    const auto* free = device.memory_free_mib.get();
    if (!total || !free || *free > *total / 4) continue;
    log_finding(answers, **import, "memory.preallocated", Confidence::possible);
    return;
  }
}

const LogEvent* first(const LogFacts& facts, std::initializer_list<std::string_view> events) {
  for (const std::string_view event : events) {
    if (!facts.all(event).empty()) return facts.all(event).front();
  }
  return nullptr;
}

}  // namespace

void log_memory(const LogFacts& facts, Answers& answers) {
  for (const LogEvent* event : facts.all("shm-too-small")) {
    log_finding(answers, *event, "memory.shm-too-small", Confidence::likely);
    break;
  }
  for (const LogEvent* event : facts.all("memory-free")) {
    if (little_was_free(facts)) log_finding(answers, *event, "memory.occupied", Confidence::likely);
    break;
  }
  preallocated(facts, answers);
  if (const auto& taken = facts.all("memory-taken-at-start"); !taken.empty())
    log_finding(answers, *taken.front(), "memory.occupied", Confidence::likely);
  const LogEvent* full = first(facts, {"out-of-memory", "allocator-out-of-memory", "device-allocation-failed",
                                       "cuda-out-of-memory", "opencl-out-of-memory"});
  if (!full && little_was_free(facts) && !facts.all("allocator-limit").empty())
    full = facts.all("allocator-limit").front();
  if (full) {
    if (ran_for_us(*full))
      no_memory_for_us(*full, answers);
    else if (full->framework.is("torch"))
      torch_memory(facts, *full, answers);
    else
      log_finding(answers, *full, little_was_free(facts) ? "memory.occupied" : "memory.out-of-memory",
                  Confidence::likely);
  }
  if (const auto& killed = facts.all("host-out-of-memory"); !full && !killed.empty())
    host_memory(*killed.front(), answers);
  // A handle that can't be made although versions fit: the memory for it is taken already.
  const LogEvent* handle = first(facts, {"cudnn-handle-failed", "cublas-handle-failed", "cusolver-failed",
                                         "cudnn-not-initialized", "cublas-not-initialized", "dnn-not-found"});
  if (handle && !full &&
      !facts.saw({"cudnn-versions-differ", "library-missing", "no-kernel-image", "arch-not-in-build", "driver-too-old",
                  "cudnn-sublibrary-mismatch", "gpu-lost", "xid", "invalid-ptx", "cudnn-arch",
                  "cuda-versions-differ"})) {
    // cuBLAS alone, outside TensorFlow: nobody took the memory in advance; there is none left.
    const bool alone = handle->event.is("cublas-not-initialized");
    log_finding(answers, *handle, alone ? "memory.out-of-memory" : "memory.preallocated", Confidence::possible);
  }
}

}  // namespace envdoctor

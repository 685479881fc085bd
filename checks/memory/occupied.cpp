// memory.occupied: other processes hold nearly all of a GPU's memory, by NVML or by the free memory that a program
// found.
#include "checks/engine/rule.h"
#include "checks/memory/memory_facts.h"

namespace envdoctor::memory_occupied {

using enum SymptomClass;

constexpr std::int64_t context_mib = 512;  // what a CUDA context and one framework's libraries take before any tensor

void report_finding(const Snapshot& snapshot, const memory::GpuMemory& gpu, bool room_elsewhere, Answers& answers) {
  Finding& finding = answers.found_on(memory::subject_of(snapshot, gpu));
  finding.severity = gpu.free_mib < context_mib && !room_elsewhere ? Severity::error : Severity::warning;
  finding.evidence = {memory::free_memory_seen(gpu)};
  const std::string who = memory::holders(snapshot, gpu, finding.evidence);
  // In a report the figure was often measured while the reporter's own program ran.
  const Confidence unnamed = from_report(snapshot) ? Confidence::possible : Confidence::likely;
  finding.confidence = who.empty() ? unnamed : Confidence::certain;
  finding.explanation =
      std::to_string(gpu.free_mib) + " of " + std::to_string(gpu.total_mib) + " MiB are free. " +
      (who.empty() ? "Another process holds the rest; which one isn't shown here." : "Held by " + who + ".");
  finding.fix = {
      {.text = "End the process if it is yours and no longer needed, or choose another GPU.", .command = "nvidia-smi"}};
}

void judge_messages(const Facts& facts, Answers& answers) {
  if (const Symptom* little = memory::little_free_at_start(facts)) answers.found_in(*little, Confidence::likely);
  const auto full = memory::exhaustion_of(facts);
  if (!full || full->holder != memory::Holder::others) return;
  Finding& finding = answers.found_in(*full->symptom, Confidence::likely);
  if (asked_by_us(*full->symptom))
    finding.explanation =
        "A product of 64 x 64 numbers found no memory on the GPU: other processes hold it, or this user's share is "
        "used up.";
}

// A server finds little of a card's memory free at its start, and gives the card no layer of its model.
void judge_server(const Facts& facts, Answers& answers) {
  constexpr double little = 0.3;
  const Symptom* none = facts.first({{noted, "no-layers-offloaded"}});
  for (const Symptom* server : facts.all({noted, "free-memory-of-server"})) {
    const double total = memory::mib_of(server->detail("total")), free = memory::mib_of(server->detail("free"));
    if (!none || total <= 0 || free < 0 || free >= little * total) continue;
    answers.found_in(*none, Confidence::likely).evidence.push_back(evidence(*server));
    return;
  }
}

// A program found too little memory.
bool no_room(const Facts& facts) {
  return facts.saw({{exhausted, "gpu-memory"}, {exhausted, "cuda-memory"}, {exhausted, "any-gpu-memory"}});
}

// What fails for want of memory, or may.
bool lacks_memory(const Facts& facts) {
  return no_room(facts) || facts.saw({{refused, "gpu-memory-allocation"},
                                      {failed, "cuinit"},
                                      {failed, "cuda-call"},
                                      {failed, "cudnn"},
                                      {failed, "cublas"}});
}

// A report in which nothing fails for want of memory shows a GPU that its processes fill and use: it was meant so.
bool filled_on_purpose(const Facts& facts, const memory::GpuMemory& gpu) {
  constexpr std::int64_t at_work_percent = 30;
  const auto& devices = of(facts.snapshot().nvidia, &Nvidia::devices).or_empty();
  return from_report(facts) && !lacks_memory(facts) &&
         devices.at(gpu.index).utilization_percent.or_empty() >= at_work_percent;
}

// A server of language models holds the model that it was asked for; that is no fault unless a program lacks memory.
bool filled_by_model(const Facts& facts, const memory::GpuMemory& gpu) {
  return from_report(facts) && !lacks_memory(facts) && !facts.saw({{noted, "layers-left-out"}}) &&
         std::ranges::any_of(of(facts.snapshot().nvidia, &Nvidia::processes).or_empty(), [&](const NvidiaProcess& one) {
           const std::string& name = one.name.or_empty();
           const bool server = name.find("ollama") != name.npos || name.find("llama-server") != name.npos ||
                               name.find("llama_server") != name.npos || name.find("koboldcpp") != name.npos ||
                               name.find("VLLM::") != name.npos || name.find("LM Studio") != name.npos;
           return server && one.memory_mib.or_empty() * 10 > gpu.total_mib * 7;
         });
}

// JAX and TensorFlow take most of a GPU when they start: the Python that holds it is likely the reporter's own.
bool filled_in_advance(const Facts& facts, const memory::GpuMemory& gpu) {
  // A program that lists its packages still is a text.
  const bool of_text = !facts.snapshot().probes.get() && !facts.snapshot().captured.get();
  // No allocation failed: what is missing beside it is the memory of its own library's handle.
  const bool handle_alone = !no_room(facts) && memory::handle_without_memory(facts);
  // A program that tells the times of its steps works on that GPU.
  return of_text && (memory::import_that_takes_all(facts) || facts.saw({{noted, "step-times"}})) &&
         (handle_alone || !lacks_memory(facts)) &&
         std::ranges::any_of(of(facts.snapshot().nvidia, &Nvidia::processes).or_empty(), [&](const NvidiaProcess& one) {
           return one.name.or_empty().starts_with("python") && one.memory_mib.or_empty() * 10 > gpu.total_mib * 7;
         });
}

void judge_devices(const Facts& facts, Answers& answers) {
  const Snapshot& snapshot = facts.snapshot();
  if (has_gpu(snapshot, Vendor::nvidia).is(false)) return answers.not_applicable("no NVIDIA GPU");
  const auto& devices = of(snapshot.nvidia, &Nvidia::devices);
  if (!devices.get()) return answers.unknown(why_unknown("/nvidia/devices", devices));
  const memory::GpuMemories seen = memory::visible_gpu_memory(snapshot);
  const bool room = !std::ranges::all_of(seen.gpus, memory::nearly_full);
  for (const memory::GpuMemory& gpu : seen.gpus) {
    if (!memory::nearly_full(gpu) || filled_on_purpose(facts, gpu) || filled_in_advance(facts, gpu) ||
        filled_by_model(facts, gpu))
      continue;
    report_finding(snapshot, gpu, room, answers);
  }
  if (!seen.all_known) return answers.unknown("/nvidia/devices: free memory is not known");
  answers.passed();
}

bool cuda_starts_elsewhere(const Facts& facts) { return !facts.used() && !facts.driver_works() && !facts.wsl(); }

// nvidia-smi can't name a process that has ended: its memory is freed only when the last child of it ends.
void judge_ended(const Facts& facts, Answers& answers) {
  const Snapshot& snapshot = facts.snapshot();
  constexpr std::int64_t much_mib = 256;
  for (const auto& [i, process] : numbered(of(snapshot.nvidia, &Nvidia::processes))) {
    const std::string& name = process.name.or_empty();
    if ((name != "Unknown Error" && name != "[Not Found]") || process.memory_mib.or_empty() < much_mib) continue;
    Finding& finding = answers.found();
    const bool in_the_way = memory::share_of_gpu(snapshot, process) > 0.5 && lacks_memory(facts);
    finding.severity = Severity::warning;
    finding.confidence = in_the_way ? Confidence::likely : Confidence::possible;
    finding.explanation = fmt::format(
        "Process {} holds {} MiB and has no name any more: it ended, and something that "
        "it started still holds the GPU.",
        process.pid.or_empty(), *process.memory_mib.get());
    finding.evidence = {evidence(at("/nvidia/processes", i, "name"), name)};
    finding.fix = {{.text = "See who has the GPU's nodes open, and end what is left over.",
                    .command = "sudo fuser -v /dev/nvidia*"}};
    return;
  }
}

// Several programs share a GPU that ran out of memory, and none of them alone took most of it.
void judge_shared(const Facts& facts, Answers& answers) {
  const auto full = facts.first({{exhausted, "gpu-memory"},
                                 {exhausted, "cuda-memory"},
                                 {exhausted, "any-gpu-memory"},
                                 {refused, "gpu-memory-allocation"}});
  const auto& processes = of(facts.snapshot().nvidia, &Nvidia::processes).or_empty();
  const auto& devices = of(facts.snapshot().nvidia, &Nvidia::devices).or_empty();
  constexpr std::int64_t much_mib = 4096;
  if (!full || processes.size() < 2 || devices.size() > 1 || !answers.findings.empty()) return;
  std::int64_t sum = 0, most = 0;
  for (const NvidiaProcess& process : processes) {
    const std::int64_t memory = process.memory_mib.or_empty();
    if (memory < 0 || memory > (std::int64_t{1} << 30)) return;
    sum += memory;
    most = std::max(most, memory);
  }
  const std::int64_t total = devices.empty() ? 0 : devices.front().memory_total_mib.or_empty();
  const bool fills = total > 0 ? sum * 10 > total * 8 : sum > much_mib;
  if (!fills || most * 3 > sum * 2) return;
  Finding& finding = answers.found_in(*full, total > 0 ? Confidence::likely : Confidence::possible);
  finding.evidence.push_back(evidence("/nvidia/processes", fmt::format("{} processes, {} MiB", processes.size(), sum)));
  finding.explanation = fmt::format(
      "{} processes hold {} MiB of the GPU together, the largest {} MiB: it is they that leave no room for another.",
      processes.size(), sum, most);
  finding.fix = {
      {.text = "End those that are left over or no longer needed, or choose another GPU.", .command = "nvidia-smi"}};
}

// A runner leaves layers to the CPU for want of memory, and another program is listed that holds much of it.
void judge_held(const Facts& facts, Answers& answers) {
  const Symptom* partly = facts.first({{noted, "layers-left-out"}});
  if (!partly || !answers.findings.empty()) return;
  const double available = memory::mib_of(partly->detail("available"));
  if (available < 0 || std::atoi(partly->detail("given").c_str()) >= std::atoi(partly->detail("of").c_str())) return;
  struct Other {
    std::string name{};
    double mib = 0;
    Evidence seen{};
  };
  std::vector<Other> others;
  for (const Symptom* one : facts.all({noted, "gpu-memory-of-process"}))
    others.push_back({one->detail("name"), std::atof(one->detail("mib").c_str()), evidence(*one)});
  for (const auto& [i, one] : numbered(of(facts.snapshot().nvidia, &Nvidia::processes)))
    others.push_back({one.name.or_empty(), static_cast<double>(one.memory_mib.or_empty()),
                      evidence(at("/nvidia/processes", i, "name"), one.name.or_empty())});
  constexpr double much_mib = 2048;
  for (const Other& other : others) {
    const bool own = other.name.find("ollama") != other.name.npos || other.name.find("llama") != other.name.npos;
    if (own || other.name.empty() || other.mib < much_mib || other.mib < available) continue;
    Finding& finding = answers.found_in(*partly, Confidence::likely);
    finding.evidence.push_back(other.seen);
    finding.severity = Severity::warning;
    finding.explanation = fmt::format("{} holds {:.0f} MiB of the GPU's memory, and {} of {} layers found room.",
                                      other.name, other.mib, partly->detail("given"), partly->detail("of"));
    finding.fix = {{.text = "End that program while the model runs, or choose another GPU."}};
    return;
  }
}

// A runner of models finds too little memory, and a program that isn't one holds much of the GPU.
void judge_beside_runner(const Facts& facts, Answers& answers) {
  const Symptom* full = facts.first({{exhausted, "gpu-memory"}, {exhausted, "cuda-memory"}});
  const std::string said = full ? full->text.or_empty() : "";
  if (!answers.findings.empty() || (said.find("llama") == said.npos && said.find("ggml") == said.npos)) return;
  constexpr double much = 0.4;
  for (const auto& [i, one] : numbered(of(facts.snapshot().nvidia, &Nvidia::processes))) {
    const std::string& name = one.name.or_empty();
    if (name.empty() || name.find("llama") != name.npos || memory::share_of_gpu(facts, one) < much) continue;
    Finding& finding = answers.found_in(*full, Confidence::likely);
    finding.evidence.push_back(evidence(at("/nvidia/processes", i, "name"), name));
    finding.explanation = fmt::format("{} holds {} MiB of the GPU's memory, and the model found no room beside it.",
                                      name, one.memory_mib.or_empty());
    finding.fix = {{.text = "End that program while the model runs, or choose another GPU."}};
    return;
  }
}

// A monitor shows memory in use but no process that owns it, on a GPU that is busy or has no room for a program.
// That is normal in a container.
void judge_nobody(const Facts& facts, Answers& answers) {
  const auto& processes = of(facts.snapshot().nvidia, &Nvidia::processes);
  if (!processes.get() || !processes.get()->empty() || facts.container() || facts.wsl() || facts.used() ||
      !text_fails(facts) || !answers.findings.empty())
    return;
  const bool full = no_room(facts);
  constexpr std::int64_t much_mib = 2048, busy_percent = 90;
  for (const auto& [i, device] : numbered(of(facts.snapshot().nvidia, &Nvidia::devices))) {
    const std::int64_t used = used_mib(device).value_or(0);
    const bool at_work = device.utilization_percent.or_empty() >= busy_percent;
    const bool in_the_way = full && used * 10 > device.memory_total_mib.or_empty() * 3;
    if (used < much_mib || (!at_work && !in_the_way)) continue;
    Finding& finding = answers.found_on(fmt::format("cuda:{}", device.index.value_or(0)));
    finding.severity = Severity::warning;
    finding.confidence = Confidence::possible;
    finding.explanation = fmt::format(
        "{} MiB are in use{}, and no process is listed: what is left of one that ended, or one of a container or of "
        "another user, holds it.",
        used, at_work ? fmt::format(" and the GPU is at {} %", *device.utilization_percent.get()) : "");
    finding.evidence = {evidence(at("/nvidia/devices", i, "memory_free_mib"), fmt::format("{} MiB in use", used)),
                        evidence("/nvidia/processes", "none")};
    finding.fix = {{.text = "See who has the GPU's nodes open, and end what is left over.",
                    .command = "sudo fuser -v /dev/nvidia*"}};
    return;
  }
}

void judge(const Facts& facts, Answers& answers) {
  if (from_report(facts)) judge_ended(facts, answers);
  judge_devices(facts, answers);
  judge_messages(facts, answers);
  judge_server(facts, answers);
  if (!from_report(facts)) return;
  judge_shared(facts, answers);
  judge_held(facts, answers);
  judge_beside_runner(facts, answers);
  judge_nobody(facts, answers);
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "memory.occupied",
      .layer = Layer::use,
      .severity = Severity::error,
      .title = "Other processes hold the GPU's memory",
      .claim = "Most of the GPU's memory is taken by another process.",
      .proof = "Total less free less the program's own memory leaves a large rest, or NVML lists the other process.",
      .disproof = "The GPU's free memory is close to its total.",
      .remedy = "End the other process, or choose another GPU.",
      .explains = {"memory.out-of-memory"},
      .symptoms =
          {
              {{exhausted, "gpu-memory-at-start"}, likely},
              // A person saw that memory stayed in use, and a program then found too little of it.
              {{noted, "gpu-memory-held"}, likely, no_room},
              // CUDA can't even start: another program holds the memory that its context needs.
              {{failed, "cuinit"}, possible, cuda_starts_elsewhere, "code", cuda_error::out_of_memory},
              {{failed, "cuda-call"}, possible, cuda_starts_elsewhere, "code", cuda_error::out_of_memory},
          },
      .judge = judge,
  };
}

}  // namespace envdoctor::memory_occupied

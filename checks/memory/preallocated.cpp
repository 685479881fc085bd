// memory.preallocated: JAX or TensorFlow takes most of a GPU's memory at its start, while other processes use part of
// it.
#include <map>

#include "checks/engine/rule.h"
#include "checks/memory/memory_facts.h"

namespace envdoctor::memory_preallocated {

constexpr double usual_share = 0.75;  // https://docs.jax.dev/en/latest/gpu_memory_allocation.html

constexpr double least_share = usual_share - 0.02;  // of a whole GPU: it is the usual share of what is free

struct Wish {
  bool known = true;  // false: a variable couldn't be read
  bool in_advance = true;
  double share = usual_share;
  std::vector<Evidence> evidence{};
};

// The setting in the variables, as jaxlib reads them.
Wish wish_of(const Snapshot& snapshot) {
  Wish wish;
  const auto value = [&](const char* name) {
    const Text set = env_of(snapshot, name);
    wish.known = wish.known && (set.get() || set.outcome() == Outcome::absent);
    if (set.get() && !set.get()->empty()) wish.evidence.push_back(evidence(std::string("/env/") + name, *set.get()));
    return text_of(set);
  };
  const std::string advance = value("XLA_PYTHON_CLIENT_PREALLOCATE"), allocator = value("XLA_PYTHON_CLIENT_ALLOCATOR");
  wish.in_advance = advance != "false" && advance != "False" && advance != "0" && allocator != "platform";
  for (const char* name : {"XLA_CLIENT_MEM_FRACTION", "XLA_PYTHON_CLIENT_MEM_FRACTION"}) {
    const std::string share = value(name);
    if (const double number = std::strtod(share.c_str(), nullptr); number > 0) wish.share = number;
  }
  return wish;
}

// Nothing: JAX may use a GPU here.
std::string no_matter(const Snapshot& snapshot) {
  if (has_gpu(snapshot, Vendor::nvidia).is(false)) return "no NVIDIA GPU";
  const Jax* jax = snapshot.jax.get();
  if (!jax) return package_installed(snapshot, "jax").is(false) ? "JAX is not installed" : "";
  if (jax->backend.is("cpu")) return "JAX runs on the CPU";
  // Up to 0.4.2x jaxlib itself was built for CUDA, without plug-ins.
  const bool able = jax->backend.get() || text_of(jax->jaxlib_version).find("cuda") != std::string::npos;
  return !able && jax->plugins.get() && jax->plugins.get()->empty() ? "JAX has no GPU plug-in" : "";
}

void report_finding(const Snapshot& snapshot, const memory::GpuMemory& gpu, const Wish& wish, Answers& answers) {
  const auto wanted = static_cast<std::int64_t>(wish.share * static_cast<double>(gpu.total_mib));
  Finding& finding = answers.found_on(memory::subject_of(snapshot, gpu));
  finding.evidence = {memory::free_memory_seen(gpu), framework_seen(snapshot, "jax")};
  finding.evidence.insert(finding.evidence.end(), wish.evidence.begin(), wish.evidence.end());
  const std::string who = memory::holders(snapshot, gpu, finding.evidence);
  // A desktop's share is not worth a warning; that of another program, which may need more, is.
  finding.severity = who.empty() ? Severity::info : Severity::warning;
  finding.confidence = Confidence::likely;
  finding.explanation = "JAX asks for " + std::to_string(wanted) + " MiB of this GPU with its first operation and " +
                        std::to_string(gpu.free_mib) + " are free: it takes what it gets, and whoever shares the GPU " +
                        "gets no more." + (who.empty() ? "" : " Others there: " + who + ".");
  finding.fix = {{.text = "Let JAX take memory as it needs it, or a smaller share (XLA_PYTHON_CLIENT_MEM_FRACTION).",
                  .command = "export XLA_PYTHON_CLIENT_PREALLOCATE=false"}};
}

// JAX takes three quarters of the memory or more with its first operation, TensorFlow all of it; nothing failed.
void judge_import(const Facts& facts, Answers& answers) {
  const Symptom* import = memory::import_that_takes_all(facts);
  if (!import || facts.saw({{SymptomClass::exhausted, "gpu-memory"}, {SymptomClass::exhausted, "cuda-memory"}})) return;
  const auto& devices = of(facts.snapshot().nvidia, &Nvidia::devices).or_empty();
  const bool taken = std::ranges::any_of(devices, [](const NvidiaDevice& device) {
    const auto *total = device.memory_total_mib.get(), *free = device.memory_free_mib.get();
    return total && free && static_cast<double>(*free) <= (1 - least_share) * static_cast<double>(*total);
  });
  const auto& processes = of(facts.snapshot().nvidia, &Nvidia::processes).or_empty();
  const bool held = std::ranges::any_of(processes, [&](const NvidiaProcess& process) {
    const auto* used = process.memory_mib.get();
    return used && std::ranges::any_of(devices, [&](const NvidiaDevice& device) {
             const auto* total = device.memory_total_mib.get();
             return total && static_cast<double>(*used) >= least_share * static_cast<double>(*total);
           });
  });
  if (taken || held) answers.found_in(*import, Confidence::possible);
}

// The process whose memory is JAX's share, and what makes JAX take no share.
void show_holder(Finding& finding, std::size_t i, const NvidiaProcess& process) {
  finding.evidence.push_back(
      evidence(at("/nvidia/processes", i, "memory_mib"), std::to_string(process.memory_mib.or_empty())));
  finding.fix = {
      {.text = "Let JAX take memory as it needs it.", .command = "export XLA_PYTHON_CLIENT_PREALLOCATE=false"}};
}

// A second program of JAX's finds too little where a Python process holds just the share that JAX takes at its start.
void judge_share(const Facts& facts, Answers& answers) {
  constexpr double most_share = 0.78;
  const Symptom* full = facts.first({{SymptomClass::exhausted, "gpu-memory"},
                                     {SymptomClass::exhausted, "cuda-memory"},
                                     {SymptomClass::exhausted, "any-gpu-memory"}});
  const std::string said = full ? full->text.or_empty() : "";
  // XLA's own words, or the file of XLA in which they stand.
  if (said.find("RESOURCE_EXHAUSTED") == said.npos && said.find("xla/stream_executor") == said.npos) return;
  for (const auto& [i, process] : numbered(of(facts.snapshot().nvidia, &Nvidia::processes))) {
    if (!process.name.or_empty().starts_with("python")) continue;
    const double share = memory::share_of_gpu(facts.snapshot(), process);
    if (share < least_share || share > most_share) continue;
    Finding& finding = answers.found_in(*full, Confidence::likely);
    finding.explanation = fmt::format(
        "A Python process holds {:.0f} % of this GPU's memory, the share that JAX takes with its first operation, and "
        "leaves the rest to all others.",
        100 * share);
    return show_holder(finding, i, process);
  }
}

// Nothing failed: JAX's GPU build is installed, and one Python process holds just its share of a GPU that had none.
void judge_held(const Facts& facts, Answers& answers) {
  constexpr double least = 0.73, most = 0.76;
  const Snapshot& snapshot = facts;
  const Symptom* empty = facts.first({{SymptomClass::noted, "no-gpu-processes"}});
  const auto& packages = of(snapshot.python, &Python::packages).or_empty();
  const bool of_gpu = std::ranges::any_of(packages, [](const auto& package) {
    return package.first.starts_with("jax-cuda") || package.first.starts_with("jax_cuda") ||
           (package.first == "jaxlib" && package.second.find("cuda") != std::string::npos);
  });
  if (!of_gpu || !empty || !answers.findings.empty() || !wish_of(snapshot).in_advance) return;
  for (const auto& [i, process] : numbered(of(snapshot.nvidia, &Nvidia::processes))) {
    const double share = memory::share_of_gpu(snapshot, process);
    if (process.name.or_empty().find("python") == std::string::npos || share < least || share > most) continue;
    Finding& finding = answers.found_in(*empty, Confidence::possible);
    finding.explanation = fmt::format(
        "The GPU was empty, and then a Python process holds {:.0f} % of its memory: the share that JAX takes with its "
        "first operation, whatever it computes.",
        100 * share);
    return show_holder(finding, i, process);
  }
}

// XLA's client took most of the memory of the process in which another framework finds none.
void judge_other_client(const Facts& facts, Answers& answers) {
  const Symptom* taken = facts.first({{SymptomClass::noted, "xla-memory-taken"}});
  const Symptom* refused = facts.with({SymptomClass::exhausted, "gpu-memory"}, "program", "torch");
  if (!taken || !refused) return;
  Finding& finding = answers.found_in(*taken, Confidence::likely);
  finding.evidence.push_back(evidence(*refused));
  finding.explanation =
      "XLA takes most of the GPU's memory when its client starts, and PyTorch's own allocator finds what is left.";
  finding.fix = {
      {.text = "Let XLA take memory as it needs it.", .command = "export XLA_PYTHON_CLIENT_PREALLOCATE=false"}};
}

// Each rank of a job takes nearly the whole of one GPU, and it is the same for all: what the second one asks for fails.
void judge_ranks(const Facts& facts, Answers& answers) {
  const Symptom* ranks = facts.first({{SymptomClass::noted, "ranks"}});
  const Symptom* full =
      facts.first({{SymptomClass::exhausted, "cuda-memory"}, {SymptomClass::exhausted, "gpu-memory"}});
  // On other machines the same address is another GPU.
  if (!ranks || !full || ranks->text.or_empty().find(".txt") != std::string::npos ||
      ranks->text.or_empty().find("hostfile") != std::string::npos ||
      ranks->text.or_empty().find("nnodes") != std::string::npos)
    return;
  std::map<std::string, std::vector<const Symptom*>> first_devices;
  for (const Symptom* used : facts.all({SymptomClass::used, "gpu"})) {
    const std::string text = used->text.or_empty(), pci = used->detail("pci");
    if (!pci.empty() && text.find("/device:GPU:0 with ") != text.npos) first_devices[pci].push_back(used);
  }
  if (first_devices.size() != 1 || first_devices.begin()->second.size() < 2) return;
  Finding& finding = answers.found_in(*first_devices.begin()->second[1], Confidence::likely);
  finding.evidence.push_back(evidence(*full));
  finding.explanation =
      "Several ranks made their device on the same GPU, and each takes nearly all of its memory at its start.";
  finding.fix = {
      {.text = "Let each rank see its own GPU (set_visible_devices with the local rank), or let them grow."}};
}

void judge_jax(const Facts& facts, Answers& answers) {
  const Snapshot& snapshot = facts.snapshot();
  if (const std::string why = no_matter(snapshot); !why.empty()) return answers.not_applicable(why);
  if (!snapshot.jax.get()) return answers.unknown(why_unknown("/jax", snapshot.jax));
  const Wish wish = wish_of(snapshot);
  if (!wish.known) return answers.unknown(why_unknown("/env", snapshot.env));
  if (!wish.in_advance) return answers.passed();
  const auto devices = of(snapshot.nvidia, &Nvidia::devices);
  if (!devices.get()) return answers.unknown(why_unknown("/nvidia/devices", devices));
  const memory::GpuMemories seen = memory::visible_gpu_memory(snapshot);
  for (const memory::GpuMemory& gpu : seen.gpus) {
    if (memory::nearly_full(gpu)) return answers.not_applicable("the GPU is full already: memory.occupied");
    if (static_cast<double>(gpu.free_mib) >= wish.share * static_cast<double>(gpu.total_mib)) continue;
    report_finding(snapshot, gpu, wish, answers);
  }
  if (!seen.all_known) return answers.unknown("/nvidia/devices: free memory is not known");
  answers.passed();
}

void judge(const Facts& facts, Answers& answers) {
  judge_jax(facts, answers);
  judge_import(facts, answers);
  judge_other_client(facts, answers);
  judge_share(facts, answers);
  judge_ranks(facts, answers);
  judge_held(facts, answers);
  const Symptom* handle = memory::handle_without_memory(facts);
  if (handle && !handle->is({SymptomClass::failed, "cublas"})) answers.found_in(*handle, Confidence::possible);
}

Diagnosis diagnosis() {
  return {
      .id = "memory.preallocated",
      .layer = Layer::use,
      .severity = Severity::warning,
      .title = "The framework took the GPU's memory in advance",
      .claim = "A framework in this process, or in another one, reserved nearly all memory at its start.",
      .proof =
          "Nearly all memory is taken at the start, before any work, or a library's handle can't be made though "
          "versions fit.",
      .disproof = "Memory use grows with the work.",
      .remedy = "Switch on memory growth, or give each process its share.",
      .explains = {"memory.out-of-memory", "memory.occupied"},
      .symptoms = {helped_by("memory-growth"), {{SymptomClass::exhausted, "reserved-share"}, Confidence::likely}},
      .judge = judge,
  };
}

}  // namespace envdoctor::memory_preallocated

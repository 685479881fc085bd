// memory.preallocated: JAX asks for a share of a GPU's whole memory at its start, and others hold part of that share.
#include <cstdlib>

#include "checks/facts.h"
#include "checks/gpu_memory.h"
#include "checks/presence.h"

namespace envdoctor {
namespace {

constexpr const char* id = "memory.preallocated";
constexpr double usual_share = 0.75;  // https://docs.jax.dev/en/latest/gpu_memory_allocation.html

struct Wish {
  bool known = true;  // false: a variable couldn't be read
  bool in_advance = true;
  double share = usual_share;
  std::vector<Evidence> evidence{};
};

// What the variables make of it, as jaxlib reads them.
Wish wish_of(const Snapshot& snapshot) {
  Wish wish;
  const auto value = [&](const char* name) {
    const Text set = env_of(snapshot, name);
    wish.known = wish.known && (set.get() || set.outcome() == Outcome::absent);
    if (set.get() && !set.get()->empty()) wish.evidence.push_back(seen(std::string("/env/") + name, *set.get()));
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
  const bool by_jaxlib =
      text_of(jax->jaxlib_version).find("cuda") != std::string::npos;  // up to 0.4.2x, without plug-ins
  if (jax->backend.get() || by_jaxlib) return "";
  return jax->plugins.get() && jax->plugins.get()->empty() ? "JAX has no GPU plug-in" : "";
}

void tell(const Snapshot& snapshot, const GpuMemory& gpu, const Wish& wish, Answers& answers) {
  const auto wanted = static_cast<std::int64_t>(wish.share * static_cast<double>(gpu.total_mib));
  Finding& finding = answers.found(id, subject_of(snapshot, gpu));
  finding.evidence = {free_memory_seen(gpu), framework_seen(snapshot, "jax")};
  finding.evidence.insert(finding.evidence.end(), wish.evidence.begin(), wish.evidence.end());
  const std::string who = holders(snapshot, gpu, finding.evidence);
  // A desktop's part is not worth a warning; another program, which may want more, is.
  finding.severity = who.empty() ? Severity::info : Severity::warning;
  finding.confidence = Confidence::likely;
  finding.explanation = "JAX asks for " + std::to_string(wanted) + " MiB of this GPU with its first operation and " +
                        std::to_string(gpu.free_mib) + " are free: it takes what it gets, and whoever shares the GPU " +
                        "gets no more." + (who.empty() ? "" : " Others there: " + who + ".");
  finding.fix = {{.text = "Let JAX take memory as it needs it, or a smaller share (XLA_PYTHON_CLIENT_MEM_FRACTION).",
                  .command = "export XLA_PYTHON_CLIENT_PREALLOCATE=false"}};
}

void run(const Snapshot& snapshot, Answers& answers) {
  if (const std::string why = no_matter(snapshot); !why.empty()) return answers.not_applicable(id, why);
  if (!snapshot.jax.get()) return answers.unknown(id, why_unknown("/jax", snapshot.jax));
  const Wish wish = wish_of(snapshot);
  if (!wish.known) return answers.unknown(id, why_unknown("/env", snapshot.env));
  if (!wish.in_advance) return answers.sound(id);
  const auto devices = of(snapshot.nvidia, &Nvidia::devices);
  if (!devices.get()) return answers.unknown(id, why_unknown("/nvidia/devices", devices));
  const GpuMemories memory = visible_gpu_memory(snapshot);
  bool found = false;
  for (const GpuMemory& gpu : memory.gpus) {
    if (nearly_full(gpu)) return answers.not_applicable(id, "the GPU is full already: memory.occupied");
    if (static_cast<double>(gpu.free_mib) >= wish.share * static_cast<double>(gpu.total_mib)) continue;
    tell(snapshot, gpu, wish, answers);
    found = true;
  }
  if (found) return;
  if (!memory.all_known) return answers.unknown(id, "/nvidia/devices: free memory is not known");
  answers.sound(id);
}

}  // namespace

Check memory_preallocated() { return {{id}, run}; }

}  // namespace envdoctor

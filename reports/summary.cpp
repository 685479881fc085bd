#include "reports/summary.h"

#include <fmt/format.h>

#include <map>

#include "checks/facts/facts.h"
#include "checks/facts/gpus.h"
#include "evidence/lines.h"

namespace envdoctor {
namespace {

void add(std::string& list, const std::string& item) {
  if (!item.empty()) list += (list.empty() ? "" : ", ") + item;
}

std::string host_line(const Snapshot& snapshot) {
  std::string line;
  if (const auto* host = snapshot.host.get()) {
    if (host->os.get()) add(line, *host->os.get());
    if (host->kernel.get()) add(line, "kernel " + *host->kernel.get());
    if (host->arch.get()) add(line, *host->arch.get());
    if (host->platform.is("wsl2")) add(line, "WSL2");
    if (host->container.get() && *host->container.get() != "none") add(line, *host->container.get() + " container");
  }
  if (const auto threads = of(snapshot.cpu, &Cpu::threads); threads.get())
    add(line, fmt::format("{} CPUs", *threads.get()));
  if (const auto total = of(snapshot.memory, &Memory::total_mib); total.get()) add(line, size_text(*total.get()));
  return line;
}

std::string driver_line(const Snapshot& snapshot) {
  std::string line;
  const auto version = of(snapshot.nvidia, &Nvidia::kernel_driver_version);
  const auto cuda = of(snapshot.nvidia, &Nvidia::cuda_driver_version);
  if (version.get()) add(line, "NVIDIA driver " + *version.get());
  if (cuda.get()) add(line, "CUDA up to " + *cuda.get());
  if (const auto rocm = of(snapshot.rocm, &Rocm::version); rocm.get()) add(line, "ROCm " + *rocm.get());
  if (const auto* toolkits = snapshot.toolkits.get()) {
    for (const Toolkit& toolkit : *toolkits)
      add(line, "CUDA toolkit" + (toolkit.version.get() ? " " + *toolkit.version.get()
                                  : toolkit.path.get()  ? " " + *toolkit.path.get()
                                                        : ""));
  }
  if (snapshot.toolkits.get() && !snapshot.toolkits.get()->empty() && version.outcome() == Outcome::absent)
    add(line, "no NVIDIA driver");
  return line;
}

std::string framework_line(const Snapshot& snapshot) {
  std::string line;
  const auto name = [&](std::string_view what, const Text& version) {
    if (version.get()) add(line, fmt::format("{} {}", what, *version.get()));
  };
  name("TensorFlow", of(snapshot.tensorflow, &Tensorflow::version));
  name("Keras", of(snapshot.keras, &Keras::version));
  name("PyTorch", of(snapshot.torch, &Torch::version));
  name("JAX", of(snapshot.jax, &Jax::version));
  return line;
}

}  // namespace

std::string opencl_line(const Snapshot& snapshot) {
  std::string line;
  const auto platforms = of(snapshot.opencl, &Opencl::platforms);
  if (!platforms.get()) return line;
  for (const OpenclPlatform& platform : *platforms.get()) {
    std::string devices;
    if (const auto* list = platform.devices.get()) {
      std::map<std::string, int> types;
      for (const OpenclDevice& device : *list) ++types[device.type.get() ? *device.type.get() : "device"];
      for (const auto& [type, count] : types) add(devices, count > 1 ? fmt::format("{} x {}", count, type) : type);
      if (list->empty()) devices = "no device";
    }
    add(line, (platform.name.get() ? *platform.name.get() : "platform without a name") +
                  (devices.empty() ? "" : " (" + devices + ")"));
  }
  return line;
}

std::string check_counts(const Report& report) {
  const auto count = [&](CheckState state) { return std::ranges::count(report.checks, state, &CheckResult::state); };
  return fmt::format("{} diagnoses checked: {} failed, {} passed, {} unknown, {} not applicable", report.checks.size(),
                     count(CheckState::failed), count(CheckState::passed), count(CheckState::unknown),
                     count(CheckState::not_applicable));
}

std::vector<const Finding*> consequences_of(const Finding& finding, const std::vector<Finding>& all) {
  std::vector<const Finding*> list;
  for (const Finding& other : all) {
    if (std::ranges::find(other.caused_by, finding.id) != other.caused_by.end()) list.push_back(&other);
  }
  return list;
}

std::string place_of(const Evidence& evidence) {
  return evidence.source.empty() ? evidence.path : fmt::format("{}:{}", evidence.source, evidence.line);
}

std::vector<GpuGroup> groups_of(const std::vector<GpuStack>& stacks) {
  const auto alike = [](const GpuStack* a, const GpuStack* b) {
    const LayerResult *one = a->first_broken(), *other = b->first_broken();
    return a->name == b->name && a->stack == b->stack && (one ? one->why : "") == (other ? other->why : "") &&
           std::ranges::equal(a->layers, b->layers, {}, &LayerResult::state, &LayerResult::state);
  };
  std::vector<GpuGroup> groups;
  for (std::size_t i = 0; i < stacks.size();) {
    GpuGroup group{.subjects = {stacks[i].subject}};
    for (; i < stacks.size() && stacks[i].subject == group.subjects.front(); ++i) group.stacks.push_back(&stacks[i]);
    const auto same = std::ranges::find_if(
        groups, [&](const GpuGroup& g) { return std::ranges::equal(g.stacks, group.stacks, alike); });
    if (same == groups.end()) {
      groups.push_back(std::move(group));
    } else {
      same->subjects.push_back(group.subjects.front());
    }
  }
  return groups;
}

std::string host_summary(const Snapshot& snapshot) {
  std::string out;
  const auto row = [&](std::string_view label, const std::string& text) {
    if (!text.empty()) out += wrap(fmt::format("{:<12}", label), text);
  };
  row("host", host_line(snapshot));
  row("drivers", driver_line(snapshot));
  row("OpenCL", opencl_line(snapshot));
  row("Python", framework_line(snapshot));
  return out;
}

}  // namespace envdoctor

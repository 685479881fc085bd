#include "reports/summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "checks/facts/facts.h"
#include "checks/facts/gpus.h"
#include "reports/text/show_rows.h"

namespace envdoctor {
namespace {

std::string host_line(const Snapshot& snapshot) {
  const HostFacts& host = snapshot.host.or_empty();
  const Number &threads = of(snapshot.cpu, &Cpu::threads), total = of(snapshot.memory, &Memory::total_mib);
  return joined({value(host.os), value(host.kernel, "kernel "), value(host.arch),
                 host.platform.is("wsl2") ? "WSL2" : "",
                 host.container.is("none") ? "" : value(host.container, "", " container"), value(threads, "", " CPUs"),
                 total.get() ? size_text(*total.get()) : ""});
}

std::string driver_line(const Snapshot& snapshot) {
  const Text version = of(snapshot.nvidia, &Nvidia::kernel_driver_version);
  std::string line =
      joined({value(version, "NVIDIA driver "), value(of(snapshot.nvidia, &Nvidia::cuda_driver_version), "CUDA up to "),
              value(of(snapshot.rocm, &Rocm::version), "ROCm ")});
  for (const Toolkit& toolkit : snapshot.toolkits.or_empty())
    line = joined({line, "CUDA toolkit" + value(toolkit.version.get() ? toolkit.version : toolkit.path, " ")});
  const bool toolkit_alone = !snapshot.toolkits.or_empty().empty() && version.outcome() == Outcome::absent;
  return joined({line, toolkit_alone ? "no NVIDIA driver" : ""});
}

std::string framework_line(const Snapshot& snapshot) {
  return joined({value(of(snapshot.tensorflow, &Tensorflow::version), "TensorFlow "),
                 value(of(snapshot.keras, &Keras::version), "Keras "),
                 value(of(snapshot.torch, &Torch::version), "PyTorch "),
                 value(of(snapshot.jax, &Jax::version), "JAX ")});
}

// "PoCL 3.1 (cpu), rusticl (no device)": empty: none known.
std::string opencl_line(const Snapshot& snapshot) {
  std::string line;
  for (const OpenclPlatform& platform : of(snapshot.opencl, &Opencl::platforms).or_empty()) {
    std::map<std::string, int> types;
    for (const OpenclDevice& device : platform.devices.or_empty()) ++types[device.type.value_or("device")];
    std::string devices = platform.devices.get() && types.empty() ? "no device" : "";
    for (const auto& [type, count] : types)
      devices = joined({devices, count > 1 ? fmt::format("{} x {}", count, type) : type});
    line = joined(
        {line, platform.name.value_or("platform without a name") + (devices.empty() ? "" : " (" + devices + ")")});
  }
  return line;
}

}  // namespace

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
  if (evidence.source.empty()) return evidence.path;
  if (evidence.line == 0) return evidence.source;  // the whole text
  return evidence.cell > 0 ? fmt::format("{}, cell {}, line {}", evidence.source, evidence.cell, evidence.line)
                           : fmt::format("{}:{}", evidence.source, evidence.line);
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

std::string no_known_cause(const Undetermined& undetermined) {
  return fmt::format(
      "no known cause in {} {}",
      undetermined.lines == 1 ? "this one line of" : fmt::format("these {} lines of", undetermined.lines), "text");
}

std::vector<std::string> excluded_words(const Undetermined& undetermined) {
  std::vector<std::string> words;
  for (const std::string& id : undetermined.excluded) {
    const Diagnosis* row = find_diagnosis(id);
    words.push_back(row ? fmt::format("{}: {}", id, row->disproof) : id);
  }
  return words;
}

}  // namespace envdoctor

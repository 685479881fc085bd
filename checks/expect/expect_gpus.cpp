// Expectations about the GPUs: how many, which, how much memory, how wide a link, by which stack.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "checks/engine/stacks.h"
#include "checks/expect/expect_keys.h"
#include "checks/facts/facts.h"
#include "checks/facts/presence.h"
#include "knowledge/lower_case.h"

namespace envdoctor {
namespace {

// Whether `word` occurs in `text` as a whole word: A10 is not in A100.
bool has_word(const std::string& text, const std::string& word) {
  const auto part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  const std::string in = lower_case(text), of = lower_case(word);
  for (auto found = in.find(of); found != in.npos; found = in.find(of, found + 1)) {
    const auto end = found + of.size();
    if ((found == 0 || !part(in[found - 1])) && (end == in.size() || !part(in[end]))) return true;
  }
  return false;
}

// Gives a value of a GPU, and its place.
using Read = std::pair<Number, std::string>(const Snapshot&, const Gpu&);

// Every granted GPU has `what`, of at least what was expected.
Judged judge_each(const Report& report, const std::string& what, std::int64_t wanted, Read read) {
  const auto gpus = granted_gpus(report.snapshot);
  Judged judged{.met = Met::yes};
  if (gpus.empty()) return {Met::unknown, "There is no GPU here whose " + what + " could be looked at.", {}};
  for (const Gpu& gpu : gpus) {
    const auto [value, path] = read(report.snapshot, gpu);
    if (!value.get()) {
      if (judged.met == Met::yes) judged.met = Met::unknown;
      judged.explanation += fmt::format("{}: {} is not known. ", gpu.subject(), what);
    } else if (*value.get() < wanted) {
      judged.met = Met::no;
      judged.explanation +=
          fmt::format("{}: {} is {}, {} or more was expected. ", gpu.subject(), what, *value.get(), wanted);
      judged.evidence.push_back(evidence(path, std::to_string(*value.get())));
    }
  }
  if (!judged.explanation.empty()) judged.explanation.pop_back();
  if (judged.met == Met::yes) judged.explanation = fmt::format("{} is {} or more on every GPU.", what, wanted);
  return judged;
}

std::pair<Number, std::string> memory_of(const Snapshot& snapshot, const Gpu& gpu) {
  if (const auto* devices = of(snapshot.nvidia, &Nvidia::devices).get(); devices && gpu.nvml_index >= 0) {
    const auto i = static_cast<std::size_t>(gpu.nvml_index);
    return {(*devices)[i].memory_total_mib, at("/nvidia/devices", i, "memory_total_mib")};
  }
  const auto by_address = [&](const auto& list, const char* path) -> std::pair<Number, std::string> {
    for (std::size_t i = 0; i < list.or_empty().size() && !gpu.address.empty(); ++i) {
      const auto& device = list.or_empty()[i];
      if (address_of(device.pci_address) == gpu.address)
        return {device.memory_total_mib, at(path, i, "memory_total_mib")};
    }
    return {};
  };
  if (gpu.vendor == Vendor::amd) return by_address(of(snapshot.rocm, &Rocm::devices), "/rocm/devices");
  if (gpu.vendor == Vendor::intel)
    return by_address(of(snapshot.level_zero, &LevelZero::devices), "/level_zero/devices");
  return by_address(of(snapshot.nvidia, &Nvidia::cuda_devices), "/nvidia/cuda_devices");
}

std::pair<Number, std::string> width_of(const Snapshot& snapshot, const Gpu& gpu) {
  if (!snapshot.pci.get() || gpu.pci_index < 0) return {};
  const auto i = static_cast<std::size_t>(gpu.pci_index);
  return {of((*snapshot.pci.get())[i].link, &PciLink::width), at("/pci", i, "link/width")};
}

// The minimum over all GPUs; empty where it isn't known for all.
std::string least(const Report& report, Read read) {
  std::int64_t smallest = INT64_MAX;
  for (const Gpu& gpu : granted_gpus(report.snapshot)) {
    const auto [value, path] = read(report.snapshot, gpu);
    if (!value.get()) return {};
    smallest = std::min(smallest, *value.get());
  }
  return smallest == INT64_MAX ? std::string() : std::to_string(smallest);
}

}  // namespace

std::vector<Gpu> granted_gpus(const Snapshot& snapshot) {
  auto gpus = gpus_of(snapshot);
  std::erase_if(gpus, [](const Gpu& gpu) { return !gpu.granted; });
  return gpus;
}

Judged judge_gpus(const Report& report, const Expectation& expectation) {
  const auto wanted = std::stoll(expectation.value);
  const auto gpus = gpus_of(report.snapshot);
  const auto granted = std::ranges::count(gpus, true, &Gpu::granted);
  const Flag any = has_any_gpu(report.snapshot);
  const std::string counted = fmt::format(
      "{} GPU{} expected, {} found{}.", wanted, wanted == 1 ? " was" : "s were", granted,
      granted < std::ssize(gpus) ? fmt::format(" ({} more are not granted here)", std::ssize(gpus) - granted) : "");
  if (granted == 0 && !any.get()) return not_known("The number of GPUs", "/pci", any);
  return {granted == wanted ? Met::yes : Met::no, counted, {evidence("/pci", fmt::format("{} GPUs", granted))}};
}

Judged judge_gpu(const Report& report, const Expectation& expectation) {
  const auto gpus = granted_gpus(report.snapshot);
  if (gpus.empty()) {
    const Flag any = has_any_gpu(report.snapshot);
    return {any.is(false) ? Met::no : Met::unknown,
            fmt::format("No GPU is seen here; {} was expected.", expectation.value),
            {}};
  }
  Judged judged{.met = Met::yes, .explanation = fmt::format("Every GPU is {}.", expectation.value)};
  for (const Gpu& gpu : gpus) {
    if (has_word(gpu.name, expectation.value) || has_word(gpu.chip, expectation.value)) continue;
    judged = {gpu.name.empty() && gpu.chip.empty() ? Met::unknown : Met::no,
              fmt::format("{} is {}; {} was expected.", gpu.subject(), gpu.name.empty() ? "of no known name" : gpu.name,
                          expectation.value),
              {}};
    if (gpu.pci_index >= 0)
      judged.evidence.push_back(
          evidence(at("/pci", static_cast<std::size_t>(gpu.pci_index), "device_id"), gpu.device_id));
    if (judged.met == Met::no) break;
  }
  return judged;
}

Judged judge_gpu_memory(const Report& report, const Expectation& expectation) {
  return judge_each(report, "the memory in MiB", mib_of(expectation.value), memory_of);
}

Judged judge_link_width(const Report& report, const Expectation& expectation) {
  return judge_each(report, "the number of PCIe lanes", std::stoll(expectation.value), width_of);
}

Judged judge_stack(const Report& report, const Expectation& expectation) {
  Judged judged{.met = Met::yes, .explanation = fmt::format("{} works on every GPU.", expectation.value)};
  const auto gpus = granted_gpus(report.snapshot);
  for (const Gpu& gpu : gpus) {
    const auto gpu_stack = std::ranges::find_if(
        report.stacks, [&](const GpuStack& l) { return l.subject == gpu.subject() && l.stack == expectation.value; });
    if (gpu_stack != report.stacks.end() && ok_through(*gpu_stack, Layer::runtime)) continue;
    const LayerResult* broken = gpu_stack == report.stacks.end() ? nullptr : gpu_stack->first_broken();
    const bool no = broken || gpu_stack == report.stacks.end();
    judged = {
        no ? Met::no : Met::unknown,
        broken ? fmt::format("{} is broken at {} for {} ({}).", expectation.value, text(broken->layer), gpu.subject(),
                             broken->why)
        : no   ? fmt::format("{} has no {}.", gpu.subject(), expectation.value)
               : fmt::format("Nothing shows that {} works up to its runtime for {}.", expectation.value, gpu.subject()),
        {}};
    if (no) break;
  }
  if (gpus.empty()) judged = {Met::unknown, "There is no GPU here for " + expectation.value + ".", {}};
  return judged;
}

std::string learn_gpus(const Report& report) {
  return has_any_gpu(report.snapshot).get() ? std::to_string(granted_gpus(report.snapshot).size()) : std::string();
}

std::string learn_gpu(const Report& report) {
  const auto gpus = granted_gpus(report.snapshot);
  const std::string name = gpus.empty() ? "" : gpus.front().name;
  const bool same = std::ranges::all_of(gpus, [&](const Gpu& gpu) { return gpu.name == name; });
  return same && name.size() <= 100 && has_word(name, name) ? name : "";
}

std::string learn_gpu_memory(const Report& report) {
  const std::string mib = least(report, memory_of);
  return mib.empty() ? mib : mib + "MiB";
}
std::string learn_link_width(const Report& report) { return least(report, width_of); }

std::string learn_stack(const Report& report) {
  for (const char* stack : {"cuda", "rocm", "level-zero", "opencl"}) {
    if (judge_stack(report, {"stack", stack}).met == Met::yes) return stack;
  }
  return {};
}

}  // namespace envdoctor

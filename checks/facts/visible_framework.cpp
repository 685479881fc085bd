// What SYCL's variable, by the grammar of Intel's DPC++ documentation, and a framework's build and variables select
// from the devices of the runtime below.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "checks/facts/facts.h"
#include "checks/facts/presence.h"
#include "checks/facts/visible.h"
#include "knowledge/lower_case.h"

namespace envdoctor {
namespace {

bool for_amd(const Snapshot& snapshot, const std::string& framework) {
  if (framework == "torch") return framework_version(snapshot, framework).find("+rocm") != std::string::npos;
  if (framework == "tensorflow") return package_installed(snapshot, "tensorflow-rocm").is(true);
  return package_installed(snapshot, "jax-rocm60-plugin").is(true) ||
         package_installed(snapshot, "jax-rocm7-plugin").is(true);
}

bool without_gpu(const Snapshot& snapshot, const std::string& framework) {
  const std::string version = framework_version(snapshot, framework);
  if (framework == "torch")
    return version.find("+cpu") != std::string::npos ||
           of(snapshot.torch, &Torch::cuda_version).outcome() == Outcome::absent;
  return framework == "tensorflow" && of(snapshot.tensorflow, &Tensorflow::built_with_cuda).is(false);
}

// The framework's own answer: the number of its GPUs and their names. None: it wasn't queried.
struct Answer {
  std::size_t count = 0;
  std::vector<VisibleDevice> devices{};  // as far as it names them
};

std::optional<Answer> answer_of(const Snapshot& snapshot, const std::string& framework) {
  Answer answer;
  if (framework == "tensorflow") {
    const Number& count = of(snapshot.tensorflow, &Tensorflow::visible_gpus);
    if (!count.get() || *count.get() < 0) return {};
    answer.count = static_cast<std::size_t>(*count.get());
    return answer;
  }
  if (framework == "torch") {
    const Number& count = of(snapshot.torch, &Torch::device_count);
    if (!count.get() || *count.get() < 0) return {};
    answer.count = static_cast<std::size_t>(*count.get());
    for (const TorchDevice& device : of(snapshot.torch, &Torch::devices).or_empty())
      answer.devices.push_back({text_of(device.uuid), {}, text_of(device.name), -1});
    return answer;
  }
  const auto& devices = of(snapshot.jax, &Jax::devices);
  if (!devices.get()) return {};
  for (const std::string& device : *devices.get()) {
    const std::string name = lower_case(device);
    answer.count += name.starts_with("cuda") || name.starts_with("gpu") || name.starts_with("rocm");
  }
  return answer;
}

std::string name_of(const std::string& framework) {
  return framework == "torch" ? "PyTorch" : framework == "jax" ? "JAX" : "TensorFlow";
}

// The framework's own list takes precedence over one computed from variables.
void take_answer(VisibleList& list, const std::string& framework, const Answer& answer) {
  list.observed = true;
  list.unknown.clear();
  if (answer.count == list.devices.size()) return;
  const std::string who = name_of(framework);
  if (answer.count > list.devices.size()) {
    std::erase_if(list.hidden, [](const HiddenDevice& hidden) { return hidden.by != "grant"; });
    list.devices = answer.devices;
    list.devices.resize(answer.count);
    return;
  }
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < list.devices.size(); ++i) {
    if (find_same(answer.devices, list.devices[i])) kept.push_back(i);
  }
  if (kept.size() != answer.count) {  // its names don't show which ones they are
    list.order_guessed = answer.count > 0;
    kept.resize(answer.count);
    for (std::size_t i = 0; i < kept.size(); ++i) kept[i] = i;
  }
  keep(list, kept, {who + "'s own list", "", ""},
       fmt::format("{} itself lists {} device{}", who, answer.count, answer.count == 1 ? "" : "s"));
}

// JAX_PLATFORMS=cpu, or the older JAX_PLATFORM_NAME: a list that names no kind of GPU.
bool leaves_cpu_only(const std::string& platforms) {
  const auto entries = entries_of(platforms);
  return !entries.empty() && std::ranges::none_of(entries, [](const std::string& e) {
    return e == "cuda" || e == "gpu" || e == "rocm" || e == "oneapi" || e.empty();
  });
}

// The parts between the marks, without blanks and in lower case; empty ones are left out.
std::vector<std::string> split(std::string_view text, char mark) {
  std::vector<std::string> parts(1);
  for (const char c : lower_case(text)) {
    if (c == mark) parts.emplace_back();
    if (c != mark && c != ' ') parts.back() += c;
  }
  std::erase(parts, "");
  return parts;
}

// One device of a term: *, gpu, or a number; the sub-device behind a point counts as its device.
bool names_device(const std::string& word, std::size_t device) {
  return word == "*" || word == "gpu" || word.substr(0, word.find('.')) == std::to_string(device);
}

// "level_zero:0,1" or "*:gpu" for this device.
bool names(const std::string& term, std::size_t device) {
  const std::size_t colon = term.find(':');
  if (colon == std::string::npos) return false;
  const std::string backend = term.substr(0, colon);
  if (backend != "*" && backend != "level_zero") return false;
  const auto words = split(std::string_view(term).substr(colon + 1), ',');
  return std::ranges::any_of(words, [device](const std::string& word) { return names_device(word, device); });
}

}  // namespace

std::vector<std::size_t> select_jax(std::string_view value, std::size_t devices) {
  std::set<std::size_t> kept;
  for (const std::string& entry : entries_of(value)) {
    if (entry == "all" || value.empty()) {
      for (std::size_t i = 0; i < devices; ++i) kept.insert(i);
    } else if (entry.find_first_not_of("0123456789") == std::string::npos && !entry.empty() && entry.size() < 6) {
      if (const std::size_t number = std::stoul(entry); number < devices) kept.insert(number);
    }
  }
  return {kept.begin(), kept.end()};
}

namespace {

// The devices that the build and the variables leave.
VisibleList worked_out(const Snapshot& snapshot, const std::string& framework) {
  const bool amd = for_amd(snapshot, framework);
  VisibleList list = amd ? visible_to_rocm(snapshot) : visible_to_cuda(snapshot);
  list.stack = framework;
  if (without_gpu(snapshot, framework)) {
    keep(list, {}, {"build", framework_version(snapshot, framework), ""},
         "the installed " + framework + " is a CPU-only build");
    list.unknown.clear();
  }
  if (framework != "jax") return list;
  for (const char* name : {"JAX_PLATFORMS", "JAX_PLATFORM_NAME"}) {
    const std::string platforms = env_of(snapshot, name).or_empty();
    if (platforms.empty()) continue;
    if (leaves_cpu_only(platforms)) keep(list, {}, {name, platforms, ""}, std::string(name) + " names no GPU platform");
    break;
  }
  // A set of numbers, counted in the runtime's list; its order doesn't matter.
  const std::string name = amd ? "JAX_ROCM_VISIBLE_DEVICES" : "JAX_CUDA_VISIBLE_DEVICES";
  const std::string value = env_of(snapshot, name).or_empty();
  if (!value.empty() && value != "all")
    keep(list, select_jax(value, list.devices.size()), {name, value, ""}, "not named by " + name);
  return list;
}

}  // namespace

VisibleList visible_to_framework(const Snapshot& snapshot, const std::string& framework) {
  VisibleList list = worked_out(snapshot, framework);
  list.observed = false;
  if (const auto answer = answer_of(snapshot, framework)) take_answer(list, framework, *answer);
  return list;
}

std::vector<std::size_t> select_sycl(std::string_view value, std::size_t devices) {
  const auto terms = split(value, ';');
  const bool only_exclusions =
      std::ranges::all_of(terms, [](const std::string& term) { return term.starts_with("!"); });
  std::vector<std::size_t> kept;
  for (std::size_t device = 0; device < devices; ++device) {
    // Terms that exclude begin with '!', as no backend's name does.
    const bool wanted =
        only_exclusions || std::ranges::any_of(terms, [&](const auto& term) { return names(term, device); });
    const bool excluded = std::ranges::any_of(
        terms, [&](const auto& term) { return term.starts_with("!") && names(term.substr(1), device); });
    if (wanted && !excluded) kept.push_back(device);
  }
  return kept;
}

VisibleList visible_to_sycl(const Snapshot& snapshot) {
  VisibleList list = visible_to_level_zero(snapshot);
  list.stack = "sycl";
  constexpr const char* name = "ONEAPI_DEVICE_SELECTOR";
  const std::string value = env_of(snapshot, name).or_empty();
  if (!value.empty())
    keep(list, select_sycl(value, list.devices.size()), {name, value, ""}, std::string("not selected by ") + name);
  return list;
}

}  // namespace envdoctor

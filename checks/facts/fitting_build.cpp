#include "checks/facts/fitting_build.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "checks/facts/facts.h"
#include "checks/facts/gpus.h"
#include "checks/facts/presence.h"
#include "checks/python/package_facts.h"
#include "knowledge/frameworks/fitting_builds.h"
#include "knowledge/gpus/drivers.h"

namespace envdoctor {
namespace {

// The least capable NVIDIA GPU of this job: a build that supports it usually supports the others too.
std::string capability_of(const Snapshot& snapshot) {
  std::string least;
  for (const Gpu& gpu : gpus_of(snapshot)) {
    if (gpu.vendor != Vendor::nvidia || !gpu.granted || gpu.compute_capability.empty()) continue;
    if (least.empty() || knowledge::compare_versions(gpu.compute_capability, least) < 0) least = gpu.compute_capability;
  }
  return least;
}

knowledge::BuildNeeds needs_of(const Snapshot& snapshot) {
  knowledge::BuildNeeds needs{.capability = capability_of(snapshot),
                              .python = text_of(of(snapshot.python, &Python::version))};
  const Text platform = of(snapshot.host, &HostFacts::platform);
  // Windows numbers its drivers differently, also in WSL.
  const bool other_numbers = platform.is("windows") || platform.is("wsl2");
  const std::string driver = text_of(of(snapshot.nvidia, &Nvidia::kernel_driver_version));
  if (!other_numbers) needs.driver = driver;
  needs.max_cuda = text_of(of(snapshot.nvidia, &Nvidia::cuda_driver_version));
  if (needs.max_cuda.empty() && !driver.empty()) needs.max_cuda = knowledge::max_cuda_of_driver(driver).value_or("");
  return needs;
}

// "cu124", as PyTorch's versions and indexes name a build.
std::string tag_of(const knowledge::FittingBuild& build) {
  std::string tag = "cu" + build.cuda;
  std::erase(tag, '.');
  return tag;
}

std::string index_of(const knowledge::FittingBuild& build) {
  return " --index-url https://download.pytorch.org/whl/" + tag_of(build);
}

// What pip is given.
std::string words_for(const std::string& framework, const knowledge::FittingBuild& build) {
  if (framework == "torch") return fmt::format("\"torch=={}.*\"", build.version) + index_of(build);
  if (framework == "jax") return fmt::format("\"jax[cuda{}]=={}\"", build.cuda, build.version);
  if (framework == "vllm") return fmt::format("\"vllm=={}\"", build.version);
  return fmt::format("\"tensorflow=={}.*\"", build.version);
}

bool speaks_of_vllm(const Snapshot& snapshot) {
  const auto about = [](const ReadText& text) {
    const auto& words = text.about.or_empty();
    return std::ranges::find(words, "vllm*") != words.end();
  };
  return package_installed(snapshot, "vllm").is(true) || std::ranges::any_of(snapshot.texts.or_empty(), about);
}

}  // namespace

std::optional<Fix> fitting_build(const Snapshot& snapshot, const std::string& framework, bool python_alone,
                                 const knowledge::BuildNeeds& stated) {
  static const std::map<std::string, std::string> names = {
      {"torch", "PyTorch"}, {"tensorflow", "TensorFlow"}, {"jax", "JAX"}, {"vllm", "vLLM"}};
  const auto name = names.find(framework);
  if (name == names.end()) return {};
  knowledge::BuildNeeds needs = needs_of(snapshot);
  if (needs.driver.empty() && needs.max_cuda.empty()) needs.max_cuda = stated.max_cuda;
  if (needs.capability.empty()) needs.capability = stated.capability;
  const bool gpu_known = !needs.driver.empty() || !needs.max_cuda.empty() || !needs.capability.empty();
  if (python_alone ? needs.python.empty() : !gpu_known) return {};
  const auto build = knowledge::newest_fitting_build(framework, needs);
  if (!build) return {};
  std::string takers;
  const auto taker = [&](const std::string& who) { takers += (takers.empty() ? "" : ", ") + who; };
  if (!needs.driver.empty())
    taker("driver " + needs.driver);
  else if (!needs.max_cuda.empty())
    taker("a driver for CUDA " + needs.max_cuda);
  if (!needs.capability.empty()) taker("compute capability " + needs.capability);
  if (!needs.python.empty()) taker("Python " + knowledge::major_minor_of(needs.python));
  Fix fix{.text =
              fmt::format("The newest {} that fits {} is {}{} for CUDA {} ({}).", name->second, takers, build->version,
                          build->torch.empty() ? "" : " with PyTorch " + build->torch, build->cuda, build->table)};
  install_by_pip(snapshot, words_for(framework, *build), fix);
  return fix;
}

namespace {

std::string installed_version(const Snapshot& snapshot, const std::string& framework) {
  if (framework == "torch") return text_of(of(snapshot.torch, &Torch::version));
  if (framework == "jax") return text_of(of(snapshot.jax, &Jax::jaxlib_version));
  const std::string version = text_of(of(snapshot.tensorflow, &Tensorflow::version));
  return version.empty() ? listed_version(snapshot, "tensorflow-cpu") : version;
}

// What pip is given. A local version ("2.5.1+cu124") is another one than "2.5.1+cpu", so pip replaces it.
std::string pip_words(const Snapshot& snapshot, const std::string& framework, const std::string& release,
                      const knowledge::FittingBuild& build) {
  if (framework == "tensorflow" && knowledge::compare_versions(build.version, "2.14") >= 0)
    return fmt::format("\"tensorflow[and-cuda]=={}.*\"", build.version);
  if (framework != "torch") return words_for(framework, build);
  const std::string tag = tag_of(build);
  const bool same = knowledge::major_minor_of(release) == build.version;
  std::string words =
      same ? fmt::format("\"torch=={}+{}\"", release, tag)
           : fmt::format("{}\"torch=={}.*\"", release.empty() ? "--force-reinstall " : "", build.version);
  for (const char* name : {"torchvision", "torchaudio"}) {
    const std::string listed = release_of(listed_version(snapshot, name));
    if (!listed.empty()) words += same ? fmt::format(" \"{}=={}+{}\"", name, listed, tag) : fmt::format(" {}", name);
  }
  return words + index_of(build);
}

}  // namespace

std::optional<Fix> gpu_build(const Snapshot& snapshot, const std::string& framework) {
  static const std::map<std::string, std::string> names = {
      {"torch", "PyTorch"}, {"tensorflow", "TensorFlow"}, {"jax", "JAX"}};
  const HostFacts host = snapshot.host.or_empty();
  const bool no_wheels =
      host.platform.is("macos") || host.arch.is("aarch64") || (host.platform.is("windows") && framework != "torch");
  knowledge::BuildNeeds needs = needs_of(snapshot);
  if (no_wheels || !names.contains(framework) || (needs.driver.empty() && needs.max_cuda.empty())) return {};
  const std::string release = release_of(installed_version(snapshot, framework));
  needs.release = framework == "jax" ? release : knowledge::major_minor_of(release);
  auto build = needs.release.empty() ? std::nullopt : knowledge::newest_fitting_build(framework, needs);
  needs.release.clear();
  if (!build) build = knowledge::newest_fitting_build(framework, needs);
  if (!build) return {};
  const std::string words = pip_words(snapshot, framework, release, *build);
  const std::string driver = needs.driver.empty() ? "a driver for CUDA " + needs.max_cuda : "driver " + needs.driver;
  Fix fix{.text = fmt::format(
              "{} {} has a build for CUDA {} that {}{} can use ({}).", names.at(framework), build->version, build->cuda,
              driver, needs.capability.empty() ? "" : " and compute capability " + needs.capability, build->table)};
  std::string removed;
  for (const char* name : {"tensorflow-cpu", "intel-tensorflow"}) {
    if (framework == "tensorflow" && package_installed(snapshot, name).is(true)) removed = name;
  }
  if (removed.empty()) {
    install_by_pip(snapshot, words, fix);
  } else {
    fix.text += " It shares its folder with " + removed + ", which has to be removed first.";
    exchange_by_pip(snapshot, removed, words, fix);
  }
  return fix;
}

std::optional<Fix> fitting_build_in_use(const Snapshot& snapshot, const std::string& framework,
                                        const knowledge::BuildNeeds& stated) {
  if (framework == "torch" && speaks_of_vllm(snapshot)) {
    if (auto vllm = fitting_build(snapshot, "vllm", false, stated)) return vllm;
  }
  return fitting_build(snapshot, framework, false, stated);
}

std::optional<Fix> fitting_flash_attention(const Snapshot& snapshot, const std::string& stated) {
  knowledge::BuildNeeds needs = needs_of(snapshot);
  if (needs.capability.empty()) needs.capability = stated;
  const std::string least = knowledge::lowest_capability_of_flash_attention();
  if (!needs.capability.empty() && knowledge::compare_versions(needs.capability, least) < 0)
    return Fix{.text = fmt::format("No build of flash-attn takes compute capability {}, it needs {}: choose another "
                                   "attention, such as PyTorch's own (attn_implementation=\"sdpa\" in transformers).",
                                   needs.capability, least)};
  const std::string torch = text_of(of(snapshot.torch, &Torch::version));
  if (torch.empty()) return {};
  const std::string cuda = text_of(of(snapshot.torch, &Torch::cuda_version));
  const auto wheel = knowledge::flash_attention_wheel(torch, needs.python),
             newest = knowledge::flash_attention_wheel("", "");
  if (!wheel || (!cuda.empty() && !cuda.starts_with(wheel->cuda)))
    return Fix{.text =
                   fmt::format("No ready wheel of flash-attn is recorded for PyTorch {}{}{}: the newest PyTorch that "
                               "has one is {} for CUDA {} ({}). Otherwise it has to be compiled here "
                               "(pip install flash-attn --no-build-isolation).",
                               knowledge::major_minor_of(torch), cuda.empty() ? "" : " for CUDA " + cuda,
                               needs.python.empty() ? "" : " and Python " + knowledge::major_minor_of(needs.python),
                               newest->torch, newest->cuda, newest->table)};
  Fix fix{.text = fmt::format("flash-attn {} has a ready wheel for PyTorch {} and CUDA {}{} ({}).", wheel->version,
                              wheel->torch, wheel->cuda, wheel->file.empty() ? "" : ", " + wheel->file, wheel->table)};
  const HostFacts& host = snapshot.host.or_empty();
  if (!wheel->address.empty() && host.platform.is("linux") && host.arch.is("x86_64"))
    fix.command = pip_install(snapshot, wheel->address);
  return fix;
}

}  // namespace envdoctor

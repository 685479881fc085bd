#include "checks/facts/fitting_build.h"

#include <fmt/format.h>

#include <algorithm>

#include "checks/facts/gpus.h"
#include "checks/facts/presence.h"
#include "checks/python/package_facts.h"
#include "knowledge/frameworks/fitting_builds.h"
#include "knowledge/gpus/drivers.h"

namespace envdoctor {
namespace {

// The least capable NVIDIA GPU that was given to this job: what it takes, the others mostly take, too.
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
  // Windows numbers its drivers otherwise, also where WSL hands the number on.
  const bool other_numbers = platform.is("windows") || platform.is("wsl2");
  const std::string driver = text_of(of(snapshot.nvidia, &Nvidia::kernel_driver_version));
  if (!other_numbers) needs.driver = driver;
  needs.max_cuda = text_of(of(snapshot.nvidia, &Nvidia::cuda_driver_version));
  if (needs.max_cuda.empty() && !driver.empty()) needs.max_cuda = knowledge::max_cuda_of_driver(driver).value_or("");
  return needs;
}

std::string command_for(const Snapshot& snapshot, const std::string& framework, const knowledge::FittingBuild& build) {
  if (framework == "torch") {
    std::string tag = build.cuda;
    std::erase(tag, '.');
    return pip_install(
        snapshot, fmt::format("\"torch=={}.*\" --index-url https://download.pytorch.org/whl/cu{}", build.version, tag));
  }
  if (framework == "jax") return pip_install(snapshot, fmt::format("\"jax[cuda{}]=={}\"", build.cuda, build.version));
  return pip_install(snapshot, fmt::format("\"tensorflow=={}.*\"", build.version));
}

}  // namespace

std::optional<Fix> fitting_build(const Snapshot& snapshot, const std::string& framework, bool python_alone) {
  if (framework != "torch" && framework != "tensorflow" && framework != "jax") return {};
  const knowledge::BuildNeeds needs = needs_of(snapshot);
  const bool gpu_known = !needs.driver.empty() || !needs.max_cuda.empty() || !needs.capability.empty();
  if (python_alone ? needs.python.empty() : !gpu_known) return {};
  const auto build = knowledge::newest_fitting_build(framework, needs);
  if (!build) return {};
  const std::string name = framework == "torch" ? "PyTorch" : framework == "jax" ? "JAX" : "TensorFlow";
  std::string takers;
  const auto taker = [&](const std::string& who) { takers += (takers.empty() ? "" : ", ") + who; };
  if (!needs.driver.empty())
    taker("driver " + needs.driver);
  else if (!needs.max_cuda.empty())
    taker("a driver for CUDA " + needs.max_cuda);
  if (!needs.capability.empty()) taker("compute capability " + needs.capability);
  if (!needs.python.empty()) taker("Python " + knowledge::major_minor_of(needs.python));
  return Fix{.text = fmt::format("The newest {} that fits {} is {} for CUDA {} ({}).", name, takers, build->version,
                                 build->cuda, build->table),
             .command = command_for(snapshot, framework, *build)};
}

}  // namespace envdoctor

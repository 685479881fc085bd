#include "knowledge/frameworks/fitting_builds.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <vector>

#include "knowledge/frameworks/frameworks.h"
#include "knowledge/gpus/cuda_toolkits.h"
#include "knowledge/gpus/drivers.h"
#include "knowledge/table_rows.h"

namespace envdoctor::knowledge {
namespace {

// One variant of one release.
struct Build {
  FittingBuild names{};
  std::vector<std::string> pythons{};  // empty: not recorded
  std::string python_min{};
  std::string driver_min{};
  std::string lowest_capability{};
  std::vector<std::string> sass{}, ptx{};
};

std::string name_of(const Table& table, const char* file) {
  const auto rows = table["as_of"];
  return std::string(file) + (rows.empty() ? "" : ", " + rows.front().text("date"));
}

// Newest release first, and within a release the newest CUDA.
std::vector<Build> sorted(std::vector<Build> builds) {
  std::ranges::stable_sort(builds, [](const Build& a, const Build& b) {
    const int version = compare_versions(a.names.version, b.names.version);
    return version != 0 ? version > 0 : compare_versions(a.names.cuda, b.names.cuda) > 0;
  });
  return builds;
}

std::vector<Build> torch_builds() {
  const Table table("pytorch");
  std::vector<Build> builds;
  for (const Row& row : table["releases"]) {
    for (const Row& variant : row.children("cuda")) {
      Build build{.names = {row.text("version"), variant.text("cuda"), name_of(table, "pytorch.json")},
                  .pythons = row.texts("python")};
      if (const auto targets = torch_targets(build.names.version, build.names.cuda)) {
        build.sass = targets->sass;
        build.ptx = targets->ptx;
      } else if (const auto toolkit = targets_of_toolkit(build.names.cuda)) {
        // PyTorch leaves the oldest GPUs out before the toolkit does.
        build.lowest_capability = compare_versions(toolkit->lowest, "5.0") < 0 ? "5.0" : toolkit->lowest;
      }
      builds.push_back(std::move(build));
    }
  }
  return sorted(std::move(builds));
}

std::vector<Build> tensorflow_builds() {
  const Table table("tensorflow");
  std::vector<Build> builds;
  for (const std::string& release : tensorflow_releases()) {
    const auto needs = tensorflow_needs(release);
    if (!needs || needs->cuda.empty()) continue;
    builds.push_back({.names = {release, needs->cuda, name_of(table, "tensorflow.json")},
                      .pythons = needs->pythons,
                      .lowest_capability = needs->lowest_capability,
                      .sass = needs->sass,
                      .ptx = needs->ptx});
  }
  return sorted(std::move(builds));
}

std::vector<Build> jax_builds() {
  const Table table("jax");
  std::vector<Build> builds;
  for (const Row& row : table["releases"]) {
    for (const auto& [major, cuda] : row.texts_by_key("cuda_min")) {
      Build build{.names = {row.text("version"), major, name_of(table, "jax.json")},
                  .python_min = row.text_if("python_min")};
      if (const auto needs = jax_needs(row.text("version"), major)) {
        build.driver_min = needs->driver;
        build.lowest_capability = needs->lowest_capability;
      }
      builds.push_back(std::move(build));
    }
  }
  return sorted(std::move(builds));
}

// `pip install vllm` takes PyTorch from PyPI, whose CUDA decides which drivers and GPUs it supports.
std::vector<Build> vllm_builds() {
  std::map<std::string, std::string> cuda_of_torch;
  const Table pytorch("pytorch"), table("vllm");
  for (const Row& row : pytorch["releases"]) cuda_of_torch[row.text("version")] = row.text_if("pypi_default_cuda");
  std::vector<Build> builds;
  for (const Row& row : table["releases"]) {
    const std::string torch = row.text("torch"), cuda = cuda_of_torch[torch];
    if (cuda.empty()) continue;
    Build build{.names = {row.text("version"), cuda, name_of(table, "vllm.json"), torch},
                .pythons = row.texts("python"),
                .lowest_capability = row.text("compute_capability_min")};
    if (const auto targets = torch_targets(torch, cuda)) {
      build.sass = targets->sass;
      build.ptx = targets->ptx;
    }
    builds.push_back(std::move(build));
  }
  return sorted(std::move(builds));
}

bool takes_driver(const Build& build, const BuildNeeds& needs) {
  const int wanted = std::atoi(build.names.cuda.c_str());
  if (!needs.driver.empty()) {
    const auto least = build.driver_min.empty() ? min_driver_for_cuda(build.names.cuda) : build.driver_min;
    return least && compare_versions(needs.driver, *least) >= 0;
  }
  if (needs.max_cuda.empty()) return true;
  const int served = std::atoi(needs.max_cuda.c_str());
  return wanted >= 11 ? served >= wanted : compare_versions(needs.max_cuda, build.names.cuda) >= 0;
}

bool takes_gpu(const Build& build, const std::string& capability) {
  if (capability.empty()) return true;
  if (!build.lowest_capability.empty() && compare_versions(capability, build.lowest_capability) < 0) return false;
  if (build.sass.empty() && build.ptx.empty()) {
    // A build by a toolkit older than the GPU has no code for it.
    const auto first = first_toolkit_for(capability);
    return !first || compare_versions(build.names.cuda, *first) >= 0;
  }
  return std::ranges::any_of(build.sass, [&](const auto& code) { return native_code_runs(code, capability); }) ||
         std::ranges::any_of(build.ptx, [&](const auto& code) { return ptx_runs(code, capability); });
}

// If the Python is known, a release without a recorded range of Pythons isn't recommended.
bool takes_python(const Build& build, const std::string& python) {
  if (python.empty()) return true;
  if (!build.python_min.empty()) return compare_versions(python, build.python_min) >= 0;
  return std::ranges::find(build.pythons, major_minor_of(python)) != build.pythons.end();
}

}  // namespace

std::optional<FittingBuild> newest_fitting_build(std::string_view framework, const BuildNeeds& needs) {
  const auto builds = framework == "torch"  ? torch_builds()
                      : framework == "jax"  ? jax_builds()
                      : framework == "vllm" ? vllm_builds()
                                            : tensorflow_builds();
  for (const Build& build : builds) {
    if (!needs.release.empty() && build.names.version != needs.release) continue;
    if (takes_driver(build, needs) && takes_gpu(build, needs.capability) && takes_python(build, needs.python))
      return build.names;
  }
  return std::nullopt;
}

std::string newest_python_of(std::string_view framework, std::string_view release) {
  for (const Build& build : framework == "torch" ? torch_builds() : tensorflow_builds()) {
    if (build.names.version == release && !build.pythons.empty())
      return *std::ranges::max_element(
          build.pythons, [](const auto& one, const auto& other) { return compare_versions(one, other) < 0; });
  }
  return {};
}

std::optional<FlashWheel> flash_attention_wheel(const std::string& torch, const std::string& python) {
  const Table table("flash_attention");
  for (const Row& row : table["wheels"]) {
    const auto pythons = row.texts("python");
    const bool fits_torch = torch.empty() || row.text("torch") == major_minor_of(torch);
    const bool fits_python = python.empty() || std::ranges::find(pythons, major_minor_of(python)) != pythons.end();
    if (!fits_torch || !fits_python) continue;
    FlashWheel wheel{.version = row.text("version"),
                     .torch = row.text("torch"),
                     .cuda = row.text("cuda"),
                     .table = name_of(table, "flash_attention.json")};
    if (python.empty()) return wheel;
    std::string tag = "cp" + major_minor_of(python);
    std::erase(tag, '.');
    wheel.file = "flash_attn-" + wheel.version + "+cu" + wheel.cuda + "torch" + wheel.torch + "cxx11abi" +
                 row.text("cxx11abi") + '-' + tag + '-' + tag + "-linux_x86_64.whl";
    wheel.address =
        "https://github.com/Dao-AILab/flash-attention/releases/download/v" + wheel.version + '/' + wheel.file;
    return wheel;
  }
  return std::nullopt;
}

std::string lowest_capability_of_flash_attention() {
  const Table table("flash_attention");
  return table["limits"].front().text("compute_capability_min");
}

}  // namespace envdoctor::knowledge

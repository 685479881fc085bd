#include "knowledge/frameworks/frameworks.h"

#include <re2/re2.h>

#include <algorithm>

#include "knowledge/gpus/drivers.h"
#include "knowledge/lazy_regex.h"
#include "knowledge/table_rows.h"

namespace envdoctor::knowledge {
namespace {

struct SonameSet {
  std::vector<std::string> required{};
  std::string cudnn{};
};

struct TensorflowReleases {
  ByName<TensorflowNeeds> by_version{};

  TensorflowReleases() {
    const Table table("tensorflow");
    std::map<std::string, SonameSet> sets;
    for (const Row& row : table["soname_sets"])
      sets[row.text("id")] = {.required = row.texts("required"), .cudnn = row.text("cudnn")};
    for (const Row& row : table["releases"]) {
      const SonameSet& set = sets[row.text_if("soname_set")];
      TensorflowNeeds& needs = by_version[row.text("version")];
      needs.sonames = set.required;
      needs.cudnn_soname = set.cudnn;
      if (const auto gpu = row.child("linux_gpu")) {
        needs.cuda = gpu->text("cuda");
        needs.cudnn = gpu->text("cudnn");
      }
      if (const auto capabilities = row.child("compute_capabilities")) {
        needs.sass = capabilities->texts("sass");
        needs.ptx = capabilities->texts("ptx");
        needs.lowest_capability = capabilities->text_if("min");
      }
      if (needs.lowest_capability.empty() && !needs.sass.empty()) needs.lowest_capability = needs.sass.front();
      needs.pythons = row.texts("python");
      needs.keras = row.text_if("keras_default");
      needs.windows_gpu = row.flag_if("windows_gpu");
      if (row.has("numpy2")) needs.takes_numpy2 = row.flag_if("numpy2");
      needs.gpu_packages.push_back(row.text("gpu_pip_package"));
      needs.cuda_extra = row.text_if("cuda_extra");
    }
  }
};

struct Torch {
  std::map<std::pair<std::string, std::string>, TorchTargets> targets{};
  ByName<std::vector<std::string>> rocm{};
  std::map<std::pair<std::string, std::string>, std::string> versions_for{};  // package, version of torch

  Torch() {
    const Table table("pytorch");
    for (const Row& row : table["companions"]) {
      for (const char* package : {"torchvision", "torchaudio"})
        versions_for[{package, row.text("version")}] = row.text(package);
    }
    for (const Row& row : table["rocm_arch_lists"]) rocm[row.text("version")] = row.texts("gfx");
    for (const Row& row : table["arch_lists"]) {
      if (row.text("os") == "linux")
        targets[{row.text("version"), row.text("cuda")}] = {.sass = row.texts("sass"), .ptx = row.texts("ptx")};
    }
  }
};

struct JaxReleases {
  std::map<std::pair<std::string, std::string>, JaxNeeds> needs{};  // version, CUDA major

  JaxReleases() {
    const Table table("jax");
    for (const Row& row : table["releases"]) {
      for (const auto& [major, cuda] : row.texts_by_key("cuda_min")) {
        const auto of = [&row, &key = major](const char* field) {
          const auto by_major = row.child(field);
          return by_major ? by_major->text_if(key.c_str()) : std::string{};
        };
        needs[{row.text("version"), major}] = {.cuda = cuda,
                                               .cudnn = of("cudnn_min"),
                                               .driver = of("driver_min"),
                                               .lowest_capability = of("compute_capability_min")};
      }
    }
  }
};

}  // namespace

std::vector<std::string> tensorflow_releases() {
  std::vector<std::string> all;
  for (const auto& [version, needs] : read_once<TensorflowReleases>().by_version) all.push_back(version);
  std::ranges::sort(all, [](const auto& a, const auto& b) { return compare_versions(a, b) > 0; });
  return all;
}

std::optional<TensorflowNeeds> tensorflow_needs(std::string_view version) {
  if (version.empty()) return std::nullopt;  // the table is not read for a framework that isn't there
  return look_up(read_once<TensorflowReleases>().by_version, major_minor_of(version));
}

std::optional<std::string> cuda_of_torch_version(std::string_view version) {
  if (version.find("+cu") == version.npos) return std::nullopt;
  static const LazyRegex local(R"(\+cu([0-9]+)([0-9]))", RE2::Latin1);  // the last digit is the minor: cu92, cu121
  std::string major, minor;
  if (!RE2::PartialMatch(re2::StringPiece(version.data(), version.size()), local, &major, &minor)) return std::nullopt;
  return major + "." + minor;
}

std::optional<TorchTargets> torch_targets(std::string_view version, std::string_view cuda) {
  return look_up(read_once<Torch>().targets, std::pair(major_minor_of(version), major_minor_of(cuda)));
}

std::optional<std::vector<std::string>> torch_rocm_targets(std::string_view version) {
  return look_up(read_once<Torch>().rocm, major_minor_of(version));
}

std::string version_for_torch(const std::string& package, std::string_view torch) {
  return look_up(read_once<Torch>().versions_for, std::pair(package, major_minor_of(torch))).value_or("");
}

std::optional<JaxNeeds> jax_needs(std::string_view version, std::string_view cuda_major) {
  return look_up(read_once<JaxReleases>().needs, std::pair(std::string(version), std::string(cuda_major)));
}

std::vector<VersionRule> version_rules(std::string_view framework, const char* list) {
  std::vector<VersionRule> rules;
  const Table table(framework == "torch" ? "pytorch" : framework);
  for (const Row& row : table[list]) rules.push_back({row.text_if("versions"), row.text("what")});
  return rules;
}

namespace {

struct TorchNames {
  std::map<std::string, std::string> since{};  // name, the first release that has it

  TorchNames() {
    const Table table("pytorch");
    for (const Row& row : table["names"]) since[row.text("name")] = row.text("since");
  }
};

}  // namespace

std::string first_torch_with(std::string_view name) {
  std::string since;
  std::size_t longest = 0;
  for (const auto& [known, release] : read_once<TorchNames>().since) {
    const bool within = name.starts_with(known) && (name.size() == known.size() || name[known.size()] == '.');
    if (!within || known.size() < longest) continue;
    longest = known.size();
    since = release;
  }
  return since;
}

}  // namespace envdoctor::knowledge

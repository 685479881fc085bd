#include <algorithm>
#include <map>

#include "knowledge/frameworks/frameworks.h"
#include "knowledge/gpus/drivers.h"
#include "knowledge/table_rows.h"

namespace envdoctor::knowledge {
namespace {

struct SonameSet {
  std::vector<std::string> required{};
  std::string cudnn{};
};

using TensorflowReleases = std::map<std::string, TensorflowNeeds, std::less<>>;

TensorflowReleases read_tensorflow_releases() {
  TensorflowReleases releases;
  std::map<std::string, SonameSet> sets;
  std::map<std::string, std::string> set_of_release;
  read_table("tensorflow", {{"releases",
                             [&](const Row& row) {
                               const std::string version = row.text("version");
                               TensorflowNeeds& needs = releases[version];
                               set_of_release[version] = row.text_if("soname_set");
                               if (const auto gpu = row.child("linux_gpu")) {
                                 needs.cuda = gpu->text("cuda");
                                 needs.cudnn = gpu->text("cudnn");
                               }
                               if (const auto capabilities = row.child("compute_capabilities")) {
                                 needs.sass = capabilities->texts("sass");
                                 needs.ptx = capabilities->texts("ptx");
                                 needs.lowest_capability = capabilities->text_if("min");
                               }
                               if (needs.lowest_capability.empty() && !needs.sass.empty())
                                 needs.lowest_capability = needs.sass.front();
                               needs.pythons = row.texts("python");
                               needs.keras = row.text_if("keras_default");
                               needs.windows_gpu = row.flag_if("windows_gpu");
                               if (row.has("numpy2")) needs.takes_numpy2 = row.flag_if("numpy2");
                               needs.gpu_packages.push_back(row.text("gpu_pip_package"));
                               needs.cuda_extra = row.text_if("cuda_extra");
                             }},
                            {"soname_sets", [&](const Row& row) {
                               sets[row.text("id")] = {.required = row.texts("required"), .cudnn = row.text("cudnn")};
                             }}});
  for (auto& [version, needs] : releases) {
    const SonameSet& set = sets[set_of_release[version]];
    needs.sonames = set.required;
    needs.cudnn_soname = set.cudnn;
  }
  return releases;
}

}  // namespace

namespace {

const TensorflowReleases& releases() {
  static const TensorflowReleases all = read_tensorflow_releases();
  return all;
}

}  // namespace

std::vector<std::string> tensorflow_releases() {
  std::vector<std::string> all;
  for (const auto& [version, needs] : releases()) all.push_back(version);
  std::ranges::sort(all, [](const auto& a, const auto& b) { return compare_versions(a, b) > 0; });
  return all;
}

std::optional<TensorflowNeeds> tensorflow_needs(std::string_view version) {
  const auto found = releases().find(major_minor_of(version));
  return found == releases().end() ? std::nullopt : std::optional(found->second);
}

}  // namespace envdoctor::knowledge

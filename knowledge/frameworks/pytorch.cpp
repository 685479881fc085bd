#include <algorithm>
#include <map>

#include "knowledge/frameworks/frameworks.h"
#include "knowledge/gpus/drivers.h"
#include "knowledge/table_rows.h"

namespace envdoctor::knowledge {
namespace {

struct Torch {
  std::map<std::string, std::string, std::less<>> default_cuda{};
  std::map<std::pair<std::string, std::string>, TorchTargets> targets{};
  std::map<std::string, std::vector<std::string>, std::less<>> rocm{};
};

const Torch& torch() {
  static const Torch all = [] {
    Torch t;
    read_table(
        "pytorch",
        {{"releases",
          [&t](const Row& row) {
            if (!row.has("pypi_default_cuda")) return;
            t.default_cuda[row.text("version")] = row.text("pypi_default_cuda");
          }},
         {"rocm_arch_lists", [&t](const Row& row) { t.rocm[row.text("version")] = row.texts("gfx"); }},
         {"arch_lists", [&t](const Row& row) {
            if (row.text("os") != "linux") return;
            t.targets[{row.text("version"), row.text("cuda")}] = {.sass = row.texts("sass"), .ptx = row.texts("ptx")};
          }}});
    return t;
  }();
  return all;
}

}  // namespace

std::optional<std::string> cuda_of_torch_version(std::string_view version) {
  const auto plus = version.find("+cu");
  if (plus == std::string_view::npos) return std::nullopt;
  std::string_view digits = version.substr(plus + 3);
  digits = digits.substr(0, digits.find_first_not_of("0123456789"));
  if (digits.size() < 2) return std::nullopt;
  // The last digit is the minor: cu92, cu121.
  return std::string(digits.substr(0, digits.size() - 1)) + "." + digits.back();
}

std::optional<std::string> default_cuda_of_torch(std::string_view version) {
  const auto found = torch().default_cuda.find(major_minor_of(version));
  return found == torch().default_cuda.end() ? std::nullopt : std::optional(found->second);
}

std::optional<TorchTargets> torch_targets(std::string_view version, std::string_view cuda) {
  const auto found = torch().targets.find({major_minor_of(version), major_minor_of(cuda)});
  return found == torch().targets.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::vector<std::string>> torch_rocm_targets(std::string_view version) {
  const auto found = torch().rocm.find(major_minor_of(version));
  return found == torch().rocm.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace envdoctor::knowledge

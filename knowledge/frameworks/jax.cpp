#include <map>

#include "knowledge/frameworks/frameworks.h"
#include "knowledge/table_rows.h"

namespace envdoctor::knowledge {
namespace {

using JaxReleases = std::map<std::pair<std::string, std::string>, JaxNeeds>;  // version, CUDA major

JaxReleases read_jax_releases() {
  JaxReleases releases;
  read_table("jax", {{"releases", [&releases](const Row& row) {
                        const std::string version = row.text("version");
                        const auto cuda = row.child("cuda_min");
                        if (!cuda) return;
                        const auto of = [&row](const char* key, const std::string& major) {
                          const auto by_major = row.child(key);
                          return by_major ? by_major->text_if(major.c_str()) : std::string{};
                        };
                        for (const std::string& major : cuda->keys()) {
                          releases[{version, major}] = {.cuda = cuda->text(major.c_str()),
                                                        .cudnn = of("cudnn_min", major),
                                                        .driver = of("driver_min", major),
                                                        .lowest_capability = of("compute_capability_min", major)};
                        }
                      }}});
  return releases;
}

}  // namespace

std::optional<JaxNeeds> jax_needs(std::string_view version, std::string_view cuda_major) {
  static const JaxReleases releases = read_jax_releases();
  const auto found = releases.find({std::string(version), std::string(cuda_major)});
  return found == releases.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace envdoctor::knowledge

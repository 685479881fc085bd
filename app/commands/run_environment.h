#pragma once
// The environment that puts a program on the device a person named.
#include "app/options/options.h"
#include "probe/gpu/gpu_list.h"

namespace envdoctor {

struct EnvChange {
  std::string name{};
  std::optional<std::string> value{};  // nullopt: taken out
  std::string why{};
};

// The changes to `env`, sorted by name. Throws UsageError for a device that is not available: no such number, an
// ambiguous or unknown UUID, where the host's GPUs are known.
std::vector<EnvChange> environment_changes(const RunOptions& options, const std::vector<ListedGpu>& gpus,
                                           const std::map<std::string, std::string>& env);

// For eval in a shell: "export NAME='value';" and "unset NAME;", with the reasons as comments if asked.
std::string shell_lines(const std::vector<EnvChange>& changes, bool reasons);

// The whole environment as "NAME=value" lines.
std::vector<std::string> changed_environment(std::map<std::string, std::string> env,
                                             const std::vector<EnvChange>& changes);

}  // namespace envdoctor

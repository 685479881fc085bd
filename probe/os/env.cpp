#include <algorithm>
#include <array>

#include "host/text.h"
#include "knowledge/codes/names.h"
#include "knowledge/lower_case.h"
#include "probe/probes.h"

namespace envdoctor {
namespace {

// Its name says that it is a secret, not a setting: NVIDIA_API_KEY, NGC_CLI_API_KEY, TF_AUTH_TOKEN.
bool looks_secret(const std::string& name) {
  constexpr std::array words = {"key", "token", "secret", "passw", "credential", "auth"};
  return std::ranges::any_of(words, [&](const char* word) { return contains(lower_case(name), word); });
}

bool looks_like_gpu(const std::string& name) {
  return std::ranges::any_of(knowledge::env_prefixes(), [&](const std::string& p) { return name.starts_with(p); });
}

}  // namespace

// Values are judged when the whole snapshot is redacted.
void probe_env(Session& session) {
  Snapshot part;
  auto& env = part.env.fill();
  for (const auto& [name, value] : session.host.env) {
    if (knowledge::env_allowed(name))
      env[name] = value;
    else if (looks_like_gpu(name))
      env[name] = looks_secret(name) ? Text(failed("withheld")) : Text(value);
  }
  session.add(part);
}

}  // namespace envdoctor

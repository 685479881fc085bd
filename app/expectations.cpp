#include "app/expectations.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "app/compute.h"
#include "app/files.h"
#include "app/names.h"
#include "app/options.h"

namespace envdoctor {
namespace {

// What may stand before ".min": copies are timed under three names.
std::vector<std::string> speeds() {
  std::vector<std::string> names = timed_kernel_names();
  std::erase(names, "copy");
  names.insert(names.end(), {"copy-in", "copy-out", "copy-device"});
  return names;
}

// A kernel that there is not would never be met, whatever the host.
void check_kernel(const std::string& key) {
  if (expect_key(key)->key != std::string_view("*.min")) return;
  const std::vector<std::string> known = speeds();
  const std::string kernel = key.substr(0, key.rfind('.'));
  if (std::ranges::find(known, kernel) != known.end()) return;
  std::vector<std::string> meant = known;
  for (const ExpectKey& other : expect_keys()) meant.emplace_back(other.key);
  throw UsageError(fmt::format("--expect {}: no kernel that 'bench' times{}. There are: {}", key,
                               did_you_mean(kernel, meant), fmt::join(known, ", ")));
}

}  // namespace

Expectations expectations_named(const std::vector<std::string>& texts) {
  Expectations all;
  for (const std::string& text : texts) {
    std::error_code none;
    if (text.ends_with(".toml") || std::filesystem::is_regular_file(text, none)) {
      Expectations from_file = read_expectations(read_input(text), text);
      all.wanted.insert(all.wanted.end(), from_file.wanted.begin(), from_file.wanted.end());
      all.waivers.insert(all.waivers.end(), from_file.waivers.begin(), from_file.waivers.end());
    } else {
      try {
        all.wanted.push_back(read_expectation(text));
      } catch (const BadExpectation& error) {
        throw UsageError(fmt::format("--expect {}", error.what()));
      }
    }
  }
  for (const Expectation& wanted : all.wanted) check_kernel(wanted.key);
  return all;
}

}  // namespace envdoctor

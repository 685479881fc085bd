#include "app/expectations.h"

#include <fmt/format.h>

#include <filesystem>

#include "app/files.h"
#include "app/options.h"

namespace envdoctor {

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
  return all;
}

}  // namespace envdoctor

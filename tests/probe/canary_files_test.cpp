// Secrets and names in fixtures/canaries/secrets-*.txt ("what must go|the text"), and in evidence-*.txt lines that must
// stay. They were written without knowledge of the detectors; a canary that leaked becomes a line there.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "probe/redact.h"
#include "tests/support/golden.h"
#include "tests/support/paths.h"

namespace envdoctor::canary_files_test {
namespace {

std::vector<std::string> lines_of(const std::filesystem::path& file) {
  std::istringstream text(read_whole(file.string()));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

// "secrets-12" of fixtures/canaries/secrets-12.txt, in no order.
std::vector<std::string> batches(const std::string& kind) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(source_folder) + "/fixtures/canaries")) {
    if (entry.path().filename().string().starts_with(kind)) names.push_back(entry.path().stem().string());
  }
  return names;
}

class Batch : public testing::TestWithParam<std::string> {
 protected:
  std::vector<std::string> lines() const {
    return lines_of(std::string(source_folder) + "/fixtures/canaries/" + GetParam() + ".txt");
  }
};

std::string without_dash(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

class Secrets : public Batch {};

TEST_P(Secrets, AreWithheld) {
  for (const std::string& line : lines()) {
    const std::size_t bar = line.find('|');
    const std::string part = line.substr(0, bar), text = line.substr(bar + 1);
    ASSERT_NE(text.find(part), std::string::npos) << line;
    const std::string redacted = redact_free_text(text, {});
    EXPECT_EQ(redacted.find(part), std::string::npos) << text << " -> " << redacted;
    EXPECT_EQ(redact_free_text(redacted, {}), redacted) << text;
  }
}

INSTANTIATE_TEST_SUITE_P(Canaries, Secrets, testing::ValuesIn(batches("secrets-")), without_dash);

class KeptEvidence : public Batch {};

TEST_P(KeptEvidence, Stays) {
  for (const std::string& line : lines()) EXPECT_EQ(redact_free_text(line, {}), line);
}

INSTANTIATE_TEST_SUITE_P(Canaries, KeptEvidence, testing::ValuesIn(batches("evidence-")), without_dash);

TEST(CanaryFiles, NoBatchIsLost) {
  const auto count = [](const std::string& kind) {
    std::size_t lines = 0;
    for (const std::string& name : batches(kind))
      lines += lines_of(std::string(source_folder) + "/fixtures/canaries/" + name + ".txt").size();
    return lines;
  };
  EXPECT_GE(count("secrets-"), 4600u);
  EXPECT_GE(count("evidence-"), 3550u);
}

}  // namespace
}  // namespace envdoctor::canary_files_test
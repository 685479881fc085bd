// Secrets and names in fixtures/canaries/secrets-*.txt ("what must go|the text"), and in evidence-*.txt lines that must
// stay. They were written without knowledge of the detectors; a canary that leaked becomes a line there.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "host/text.h"
#include "probe/redact.h"
#include "tests/support/golden.h"
#include "tests/support/paths.h"

namespace envdoctor::canary_files_test {
namespace {

// The lines of fixtures/canaries/NAME.txt.
std::vector<std::string> lines_in(const std::string& name) {
  std::vector<std::string> lines;
  const std::string text = read_whole(std::string(source_folder) + "/fixtures/canaries/" + name + ".txt");
  for (const std::string_view line : lines_of(text))
    if (!line.empty()) lines.emplace_back(line);
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

class Batch : public testing::TestWithParam<std::string> {};

std::string without_dash(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

class Secrets : public Batch {};

TEST_P(Secrets, AreWithheld) {
  for (const std::string& line : lines_in(GetParam())) {
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
  for (const std::string& line : lines_in(GetParam())) EXPECT_EQ(redact_free_text(line, {}), line);
}

INSTANTIATE_TEST_SUITE_P(Canaries, KeptEvidence, testing::ValuesIn(batches("evidence-")), without_dash);

TEST(CanaryFiles, NoBatchIsLost) {
  const auto count = [](const std::string& kind) {
    std::size_t lines = 0;
    for (const std::string& name : batches(kind)) lines += lines_in(name).size();
    return lines;
  };
  EXPECT_GE(count("secrets-"), 4600u);
  EXPECT_GE(count("evidence-"), 3550u);
}

}  // namespace
}  // namespace envdoctor::canary_files_test
// Secrets and names in fixtures/canaries/secrets.txt ("what must go|the text"), those of them in places.txt that go
// from the texts of our own probes, too, and in evidence.txt lines that must stay. They were written without knowledge
// of the detectors; a canary that leaked becomes a line there.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "host/text.h"
#include "probe/redaction/redact.h"
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

TEST(CanaryFiles, SecretsAreWithheld) {
  const std::vector<std::string> lines = lines_in("secrets");
  EXPECT_GE(lines.size(), 5100u);  // none is lost
  for (const std::string& line : lines) {
    const std::size_t bar = line.find('|');
    const std::string part = line.substr(0, bar), text = line.substr(bar + 1);
    ASSERT_NE(text.find(part), std::string::npos) << line;
    const std::string redacted = redact_free_text(text, {});
    EXPECT_EQ(redacted.find(part), std::string::npos) << text << " -> " << redacted;
    EXPECT_EQ(redact_free_text(redacted, {}), redacted) << text;
  }
}

TEST(CanaryFiles, SecretsAtKnownPlacesAreWithheldFromAnyText) {
  const std::vector<std::string> lines = lines_in("places");
  EXPECT_GE(lines.size(), 400u);
  for (const std::string& line : lines) {
    const std::size_t bar = line.find('|');
    const std::string part = line.substr(0, bar), text = line.substr(bar + 1);
    ASSERT_NE(text.find(part), std::string::npos) << line;
    for (const auto redact : {redact_text, redact_free_text}) {
      const std::string redacted = redact(text, {});
      EXPECT_EQ(redacted.find(part), std::string::npos) << text << " -> " << redacted;
      EXPECT_EQ(redact(redacted, {}), redacted) << text;
    }
  }
}

TEST(CanaryFiles, EvidenceStays) {
  const std::vector<std::string> lines = lines_in("evidence");
  EXPECT_GE(lines.size(), 3800u);
  for (const std::string& line : lines) {
    EXPECT_EQ(redact_free_text(line, {}), line);
    EXPECT_EQ(redact_text(line, {}), line);
  }
}

}  // namespace
}  // namespace envdoctor::canary_files_test

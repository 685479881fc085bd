// Secrets and names in fixtures/canaries/secrets-*.txt ("what must go|the text"), and in evidence-*.txt lines that must
// stay. They were written without knowledge of the detectors; a canary that leaked becomes a line there.
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "probe/redact.h"
#include "tests/support/golden.h"
#include "tests/support/paths.h"

namespace envdoctor::canary_files_test {
namespace {

template <class Check>
void each_line(const std::string& file, std::size_t least, Check check) {
  std::istringstream lines(read_whole(std::string(source_folder) + "/fixtures/canaries/" + file));
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) check(line);
  EXPECT_GE(count, least) << file;
}

void expect_withheld(const std::string& line) {
  const std::size_t bar = line.find('|');
  const std::string part = line.substr(0, bar), text = line.substr(bar + 1);
  ASSERT_NE(text.find(part), std::string::npos) << line;
  const std::string redacted = redact_free_text(text, {});
  EXPECT_EQ(redacted.find(part), std::string::npos) << text << " -> " << redacted;
  EXPECT_EQ(redact_free_text(redacted, {}), redacted) << text;
}

void expect_kept(const std::string& line) { EXPECT_EQ(redact_free_text(line, {}), line); }

TEST(CanaryFiles, FirstBatchIsWithheld) { each_line("secrets-1.txt", 120, expect_withheld); }
TEST(CanaryFiles, SecondBatchIsWithheld) { each_line("secrets-2.txt", 80, expect_withheld); }
TEST(CanaryFiles, ThirdBatchIsWithheld) { each_line("secrets-3.txt", 100, expect_withheld); }
TEST(CanaryFiles, FourthBatchIsWithheld) { each_line("secrets-4.txt", 120, expect_withheld); }
TEST(CanaryFiles, FifthBatchIsWithheld) { each_line("secrets-5.txt", 120, expect_withheld); }
TEST(CanaryFiles, FifthBatchOfEvidenceStays) { each_line("evidence-5.txt", 100, expect_kept); }
TEST(CanaryFiles, SixthBatchIsWithheld) { each_line("secrets-6.txt", 120, expect_withheld); }
TEST(CanaryFiles, SixthBatchOfEvidenceStays) { each_line("evidence-6.txt", 100, expect_kept); }
TEST(CanaryFiles, SeventhBatchIsWithheld) { each_line("secrets-7.txt", 149, expect_withheld); }
TEST(CanaryFiles, SeventhBatchOfEvidenceStays) { each_line("evidence-7.txt", 104, expect_kept); }
TEST(CanaryFiles, EighthBatchIsWithheld) { each_line("secrets-8.txt", 150, expect_withheld); }
TEST(CanaryFiles, EighthBatchOfEvidenceStays) { each_line("evidence-8.txt", 106, expect_kept); }
TEST(CanaryFiles, NinthBatchIsWithheld) { each_line("secrets-9.txt", 75, expect_withheld); }
TEST(CanaryFiles, NinthBatchOfEvidenceStays) { each_line("evidence-9.txt", 87, expect_kept); }
TEST(CanaryFiles, TenthBatchIsWithheld) { each_line("secrets-10.txt", 120, expect_withheld); }
TEST(CanaryFiles, TenthBatchOfEvidenceStays) { each_line("evidence-10.txt", 97, expect_kept); }
TEST(CanaryFiles, EleventhBatchIsWithheld) { each_line("secrets-11.txt", 120, expect_withheld); }
TEST(CanaryFiles, EleventhBatchOfEvidenceStays) { each_line("evidence-11.txt", 99, expect_kept); }
TEST(CanaryFiles, NamesInCommandsAreWithheld) { each_line("secrets-12.txt", 16, expect_withheld); }
TEST(CanaryFiles, CommandsWithoutNamesStay) { each_line("evidence-12.txt", 10, expect_kept); }
TEST(CanaryFiles, ThirteenthBatchIsWithheld) { each_line("secrets-13.txt", 120, expect_withheld); }
TEST(CanaryFiles, ThirteenthBatchOfEvidenceStays) { each_line("evidence-13.txt", 100, expect_kept); }
TEST(CanaryFiles, FourteenthBatchIsWithheld) { each_line("secrets-14.txt", 120, expect_withheld); }
TEST(CanaryFiles, FourteenthBatchOfEvidenceStays) { each_line("evidence-14.txt", 99, expect_kept); }
TEST(CanaryFiles, FifteenthBatchIsWithheld) { each_line("secrets-15.txt", 119, expect_withheld); }
TEST(CanaryFiles, FifteenthBatchOfEvidenceStays) { each_line("evidence-15.txt", 99, expect_kept); }
TEST(CanaryFiles, SixteenthBatchIsWithheld) { each_line("secrets-16.txt", 119, expect_withheld); }
TEST(CanaryFiles, SixteenthBatchOfEvidenceStays) { each_line("evidence-16.txt", 97, expect_kept); }
TEST(CanaryFiles, SeventeenthBatchIsWithheld) { each_line("secrets-17.txt", 120, expect_withheld); }
TEST(CanaryFiles, SeventeenthBatchOfEvidenceStays) { each_line("evidence-17.txt", 96, expect_kept); }
TEST(CanaryFiles, EighteenthBatchIsWithheld) { each_line("secrets-18.txt", 120, expect_withheld); }
TEST(CanaryFiles, EighteenthBatchOfEvidenceStays) { each_line("evidence-18.txt", 99, expect_kept); }
TEST(CanaryFiles, NineteenthBatchIsWithheld) { each_line("secrets-19.txt", 120, expect_withheld); }
TEST(CanaryFiles, NineteenthBatchOfEvidenceStays) { each_line("evidence-19.txt", 95, expect_kept); }
TEST(CanaryFiles, TwentiethBatchIsWithheld) { each_line("secrets-20.txt", 119, expect_withheld); }
TEST(CanaryFiles, TwentiethBatchOfEvidenceStays) { each_line("evidence-20.txt", 98, expect_kept); }
TEST(CanaryFiles, TwentyFirstBatchIsWithheld) { each_line("secrets-21.txt", 119, expect_withheld); }
TEST(CanaryFiles, TwentyFirstBatchOfEvidenceStays) { each_line("evidence-21.txt", 98, expect_kept); }
TEST(CanaryFiles, TwentySecondBatchIsWithheld) { each_line("secrets-22.txt", 119, expect_withheld); }
TEST(CanaryFiles, TwentySecondBatchOfEvidenceStays) { each_line("evidence-22.txt", 98, expect_kept); }
TEST(CanaryFiles, TwentyThirdBatchIsWithheld) { each_line("secrets-23.txt", 119, expect_withheld); }
TEST(CanaryFiles, TwentyThirdBatchOfEvidenceStays) { each_line("evidence-23.txt", 99, expect_kept); }
TEST(CanaryFiles, TwentyFourthBatchIsWithheld) { each_line("secrets-24.txt", 118, expect_withheld); }
TEST(CanaryFiles, TwentyFourthBatchOfEvidenceStays) { each_line("evidence-24.txt", 97, expect_kept); }
TEST(CanaryFiles, TwentyFifthBatchIsWithheld) { each_line("secrets-25.txt", 118, expect_withheld); }
TEST(CanaryFiles, TwentyFifthBatchOfEvidenceStays) { each_line("evidence-25.txt", 90, expect_kept); }
TEST(CanaryFiles, TwentySixthBatchIsWithheld) { each_line("secrets-26.txt", 115, expect_withheld); }
TEST(CanaryFiles, TwentySixthBatchOfEvidenceStays) { each_line("evidence-26.txt", 90, expect_kept); }
TEST(CanaryFiles, TwentySeventhBatchIsWithheld) { each_line("secrets-27.txt", 115, expect_withheld); }
TEST(CanaryFiles, TwentySeventhBatchOfEvidenceStays) { each_line("evidence-27.txt", 90, expect_kept); }
TEST(CanaryFiles, TwentyEighthBatchIsWithheld) { each_line("secrets-28.txt", 115, expect_withheld); }
TEST(CanaryFiles, TwentyEighthBatchOfEvidenceStays) { each_line("evidence-28.txt", 90, expect_kept); }
TEST(CanaryFiles, TwentyNinthBatchIsWithheld) { each_line("secrets-29.txt", 115, expect_withheld); }
TEST(CanaryFiles, TwentyNinthBatchOfEvidenceStays) { each_line("evidence-29.txt", 90, expect_kept); }
TEST(CanaryFiles, ThirtiethBatchIsWithheld) { each_line("secrets-30.txt", 115, expect_withheld); }
TEST(CanaryFiles, ThirtiethBatchOfEvidenceStays) { each_line("evidence-30.txt", 90, expect_kept); }
TEST(CanaryFiles, ThirtyFirstBatchIsWithheld) { each_line("secrets-31.txt", 115, expect_withheld); }
TEST(CanaryFiles, ThirtyFirstBatchOfEvidenceStays) { each_line("evidence-31.txt", 90, expect_kept); }
TEST(CanaryFiles, ThirtySecondBatchIsWithheld) { each_line("secrets-32.txt", 110, expect_withheld); }
TEST(CanaryFiles, ThirtySecondBatchOfEvidenceStays) { each_line("evidence-32.txt", 85, expect_kept); }
TEST(CanaryFiles, ThirtyThirdBatchIsWithheld) { each_line("secrets-33.txt", 110, expect_withheld); }
TEST(CanaryFiles, ThirtyThirdBatchOfEvidenceStays) { each_line("evidence-33.txt", 85, expect_kept); }
TEST(CanaryFiles, FourthBatchOfEvidenceStays) { each_line("evidence-4.txt", 120, expect_kept); }
TEST(CanaryFiles, ThirdBatchOfEvidenceStays) { each_line("evidence-3.txt", 100, expect_kept); }
TEST(CanaryFiles, SecondBatchOfEvidenceStays) { each_line("evidence-2.txt", 40, expect_kept); }
TEST(CanaryFiles, FirstBatchOfEvidenceStays) { each_line("evidence-1.txt", 60, expect_kept); }
TEST(CanaryFiles, ThirtyFourthBatchIsWithheld) { each_line("secrets-34.txt", 117, expect_withheld); }
TEST(CanaryFiles, ThirtyFourthBatchOfEvidenceStays) { each_line("evidence-34.txt", 89, expect_kept); }
TEST(CanaryFiles, ThirtyFifthBatchIsWithheld) { each_line("secrets-35.txt", 119, expect_withheld); }
TEST(CanaryFiles, ThirtyFifthBatchOfEvidenceStays) { each_line("evidence-35.txt", 89, expect_kept); }
TEST(CanaryFiles, ThirtySixthBatchIsWithheld) { each_line("secrets-36.txt", 117, expect_withheld); }
TEST(CanaryFiles, ThirtySixthBatchOfEvidenceStays) { each_line("evidence-36.txt", 89, expect_kept); }
TEST(CanaryFiles, ThirtySeventhBatchIsWithheld) { each_line("secrets-37.txt", 119, expect_withheld); }
TEST(CanaryFiles, ThirtySeventhBatchOfEvidenceStays) { each_line("evidence-37.txt", 100, expect_kept); }

}  // namespace
}  // namespace envdoctor::canary_files_test
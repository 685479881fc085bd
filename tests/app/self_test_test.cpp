#include "app/commands/self_test.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/support/process.h"

namespace envdoctor::self_test_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> failed_parts(const self_test::SelfTestInput& input) {
  std::vector<std::string> names;
  for (const SelfTestPart& part : self_test::run_self_test(input)) {
    if (!part.passed()) names.push_back(part.name);
  }
  return names;
}

TEST(SelfTest, PassesInACopyThatWorks) {
  EXPECT_THAT(failed_parts(self_test::embedded_input()), IsEmpty());
  const Ran ran = run_envdoctor("self-test");
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("This copy of envdoctor works here.\n"));
  const Ran json = run_envdoctor("self-test --format json");
  EXPECT_EQ(json.status, 0);
  EXPECT_THAT(json.out, HasSubstr("\"passed\": true"));
  EXPECT_EQ(run_envdoctor("self-test --format junit").status, 2);
}

TEST(SelfTest, FailsWhereAHealthyHostIsAccusedOrABrokenOneIsMissed) {
  auto input = self_test::embedded_input();
  std::swap(input.healthy_host, input.broken_host);
  EXPECT_THAT(failed_parts(input), ElementsAre("healthy-host", "broken-host"));
  input = self_test::embedded_input();
  input.broken_host = "{";
  input.log = "nothing of the kind\n";
  EXPECT_THAT(failed_parts(input), ElementsAre("broken-host", "log"));
}

TEST(SelfTest, FailsWhereArithmeticIsWrongOrAWrongElementIsTakenForRight) {
  auto input = self_test::embedded_input();
  input.flaw = input.fault;
  EXPECT_THAT(failed_parts(input), ElementsAre("kernel"));
  input = self_test::embedded_input();
  input.fault = {};
  EXPECT_THAT(failed_parts(input), ElementsAre("fault"));
}

TEST(SelfTest, ACopyWithDamagedTablesFailsAndSaysWhichPart) {
  const auto folder = std::filesystem::temp_directory_path() / ("envdoctor-tables-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  std::ofstream(folder / "wordings.json") << R"({"wordings": []})";
  const Ran ran = run_envdoctor("self-test --knowledge " + folder.string());
  std::filesystem::remove_all(folder);
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out, HasSubstr("  FAILED  an unreachable driver is read from what programs print\n"));
  EXPECT_THAT(ran.out, HasSubstr("1 of 5 parts failed"));
}

TEST(SelfTest, TheReportNamesWhatFailedAndWhy) {
  const std::vector<SelfTestPart> parts = {
      {.name = "log", .shows = "a log is read"},
      {.name = "kernel", .shows = "a kernel agrees", .why_not = "it\x1b[2Jdidn't"},
  };
  const std::string text = self_test_text(parts);
  EXPECT_THAT(text, HasSubstr("  ok      a log is read\n  FAILED  a kernel agrees\n"));
  EXPECT_THAT(text, HasSubstr("1 of 2 parts failed"));
  EXPECT_THAT(text, testing::Not(HasSubstr("\x1b")));
  EXPECT_THAT(self_test_json(parts), HasSubstr("\"state\": \"failed\""));
  EXPECT_THAT(self_test_json(parts), HasSubstr("\"passed\": false"));
}

}  // namespace
}  // namespace envdoctor::self_test_test

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "evidence/lines.h"
#include "reports/reports.h"
#include "tests/support/examples.h"
#include "tests/support/paths.h"

namespace envdoctor::text_test {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

class TextReport : public testing::TestWithParam<const char*> {};

TEST_P(TextReport, FitsEightyColumnsWithoutColour) {
  const std::string text = render_text(judge(example(GetParam()), {}), {});
  for (const std::string& line : lines_of(text)) {
    const bool command = line.find("$ ") != line.npos;  // stays whole, to be copied
    EXPECT_TRUE(command || columns(line) <= 80) << line;
  }
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("\033")));
}

TEST_P(TextReport, ReadsAsWritten) {
  expect_golden(std::string(source_folder) + "/docs/examples/" + GetParam() + ".txt",
                render_text(judge(example(GetParam()), {}), {}));
}

INSTANTIATE_TEST_SUITE_P(Examples, TextReport, testing::Values("healthy", "no-gpu", "one-root-two-consequences"));

TEST(TextReport, NamesAFrameworkThatHungAndForHowLong) {
  Snapshot snapshot = example("healthy");
  snapshot.probes.fill()["frameworks"] = {
      .status = std::string("failed"),
      .error = ProbeError{.kind = std::string("timeout"),
                          .message = std::string("no answer within 60 s in import torch"),
                          .culprit = std::string("torch")}};
  EXPECT_THAT(render_text(judge(snapshot, {}), {}),
              testing::HasSubstr("note    torch hung: no answer within 60 s in import torch\n"));
}

TEST(TextReport, OfAHealthyHostTakesFewerThanTwentyFiveLines) {
  EXPECT_LT(lines_of(render_text(judge(example("healthy"), {}), {})).size(), 25U);
}

TEST(TextReport, OfAHealthyHostStaysShortWithTheArithmeticOfEightGpus) {
  Snapshot host = example("healthy");
  host.compute = std::vector<ComputeResult>{};
  for (int device = 0; device < 8; ++device) {
    for (const char* precision : {"fp32", "fp64"}) {
      for (const char* mode :
           {"a*b+c fused; subnormals kept; rounded to nearest", "products: as inputs are, to nearest"})
        host.compute.get()->push_back({.device = fmt::format("cuda:{}", device),
                                       .kernel = "gemm",
                                       .precision = precision,
                                       .seed = 1,
                                       .math_library = "libclc in our PTX",
                                       .agreement = Agreement{.outcome = "within-bound", .error_over_bound = 0.5},
                                       .repeatable = true,
                                       .mode = mode});
    }
  }
  EXPECT_LT(lines_of(render_text(judge(host, {}), {})).size(), 25U);
}

TEST(TextReport, TellsAConsequenceOnce) {
  Report report;
  report.findings = {{.id = "a.root", .title = "Root"},
                     {.id = "b.effect", .subject = "x", .title = "Effect", .root = false, .caused_by = {"a.root"}},
                     {.id = "b.effect", .subject = "y", .title = "Effect", .root = false, .caused_by = {"a.root"}}};
  const std::string text = render_text(report, {});
  const auto first = text.find("Effect (b.effect)");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(text.find("Effect (b.effect)", first + 1), std::string::npos);
}

TEST(TextReport, ColourIsOnlyThereWhenAsked) {
  EXPECT_THAT(render_text(judge(example("no-gpu"), {}), {.color = true}), testing::HasSubstr("\033[31;1mFAIL\033[0m"));
}

TEST(TextReport, EightEqualGpusAreToldOnce) {
  Snapshot snapshot = example("healthy");
  auto& pci = *snapshot.pci.get();
  for (int i = 1; i < 8; ++i) {
    pci.push_back(pci.front());
    pci.back().address = "0000:7" + std::to_string(i) + ":00.0";
  }
  snapshot.nvidia = {};
  snapshot.opencl = {};
  EXPECT_THAT(render_text(judge(snapshot, {}), {}), testing::HasSubstr("8 x "));
}

}  // namespace
}  // namespace envdoctor::text_test

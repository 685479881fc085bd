#include "reports/text/kernel_tables.h"

#include <gtest/gtest.h>

namespace envdoctor::arithmetic_test {
namespace {

ComputeResult result(std::string outcome, double over_bound = 0.25) {
  return {.device = "cuda:0",
          .kernel = "gemm",
          .precision = "fp32",
          .math_library = "libclc in our PTX",
          .agreement = Agreement{.outcome = std::move(outcome), .error_over_bound = over_bound},
          .repeatable = true};
}

TEST(Arithmetic, SaysHowResultsAgreedAndWhatRanWhereAllIsWell) {
  Snapshot host;
  host.compute = std::vector<ComputeResult>{result("same-bits"), result("within-bound")};
  host.compute.get()->front().mode = "a*b+c fused; subnormals kept";
  EXPECT_EQ(arithmetic_text(host),
            "  cuda:0\n"
            "    2 of 2 results correct: 1 bit-identical to the CPU, 1 within the error bound\n"
            "    largest error 0.25 of the rounding bound; bit-identical in every repeat\n"
            "    fp32: a*b+c fused; subnormals kept\n"
            "    math functions from libclc in our PTX\n");
}

TEST(Arithmetic, SaysOnceWhatDevicesAndPrecisionsHaveInCommon) {
  Snapshot host;
  host.compute = std::vector<ComputeResult>{};
  for (const char* device : {"cuda:0", "cuda:1"}) {
    for (const char* precision : {"fp32", "fp64"}) {
      ComputeResult row = result("within-bound", host.compute.get()->empty() ? 0.5 : 0.25);
      row.device = device;
      row.precision = precision;
      row.mode = "a*b+c fused";
      host.compute.get()->push_back(row);
    }
  }
  EXPECT_EQ(arithmetic_text(host),
            "  2 devices: cuda:0, cuda:1\n"
            "    2 of 2 results correct: 0 bit-identical to the CPU, 2 within the error bound\n"
            "    largest error 0.50 of the rounding bound; bit-identical in every repeat\n"
            "    fp32, fp64: a*b+c fused\n"
            "    math functions from libclc in our PTX\n");
  host.compute.get()->back().mode = "a*b+c not fused";
  EXPECT_EQ(arithmetic_text(host).find("2 devices"), std::string::npos);
}

TEST(Arithmetic, GivesTheSeedThatRepeatsTheRun) {
  Snapshot host;
  host.compute = std::vector<ComputeResult>{result("same-bits"), result("within-bound")};
  for (ComputeResult& row : *host.compute.get()) row.seed = 4711;
  EXPECT_NE(arithmetic_text(host).find("  inputs generated from seed 4711; --seed 4711 repeats them\n"),
            std::string::npos);
  host.compute.get()->front().seed = 1;
  EXPECT_EQ(arithmetic_text(host).find("seed"), std::string::npos);
}

TEST(Arithmetic, TellsWhatWasOutsideDoubtfulOrNotRun) {
  Snapshot host;
  host.compute = std::vector<ComputeResult>{result("outside", 7), result("not-trustworthy")};
  host.compute.get()->front().repeatable = false;
  host.compute_not_run =
      std::vector<ComputeNotRun>{{.device = "cuda:0", .kernel = "map", .precision = "fp64", .why = "no fp64"}};
  const std::string text = arithmetic_text(host);
  EXPECT_NE(text.find("0 of 2 results correct"), std::string::npos);
  EXPECT_NE(text.find("1 OUTSIDE the bound"), std::string::npos);
  EXPECT_NE(text.find("1 not trustworthy"), std::string::npos);
  EXPECT_NE(text.find("1 of 2 not bit-identical when repeated"), std::string::npos);
  EXPECT_NE(text.find("not run: map (no fp64)"), std::string::npos);
}

TEST(Arithmetic, IsSilentWhereNothingRan) {
  EXPECT_EQ(arithmetic_text({}), "");
  Snapshot host;
  host.compute = std::vector<ComputeResult>{};
  EXPECT_EQ(arithmetic_text(host), "");
}

}  // namespace
}  // namespace envdoctor::arithmetic_test

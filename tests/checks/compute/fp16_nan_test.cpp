#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::compute_fp16_nan_test {

using enum SymptomClass;
namespace {

constexpr const char* id = "compute.fp16-nan";

Snapshot with(std::vector<Symptom> lines, Snapshot host = {}) {
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].line = static_cast<std::int64_t>(i + 1);
  host.log = std::move(lines);
  return host;
}

Snapshot on(const char* gpu) {
  Snapshot report;
  report.nvidia = Nvidia{.devices = std::vector<NvidiaDevice>{{.index = 0, .name = gpu}}};
  return report;
}
const Symptom nan = symptom_of({wrong_result, "nan"});

TEST(ComputeFp16Nan, IsTheGtx16Series) {
  EXPECT_EQ(state_of(id, with({nan}, on("NVIDIA GeForce GTX 1660 Ti"))), "failed");
  EXPECT_EQ(state_of(id, with({nan}, on("NVIDIA GeForce RTX 3060"))), "not-applicable");
  EXPECT_EQ(state_of(id, with({nan, symptom_of({noted, "gpu-of-gtx-16"})})), "failed");
  EXPECT_EQ(state_of(id, on("NVIDIA GeForce GTX 1660 Ti")), "not-applicable") << "nothing went wrong";
}

}  // namespace
}  // namespace envdoctor::compute_fp16_nan_test

#include <gtest/gtest.h>

#include "probe/paste/log_reader.h"

namespace envdoctor::stated_facts_test {
namespace {

using enum SymptomClass;

std::string stated(std::string_view text, const char* subject, const char* detail) {
  const Snapshot snapshot = read_log(text, "report.txt");
  for (const Symptom& one : snapshot.log.or_empty()) {
    if (one.is({noted, subject})) return one.detail(detail);
  }
  return "";
}

TEST(StatedFacts, AreCardsToolkitsAndCapabilities) {
  EXPECT_EQ(stated("GPU: Quadro K4000\nit fails\n", "stated-gpu", "capability"), "3.0");
  EXPECT_EQ(stated("- GPU: geforce gtx 1080 ti\n", "stated-gpu", "capability"), "6.1");
  EXPECT_EQ(stated("my gpu's compute capability is 3.5\n", "stated-gpu", "capability"), "3.5");
  EXPECT_EQ(stated("- CUDA version: 11.4\n", "stated-cuda", "version"), "11.4");
  EXPECT_EQ(stated("CUDA/cuDNN version: 11.8 / 8.6\n", "stated-cuda", "version"), "11.8");
}

TEST(StatedFacts, AreNotWhatOnlyLooksLikeOne) {
  EXPECT_EQ(stated("GPU: T4 runs at p2 with a b3 in m4c\n", "stated-gpu", "name"), "");
  EXPECT_EQ(stated("GPU: rtx 9999\n", "stated-gpu", "name"), "");
  EXPECT_EQ(stated("CUDA: out of memory at 11.2 GiB\n", "stated-cuda", "version"), "");
}

TEST(StatedFacts, NameTheirLineBehindManyEmptyOnes) {
  const Snapshot snapshot = read_log("it fails\n\n\n\n\n\n\n\n\n- GPU: Quadro K4000\n", "report.txt");
  ASSERT_EQ(snapshot.log.or_empty().size(), 1u);
  EXPECT_TRUE(snapshot.log.get()->front().line.is(10));
}

TEST(StatedFacts, AreTimesAndRatesOfTheDeviceNamedLast) {
  EXPECT_EQ(stated("On my CPU (Ryzen 7 3700X) it took about 2 minutes.\n", "stated-time", "value"), "120");
  EXPECT_EQ(stated("On my CPU (Ryzen 7 3700X) it took about 2 minutes.\n", "stated-time", "on"), "CPU");
  EXPECT_EQ(stated("my cpu (i7): idle. The GPU needs 250 ms\n", "stated-time", "on"), "GPU");
  EXPECT_EQ(stated("my cpu (i7): idle. The GPU needs 250 ms\n", "stated-time", "value"), "0.25");
  EXPECT_EQ(stated("using CPU 12k samples/s\n", "stated-rate", "value"), "12000");
  EXPECT_EQ(stated("On my CPU it fails. I waited for 3 hours.\n", "stated-time", "value"), "");
  EXPECT_EQ(stated("on CPU 3.5 GHz and 16 GB, 12 cores\n", "stated-time", "value"), "");
}

TEST(StatedFacts, AreErrorsByPrecision) {
  EXPECT_EQ(stated("RTX 3080/float32  ~2e-4\n", "error-of-precision", "value"), "2e-4");
  EXPECT_EQ(stated("RTX 3080/float32  ~2e-4\n", "error-of-precision", "capability"), "8.6");
  EXPECT_EQ(stated("2070 float32 : 1.5e-7\n", "error-of-precision", "capability"), "7.5");
  EXPECT_EQ(stated("in float32 the model has 3 layers\n", "error-of-precision", "value"), "");
}

}  // namespace
}  // namespace envdoctor::stated_facts_test

#include <gtest/gtest.h>

#include <algorithm>

#include "probe/paste/log_reader.h"

namespace envdoctor::compared_numbers_test {
namespace {

using enum SymptomClass;

// The detail of the first symptom of this kind; "none" without one.
std::string detail(std::string_view text, Kind kind, const char* name) {
  const Snapshot snapshot = read_log(text, "paste.txt");
  const auto& log = snapshot.log.or_empty();
  const auto found = std::ranges::find_if(log, [&](const Symptom& one) { return one.is(kind); });
  return found == log.end() ? "none" : found->detail(name);
}

std::string boundary(std::string_view text) { return detail(text, {wrong_result, "above-a-size"}, "boundary"); }

TEST(GrowingSizes, AreWrongAboveAnIndexOf32Bits) {
  EXPECT_EQ(boundary("NVIDIA L4\nsize  errors\n1000000000  0\n2147483647  0\n2147483700  52\n"), "2^31");
  EXPECT_EQ(boundary("NVIDIA L4\nsize  errors\n1000000000  0\n2147483648  0\n2147483700  52\n"), "2^31");
  EXPECT_EQ(boundary("NVIDIA L4\nn 4000000000 ok\nn 4294967296 ok\nn 4294967300 wrong\n"), "2^32");
  EXPECT_EQ(boundary("size  errors\n1000000000  0\n2147483647  0\n2147483700  52\n"), "none") << "no GPU";
  EXPECT_EQ(boundary("NVIDIA L4\nsize  errors\n1000000000  0\n2147483647  52\n2147483700  52\n"), "none") << "below";
  EXPECT_EQ(boundary("NVIDIA L4\nsize  pieces\n1000000000  1\n2147483647  1\n2147483700  2\n"), "none");
  EXPECT_EQ(boundary("NVIDIA L4\nrows  errors\n20000  0\n60000  0\n90000  52\n"), "none") << "far from 65535";
}

TEST(PairedCommands, DifferInOneOptionOfTheCompiler) {
  const Kind kind{noted, "switch-changes-results"};
  EXPECT_EQ(detail("$ gcc -O2 a.c && ./a.out\nvalid: true\n$ gcc -O3 -ffast-math a.c && ./a.out\nvalid: false\n", kind,
                   "switch"),
            "fast-math");
  EXPECT_EQ(
      detail("$ gcc -O2 a.c && ./a.out\ntook 3 s\n$ gcc -O3 -ffast-math a.c && ./a.out\ntook 2 s\n", kind, "switch"),
      "none");
  EXPECT_EQ(detail("$ gcc -O2 a.c && ./a.out\nvalid: true\n$ gcc -O3 -ffast-math b.c && ./b.out\nvalid: false\n", kind,
                   "switch"),
            "none");
}

TEST(PairedCommands, TimeOneProgramOnTwoDevices) {
  const Kind kind{noted, "stated-time"};
  EXPECT_EQ(detail("$ python a.py --device cpu\ntook 2.0 s\n$ python a.py --device cuda\ntook 5.0 s\n", kind, "value"),
            "2");
  EXPECT_EQ(detail("$ python a.py --device cpu\ntook 2.0 s\n$ python b.py --device cuda\ntook 5.0 s\n", kind, "value"),
            "none");
}

TEST(StepParts, AreAveragedOverSeveralSteps) {
  const std::string step = "data 0.30s forward 0.05s backward 0.05s\n";
  EXPECT_EQ(detail(step + step + step, {noted, "step-times"}, "step"), "0.4");
  EXPECT_EQ(detail(step + step + step, {noted, "step-times"}, "data"), "0.3");
  EXPECT_EQ(detail(step, {noted, "step-times"}, "data"), "none");
}

TEST(RepeatedRuns, HaveTheSameSeed) {
  const auto runs = [](const char* one, const char* other) {
    const std::string command = "$ python train.py --seed ", losses = "\nepoch 1 loss 0.6931\nepoch 2 loss ";
    return detail(command + one + losses + "0.5120\n" + command + other + losses + "0.5201\nNVIDIA L4\n",
                  {noted, "runs-differ"}, "none");
  };
  EXPECT_EQ(runs("7", "7"), "");
  EXPECT_EQ(runs("7", "8"), "none");
}

}  // namespace
}  // namespace envdoctor::compared_numbers_test

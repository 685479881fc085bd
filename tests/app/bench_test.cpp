// `bench` as a user runs it, on any device of this host: the host's own C++ is always available.
#include <gmock/gmock.h>

#include "evidence/json.h"
#include "tests/support/devices.h"
#include "tests/support/process.h"

namespace envdoctor::bench_test {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::StartsWith;

const std::string small = "bench --quick --kernel launch,triad --size 100000 --seed 7 ";

// On cores that others use as well, times may scatter so widely that they are refused: exit status 3.
Ran when_calm(const std::string& arguments) {
  Ran ran = run_envdoctor(arguments);
  for (int again = 0; again < 9 && ran.status == 3; ++again) ran = run_envdoctor(arguments);
  return ran;
}

TEST(BenchCommand, TimesTheHostAlone) {
  const Ran ran = when_calm(small + "--device host --format json");
  EXPECT_EQ(ran.status, 0) << ran.err;
  const Snapshot seen = snapshot_from_json(ran.out, "bench");
  ASSERT_EQ(seen.compute.get()->size(), 2U);
  for (const ComputeResult& row : *seen.compute.get()) {
    EXPECT_TRUE(row.device.is("host"));
    EXPECT_TRUE(row.seed.is(7));
    ASSERT_TRUE(row.time.get()) << row.time.why();
    EXPECT_GE(*row.time.get()->samples.get(), 15);
  }
}

TEST(BenchCommand, TimesPoclWithTheHostBesideIt) {
  if (driver_of("pocl.icd").empty()) GTEST_SKIP() << "PoCL is not installed";
  const Ran ran = when_calm(small + "--device pthread");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("\nSpeed\n"));
  EXPECT_THAT(ran.out, HasSubstr("\n  host\n"));
  EXPECT_THAT(ran.out, HasSubstr("triad fp32"));
  EXPECT_THAT(ran.out, HasSubstr("GB/s"));
  std::istringstream lines(ran.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
}

TEST(BenchCommand, RefusesWhatItDoesNotKnow) {
  const Ran kernel = run_envdoctor("bench --kernel traid");
  EXPECT_EQ(kernel.status, 2);
  EXPECT_THAT(kernel.err, HasSubstr("did you mean 'triad'?"));
  EXPECT_EQ(run_envdoctor("bench --device nonsense").status, 2);
  EXPECT_EQ(run_envdoctor("bench --precision fp33").status, 2);
  EXPECT_EQ(run_envdoctor("bench --size 0").status, 2);
  EXPECT_THAT(run_envdoctor("bench --help").out, HasSubstr("--size"));
}

TEST(BenchCommand, WritesSeveralReports) {
  const std::string folder = test_folder();
  const Ran ran = when_calm(small + "--device host -o json=" + folder + "/b -o html=" + folder + "/b.html");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(read_whole(folder + "/b"), StartsWith("{"));
  EXPECT_THAT(read_whole(folder + "/b.html"), HasSubstr("GB/s"));
}

}  // namespace
}  // namespace envdoctor::bench_test

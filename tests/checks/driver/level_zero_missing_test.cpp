#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::driver_level_zero_missing_test {

using enum SymptomClass;
namespace {

constexpr const char* id = "driver.level-zero-missing";

Snapshot with(std::vector<Symptom> lines, Snapshot host = {}) {
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].line = static_cast<std::int64_t>(i + 1);
  host.log = std::move(lines);
  return host;
}

Snapshot arc_by_opencl() {
  Snapshot host = plain_host();
  const OpenclDevice arc{.name = "Intel(R) Arc(TM) A770 Graphics", .type = "gpu", .vendor = "Intel(R) Corporation"};
  host.opencl.fill().platforms =
      std::vector<OpenclPlatform>{{.name = "Intel(R) OpenCL Graphics", .devices = std::vector<OpenclDevice>{arc}}};
  return host;
}

TEST(DriverLevelZeroMissing, IsTheLackBesideAnOpenClThatWorks) {
  Snapshot host = arc_by_opencl();
  host.level_zero = LevelZero{.error = "ZE_RESULT_ERROR_UNINITIALIZED"};
  const Answers answers = answers_of(id, host);
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->severity, Severity::info) << "nobody asked for it";
  host.torch = Torch{.version = "2.6.0+xpu"};
  EXPECT_EQ(finding_of(answers_of(id, host), id)->severity, Severity::error);
  host.level_zero.fill().devices = std::vector<LevelZeroDevice>{{.name = "Intel(R) Arc(TM) A770 Graphics"}};
  EXPECT_EQ(state_of(id, host), "passed");
}

TEST(DriverLevelZeroMissing, IsReadFromTheListOfSycl) {
  const auto line = [](const char* backend, const char* type) {
    return symptom_of({present, "sycl-device"}, {{"backend", backend}, {"type", type}});
  };
  EXPECT_EQ(state_of(id, with({line("opencl", "cpu"), line("opencl", "gpu")})), "failed");
  EXPECT_NE(state_of(id, with({line("opencl", "gpu"), line("level_zero", "gpu")})), "failed");
  EXPECT_NE(state_of(id, with({line("opencl", "cpu")})), "failed") << "there is no GPU";
}

}  // namespace
}  // namespace envdoctor::driver_level_zero_missing_test

#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor {

Check hardware_ecc();

namespace {

constexpr const char* id = "hardware.ecc";

std::string state(const Snapshot& snapshot) { return state_of(hardware_ecc(), snapshot, id); }

Answers told(const Snapshot& snapshot) { return answers_of(hardware_ecc(), snapshot); }

Snapshot with_ecc(std::int64_t uncorrected, bool pending, bool broken) {
  Snapshot host = healthy_nvidia_host();
  Ecc ecc;
  ecc.enabled = true;
  ecc.corrected = 3;
  ecc.uncorrected = uncorrected;
  ecc.remap_pending = pending;
  ecc.remap_failed = broken;
  host.nvidia.fill().devices.fill().front().ecc = ecc;
  return host;
}

TEST(HardwareEcc, IsFoundWithUncorrectedErrors) {
  const Answers answers = told(with_ecc(2, false, false));
  const Finding* finding = finding_of(answers, id);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->severity, Severity::error);
  EXPECT_EQ(paths_of(*finding), std::vector<std::string>{"/nvidia/devices/0/ecc/uncorrected"});
}

TEST(HardwareEcc, IsFoundWhereAReplacementFailed) { EXPECT_EQ(state(with_ecc(0, false, true)), "found"); }

TEST(HardwareEcc, OnlyWarnsOfAReplacementThatWaits) {
  const Answers answers = told(with_ecc(0, true, false));
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->severity, Severity::warning);
}

TEST(HardwareEcc, IsSoundWithCorrectedErrorsOnly) { EXPECT_EQ(state(with_ecc(0, false, false)), "sound"); }

TEST(HardwareEcc, TakesTheKernelLogsWordForLikely) {
  Snapshot host = with_ecc(0, false, false);
  host.nvidia.fill().xid = std::vector<Xid>{{.code = 48, .gpu = "0000:65:00"}};
  const Answers answers = told(host);
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::likely);
  EXPECT_EQ(paths_of(*finding_of(answers, id)), std::vector<std::string>{"/nvidia/xid/0"});
}

TEST(HardwareEcc, IsSoundForAGpuWithoutEcc) {
  Snapshot host = healthy_nvidia_host();
  host.nvidia.fill().devices.fill().front().ecc = absent("the GPU has no ECC");
  EXPECT_EQ(state(host), "sound");
}

TEST(HardwareEcc, IsUnknownWhereNobodyCounted) {
  EXPECT_EQ(state(healthy_nvidia_host()), "unknown");
  EXPECT_EQ(state(Snapshot{}), "unknown");
}

TEST(HardwareEcc, DoesNotApplyWithoutAnNvidiaGpu) { EXPECT_EQ(state(plain_host()), "not-applicable"); }

}  // namespace
}  // namespace envdoctor

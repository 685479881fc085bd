#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::memory_occupied_test {

namespace {

const std::string id = "memory.occupied";

Snapshot with_free(std::vector<std::int64_t> free) {
  Snapshot snapshot = healthy_nvidia_host();
  snapshot.probes = std::map<std::string, ProbeStatus>{};
  std::vector<NvidiaDevice> devices;
  std::vector<CudaDevice> cuda;
  for (const std::int64_t mib : free) {
    const auto index = static_cast<std::int64_t>(devices.size());
    const std::string address = "0000:0" + std::to_string(index) + ":00.0";
    devices.push_back(nvml_a100(index, address));
    devices.back().memory_free_mib = mib;
    cuda.push_back(cuda_a100(index, address));
  }
  snapshot.nvidia.fill().devices = devices;
  snapshot.nvidia.fill().cuda_devices = cuda;
  return snapshot;
}

TEST(MemoryOccupied, IsSoundWhereThereIsRoom) {
  EXPECT_EQ(state_of("memory.occupied", healthy_nvidia_host()), "passed");
  EXPECT_EQ(state_of("memory.occupied", with_free({8000})), "passed");
}

TEST(MemoryOccupied, FindsAFullGpuAndWhoHoldsIt) {
  Snapshot snapshot = with_free({120});
  snapshot.nvidia.fill().processes =
      std::vector<NvidiaProcess>{{.pid = 4242, .name = "python", .gpu = 0, .memory_mib = 39000}};
  const Answers answers = answers_of("memory.occupied", snapshot);
  const Finding* finding = finding_of(answers, id);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->severity, Severity::error);
  EXPECT_EQ(finding->confidence, Confidence::certain);
  EXPECT_EQ(finding->subject, "gpu:0000:00:00.0");
  EXPECT_NE(finding->explanation.find("process 4242 (python): 39000 MiB"), std::string::npos);
}

TEST(MemoryOccupied, OnlyWarnsWhereAnotherGpuHasRoomOrALittleIsLeft) {
  const Answers answers = answers_of("memory.occupied", with_free({120, 40000}));
  ASSERT_EQ(answers.findings.size(), 1U);
  EXPECT_EQ(answers.findings[0].severity, Severity::warning);
  EXPECT_EQ(answers.findings[0].confidence, Confidence::likely);
  EXPECT_EQ(finding_of(answers_of("memory.occupied", with_free({3000})), id)->severity, Severity::warning);
}

TEST(MemoryOccupied, DoesNotLookAtASplitCardsSum) {
  Snapshot snapshot = with_free({20});
  snapshot.nvidia.get()->devices.get()->front().mig = true;
  EXPECT_EQ(state_of("memory.occupied", snapshot), "passed");
}

TEST(MemoryOccupied, IsOnlyPossibleInAReportThatNamesNoProcess) {
  Snapshot snapshot = with_free({20});
  snapshot.probes = Map<ProbeStatus>();
  EXPECT_EQ(finding_of(answers_of("memory.occupied", snapshot), id)->confidence, Confidence::possible);
}

TEST(MemoryOccupied, DoesNotApplyWithoutAGpu) {
  EXPECT_EQ(state_of("memory.occupied", plain_host()), "not-applicable");
}

TEST(MemoryOccupied, IsUnknownWhereMemoryWasNotRead) {
  Snapshot snapshot = with_free({20});
  snapshot.nvidia.get()->devices.get()->front().memory_free_mib = failed("NVML_ERROR_NOT_SUPPORTED");
  EXPECT_EQ(state_of("memory.occupied", snapshot), "unknown");
  EXPECT_EQ(state_of("memory.occupied", Snapshot{}), "unknown");
}

}  // namespace
}  // namespace envdoctor::memory_occupied_test

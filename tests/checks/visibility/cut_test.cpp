#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::visibility_cut_test {

using enum SymptomClass;

namespace {

const std::string ordinal = "visibility.invalid-ordinal";
const std::string uuid = "visibility.invalid-uuid";

Snapshot two_gpus(const std::string& value) {
  Snapshot snapshot = healthy_nvidia_host();
  snapshot.probes = std::map<std::string, ProbeStatus>{};
  NvidiaDevice second = nvml_a100(1, "0000:b1:00.0");
  second.uuid = "GPU-77777777";
  snapshot.nvidia.fill().devices = std::vector<NvidiaDevice>{nvml_a100(), second};
  snapshot.nvidia.fill().cuda_devices = List<CudaDevice>();
  snapshot.env.fill()["CUDA_VISIBLE_DEVICES"] = value;
  return snapshot;
}

std::string ordinal_state(const std::string& value) { return state_of(ordinal, two_gpus(value)); }
std::string uuid_state(const std::string& value) { return state_of(uuid, two_gpus(value)); }

TEST(VisibilityCut, IsSoundWhereEveryEntryNamesADevice) {
  EXPECT_EQ(state_of(ordinal, healthy_nvidia_host()), "passed");
  for (const char* value : {"0", "1,0", "0,", "0,-1", "GPU-3f2a", "GPU-77,GPU-3f2a1b4c-0000-1111-2222-333344445555"}) {
    EXPECT_EQ(ordinal_state(value), "passed") << value;
    EXPECT_EQ(uuid_state(value), "passed") << value;
  }
}

TEST(VisibilityCut, FindsANumberThatNoDeviceHas) {
  const Answers answers = answers_of_all({"visibility.invalid-ordinal", "visibility.invalid-uuid"}, two_gpus("2"));
  const Finding* finding = finding_of(answers, ordinal);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->severity, Severity::error);
  EXPECT_EQ(finding->confidence, Confidence::certain);
  EXPECT_EQ(paths_of(*finding), (std::vector<std::string>{"/env/CUDA_VISIBLE_DEVICES", "/nvidia/devices"}));
  EXPECT_EQ(finding->fix.front().text, "The numbers here go from 0 to 1.");
  EXPECT_EQ(state_of(answers, uuid), "passed");
}

TEST(VisibilityCut, WarnsWhereSomeGpusAreLeftAndInformsWhereAllAre) {
  const Answers some = answers_of_all({"visibility.invalid-ordinal", "visibility.invalid-uuid"}, two_gpus("1,4,0"));
  EXPECT_EQ(finding_of(some, ordinal)->severity, Severity::warning);
  EXPECT_NE(finding_of(some, ordinal)->explanation.find("device 0 = GPU-77777777 at b1:00.0"), std::string::npos);
  const Answers all = answers_of_all({"visibility.invalid-ordinal", "visibility.invalid-uuid"}, two_gpus("0,1,2,3"));
  EXPECT_EQ(finding_of(all, ordinal)->severity, Severity::info);
}

TEST(VisibilityCut, FindsRepetitionsAndMixturesWithLessCertainty) {
  for (const char* value : {"0,0", "0,GPU-77", "1,abc"}) {
    const Answers answers = answers_of_all({"visibility.invalid-ordinal", "visibility.invalid-uuid"}, two_gpus(value));
    ASSERT_NE(finding_of(answers, ordinal), nullptr) << value;
    EXPECT_EQ(finding_of(answers, ordinal)->confidence,
              std::string(value) == "1,abc" ? Confidence::certain : Confidence::likely);
  }
}

TEST(VisibilityCut, FindsAUuidThatNoGpuOrMoreThanOneHas) {
  for (const char* value : {"GPU-99999999", "MIG-99999999", "GPU-"}) {
    const Answers answers = answers_of_all({"visibility.invalid-ordinal", "visibility.invalid-uuid"}, two_gpus(value));
    EXPECT_NE(finding_of(answers, uuid), nullptr) << value;
    EXPECT_EQ(state_of(answers, ordinal), "passed") << value;
  }
}

TEST(VisibilityCut, LeavesTextsThatSelectNothingAtAllToAnotherDiagnosis) {
  for (const char* value : {"", "-1", "NoDevFiles"}) EXPECT_EQ(ordinal_state(value), "passed") << value;
}

TEST(VisibilityCut, IsOnlyPossibleInAReportWhoseListMayBeWhatTheVariableLeft) {
  Snapshot snapshot;
  snapshot.nvidia.fill().devices = std::vector<NvidiaDevice>{nvml_a100()};
  snapshot.env.fill()["CUDA_VISIBLE_DEVICES"] = "1";
  EXPECT_EQ(finding_of(answers_of_all({"visibility.invalid-ordinal", "visibility.invalid-uuid"}, snapshot), ordinal)
                ->confidence,
            Confidence::possible);
  snapshot.nvidia.fill().cuinit_error = "CUDA_ERROR_NO_DEVICE";
  EXPECT_EQ(finding_of(answers_of_all({"visibility.invalid-ordinal", "visibility.invalid-uuid"}, snapshot), ordinal)
                ->confidence,
            Confidence::certain);
}

TEST(VisibilityCut, TrustsCudasOwnListMoreThanItsRules) {
  Snapshot snapshot = two_gpus("0,0");
  snapshot.nvidia.fill().cuda_devices = std::vector<CudaDevice>{cuda_a100()};
  EXPECT_EQ(state_of(ordinal, snapshot), "passed");
}

TEST(VisibilityCut, DoesNotApplyWithoutAGpu) {
  Snapshot snapshot = plain_host();
  snapshot.env.fill()["CUDA_VISIBLE_DEVICES"] = "5";
  EXPECT_EQ(state_of(ordinal, snapshot), "not-applicable");
  EXPECT_EQ(state_of(uuid, snapshot), "not-applicable");
}

TEST(VisibilityCut, IsUnknownWhereTheGpusWereNotCounted) {
  Snapshot snapshot;
  snapshot.env.fill()["CUDA_VISIBLE_DEVICES"] = "5";
  EXPECT_EQ(state_of(ordinal, snapshot), "unknown");
  snapshot.nvidia.fill().cuinit_error = "CUDA_ERROR_NO_DEVICE";
  const Answers answers = answers_of_all({"visibility.invalid-ordinal", "visibility.invalid-uuid"}, snapshot);
  ASSERT_NE(finding_of(answers, ordinal), nullptr);
  EXPECT_EQ(finding_of(answers, ordinal)->confidence, Confidence::possible);
}

TEST(VisibilityCut, TakesALogsWordThatCudaFindsNoDevice) {
  Snapshot snapshot;
  snapshot.env.fill()["CUDA_VISIBLE_DEVICES"] = "7";
  snapshot.log = std::vector<Symptom>{symptom_of({missing, "available-gpu"}, {}, "log.txt")};
  const Answers answers = answers_of_all({"visibility.invalid-ordinal", "visibility.invalid-uuid"}, snapshot);
  ASSERT_NE(finding_of(answers, ordinal), nullptr);
  EXPECT_EQ(paths_of(*finding_of(answers, ordinal)), (std::vector<std::string>{"/env/CUDA_VISIBLE_DEVICES", "log"}));
}

TEST(VisibilityCut, IsUnknownForAMigUuidWhereInstancesWereNotListed) {
  Snapshot snapshot = two_gpus("MIG-99999999");
  NvidiaDevice split = nvml_a100();
  split.mig = true;
  split.mig_devices = List<MigDevice>();
  snapshot.nvidia.fill().devices = std::vector<NvidiaDevice>{split};
  EXPECT_EQ(state_of(uuid, snapshot), "unknown");
}

TEST(VisibilityCut, JudgesRocrsListOnAnAmdHost) {
  Snapshot snapshot = plain_host();
  snapshot.pci = std::vector<PciDevice>{pci_gpu("0000:03:00.0", "1002", "740f", "amdgpu")};
  RocmDevice device;
  device.pci_address = "0000:03:00.0";
  snapshot.rocm.fill().devices = std::vector<RocmDevice>{device};
  snapshot.env.fill()["ROCR_VISIBLE_DEVICES"] = "1";
  EXPECT_EQ(
      finding_of(answers_of_all({"visibility.invalid-ordinal", "visibility.invalid-uuid"}, snapshot), ordinal)->subject,
      "env:ROCR_VISIBLE_DEVICES");
}

}  // namespace
}  // namespace envdoctor::visibility_cut_test

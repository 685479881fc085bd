#include "checks/driver/nvidia_facts.h"
#include "knowledge/codes/names.h"

#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::driver_nvidia_driver_test {
namespace {

TEST(NvidiaErrors, AreKnownByNameByNumberAndByTheStubsMinusOne) {
  EXPECT_EQ(knowledge::cuda_error_name("CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected"),
            "CUDA_ERROR_NO_DEVICE");
  EXPECT_EQ(knowledge::cuda_error_name("UNKNOWN ERROR (303)"), "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED");
  EXPECT_EQ(knowledge::cuda_error_name("802"), "CUDA_ERROR_SYSTEM_NOT_READY");
  EXPECT_EQ(knowledge::cuda_error_name("UNKNOWN ERROR (-1)"), "CUDA_ERROR_STUB_LIBRARY");
  EXPECT_EQ(knowledge::cuda_error_name("no number at all"), "no number at all");
  EXPECT_EQ(knowledge::cuda_error_name("99999999999999999999"), "99999999999999999999");
  EXPECT_EQ(knowledge::cuda_error_name(""), "");
}

TEST(NvidiaErrors, AreKnownByTheWordsOfNvidiaSmi) {
  EXPECT_EQ(knowledge::nvml_error_name("Failed to initialize NVML: Driver/library version mismatch"),
            "NVML_ERROR_LIB_RM_VERSION_MISMATCH");
  EXPECT_EQ(knowledge::nvml_error_name("NVML_ERROR_GPU_IS_LOST (15)"), "NVML_ERROR_GPU_IS_LOST");
  EXPECT_EQ(knowledge::nvml_error_name("something else"), "something else");
}

TEST(NvidiaAnswers, DoNotTakeAMissingLibraryForSuccess) {
  Snapshot host = plain_host();
  host.nvidia.fill().cuinit_error = absent("the CUDA driver was not loaded: libcuda.so.1 not found");
  EXPECT_EQ(nvidia::cuinit(host).outcome(), Outcome::failed);
  EXPECT_EQ(nvidia::cuinit(healthy_nvidia_host()).outcome(), Outcome::absent);
}

TEST(NvidiaAnswers, ComeFromALogOnlyWhereTheHostWasNotAsked) {
  Snapshot host = healthy_nvidia_host();
  host.log =
      std::vector<Symptom>{symptom_of({SymptomClass::failed, "cuinit"}, {{"code", "CUDA_ERROR_UNKNOWN"}}, "log.txt")};
  EXPECT_EQ(nvidia::cuinit(host).outcome(), Outcome::absent);
  host.nvidia = {};
  EXPECT_TRUE(nvidia::cuinit(host).is("CUDA_ERROR_UNKNOWN"));
  EXPECT_EQ(nvidia::cuinit_evidence(host).front().path, "log");
}

TEST(NvidiaFacts, TakeALogsWordForLibcudaOnlyWhereTheHostWasNotSearched) {
  Snapshot report;
  report.log =
      std::vector<Symptom>{symptom_of({SymptomClass::missing, "library"}, {{"library", "libcuda.so.1"}}, "log.txt")};
  EXPECT_EQ(nvidia::libcuda(report).outcome(), Outcome::absent);
  EXPECT_EQ(nvidia::libcuda_evidence(report).path, "log");
  report.libraries = std::vector<SharedLibrary>{library_at("libcuda.so.1", "/usr/lib64/libcuda.so.1")};
  EXPECT_TRUE(nvidia::libcuda(report).is("/usr/lib64/libcuda.so.1"));
  EXPECT_EQ(nvidia::libcuda_evidence(report).path, "/libraries/0/path");
}

TEST(NvidiaFacts, TakeAnAnswerOfCuInitForAnInstalledDriverUnlessItSaysThereIsNone) {
  Snapshot report;
  report.nvidia.fill().cuinit_error = "CUDA_ERROR_NO_DEVICE";
  EXPECT_TRUE(nvidia::user_space_installed(report).is(true));
  report.nvidia.fill().cuinit_error = "UNKNOWN ERROR (303)";
  EXPECT_EQ(nvidia::user_space_installed(report).outcome(), Outcome::not_probed);
}

TEST(NvidiaFacts, TellCudaWorkingFromRocmWorking) {
  Snapshot host = plain_host();
  host.torch.fill().cuda_available = true;
  EXPECT_TRUE(nvidia::cuda_works(host).has_value());
  host.torch.fill().version = "2.4.0+rocm6.1";
  EXPECT_FALSE(nvidia::cuda_works(host).has_value());
}

TEST(NvidiaFacts, KnowTheHostHasNoneOnlyWhereTheBusWasRead) {
  EXPECT_EQ(nvidia::not_here(plain_host()), "the PCI bus shows no NVIDIA GPU");
  EXPECT_EQ(nvidia::not_here(Snapshot{}), "");
  Snapshot jetson = plain_host();
  jetson.device_nodes = std::vector<DeviceNode>{node_at("/dev/nvidia0")};
  EXPECT_EQ(nvidia::not_here(jetson), "");
}

TEST(NvidiaFacts, OnlyWarnWhereOpenclServesTheGpuAndNoFrameworkAsksForCuda) {
  Snapshot host = healthy_nvidia_host();
  host.nvidia.fill().cuda_devices = failed("cuInit");
  EXPECT_EQ(nvidia::fault_severity(host), Severity::error);
  OpenclPlatform platform;
  platform.name = "NVIDIA CUDA";
  platform.devices = std::vector<OpenclDevice>(1);
  host.opencl.fill().platforms = std::vector<OpenclPlatform>{platform};
  EXPECT_EQ(nvidia::fault_severity(host), Severity::warning);
  host.torch.fill().cuda_version = "12.4";
  EXPECT_EQ(nvidia::fault_severity(host), Severity::error);
}

// A host that works gets no error, and neither does a report that says next to nothing.
TEST(Roster, FindsNothingOnAHealthyHostNorInAnEmptyReport) {
  Snapshot version_only;
  version_only.nvidia.fill().kernel_driver_version = "550.54.14";
  version_only.torch.fill().version = "2.4.0+cu121";
  for (const Snapshot& snapshot : {healthy_nvidia_host(), Snapshot{}, version_only}) {
    const Answers answers = answers_of_all({}, snapshot);
    for (const Finding& finding : answers.findings) EXPECT_EQ(finding.severity, Severity::info) << finding.id;
    for (const Diagnosis& row : roster()) {
      if (row.judge || row.judge_host) {
        EXPECT_NE(state_of(answers, row.id), "nothing") << row.id;
      }
    }
  }
}

}  // namespace
}  // namespace envdoctor::driver_nvidia_driver_test

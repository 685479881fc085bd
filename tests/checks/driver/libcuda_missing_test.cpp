#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::driver_libcuda_missing_test {

namespace {

constexpr const char* id = "driver.libcuda-missing";

std::string state(const Snapshot& snapshot) { return state_of("driver.libcuda-missing", snapshot); }

Answers answers_for(const Snapshot& snapshot) { return answers_of("driver.libcuda-missing", snapshot); }

Snapshot without_libcuda() {
  Snapshot host = healthy_nvidia_host();
  host.libraries = std::vector<SharedLibrary>{library_missing("libcuda.so.1")};
  Nvidia& nvidia = host.nvidia.fill();
  nvidia.cuda_library = absent("libcuda.so.1 not found");
  nvidia.cuinit_error = absent("the CUDA driver was not loaded");
  nvidia.cuda_devices = absent("the CUDA driver was not loaded");
  return host;
}

TEST(DriverLibcudaMissing, IsFoundBesideARunningModule) {
  const Answers answers = answers_for(without_libcuda());
  const Finding* finding = finding_of(answers, id);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->confidence, Confidence::certain);
  EXPECT_EQ(finding->subject, "library:libcuda.so.1");
  EXPECT_EQ(paths_of(*finding), (std::vector<std::string>{"/libraries/0/found", "/nvidia/kernel_driver_version"}));
}

TEST(DriverLibcudaMissing, NamesTheFolderOfACopyThatIsNotOnTheSearchPath) {
  Snapshot pod = in_docker(without_libcuda());
  pod.libraries.fill().front().path = "/usr/local/nvidia/lib64/libcuda.so.1";
  const Answers answers = answers_for(pod);
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->fix.front().command,
            "export LD_LIBRARY_PATH=/usr/local/nvidia/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}");
}

TEST(DriverLibcudaMissing, DoesNotApplyToAContainerWithoutANode) {
  Snapshot pod = in_docker(without_libcuda());
  pod.device_nodes = std::vector<DeviceNode>{};
  EXPECT_EQ(state(pod), "not-applicable");
}

TEST(DriverLibcudaMissing, IsOnlyPossibleInAContainerWhoseNodesAreNotKnown) {
  Snapshot report;
  report.host.fill().container = "kubernetes";
  report.libraries = std::vector<SharedLibrary>{library_missing("libcuda.so.1")};
  const Answers answers = answers_for(report);
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::possible);
}

TEST(DriverLibcudaMissing, IsSoundWhereItIsFound) { EXPECT_EQ(state(healthy_nvidia_host()), "passed"); }

TEST(DriverLibcudaMissing, DoesNotApplyWithoutAModuleOrAGpu) {
  EXPECT_EQ(state(plain_host()), "not-applicable");
  Snapshot host = plain_host();
  host.pci = std::vector<PciDevice>{pci_a100("0000:65:00.0", absent("no driver bound"))};
  EXPECT_EQ(state(host), "not-applicable");
}

TEST(DriverLibcudaMissing, IsUnknownWhereNobodyLooked) {
  EXPECT_EQ(state(Snapshot{}), "unknown");
  Snapshot report;
  report.nvidia.fill().kernel_driver_version = "550.54.14";
  EXPECT_EQ(state(report), "unknown");
}

}  // namespace
}  // namespace envdoctor::driver_libcuda_missing_test

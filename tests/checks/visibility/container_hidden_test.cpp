#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::visibility_container_hidden_test {

namespace {

const std::string id = "visibility.container-hidden";

// What a container without --gpus shows on a node whose driver is healthy.
Snapshot without_gpus() {
  Snapshot snapshot = in_docker(plain_host());
  snapshot.pci = std::vector<PciDevice>{pci_a100()};
  snapshot.nvidia.fill().kernel_driver_version = "550.54.14";
  return snapshot;
}

TEST(VisibilityContainerHidden, IsSoundWhereTheNodesCameAlong) {
  EXPECT_EQ(state_of("visibility.container-hidden", in_docker(healthy_nvidia_host())), "passed");
}

TEST(VisibilityContainerHidden, FindsADriverWithoutNodes) {
  const Answers answers = answers_of("visibility.container-hidden", without_gpus());
  const Finding* finding = finding_of(answers, id);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->severity, Severity::error);
  EXPECT_EQ(finding->confidence, Confidence::certain);
  EXPECT_EQ(finding->fix.front().text, "Start the container again with the option --gpus all.");
}

TEST(VisibilityContainerHidden, SaysWhatTheContainerAskedFor) {
  Snapshot snapshot = without_gpus();
  snapshot.env.fill()["NVIDIA_VISIBLE_DEVICES"] = "void";
  const Answers answers = answers_of("visibility.container-hidden", snapshot);
  EXPECT_NE(finding_of(answers, id)->explanation.find("which asks for no GPU"), std::string::npos);
}

TEST(VisibilityContainerHidden, IsOnlyPossibleWhereNothingButTheMissingLibraryIsKnown) {
  Snapshot snapshot;
  snapshot.host.fill().container = "docker";
  snapshot.libraries = std::vector<SharedLibrary>{library_missing("libcuda.so.1")};
  const Answers answers = answers_of("visibility.container-hidden", snapshot);
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::possible);
}

TEST(VisibilityContainerHidden, BlamesNobodyWhereTheNodeHasNoDriver) {
  Snapshot snapshot = without_gpus();
  snapshot.nvidia.fill().kernel_driver_version = absent("no /proc/driver/nvidia/version");
  EXPECT_EQ(state_of("visibility.container-hidden", snapshot), "passed");
}

TEST(VisibilityContainerHidden, DoesNotApplyOutsideContainersOrWithoutAGpu) {
  EXPECT_EQ(state_of("visibility.container-hidden", healthy_nvidia_host()), "not-applicable");
  EXPECT_EQ(state_of("visibility.container-hidden", in_docker(plain_host())), "not-applicable");
}

TEST(VisibilityContainerHidden, IsUnknownWhereNobodyLookedForNodes) {
  Snapshot snapshot;
  EXPECT_EQ(state_of("visibility.container-hidden", snapshot), "unknown");
  snapshot.host.fill().container = "docker";
  snapshot.nvidia.fill().kernel_driver_version = "440.59";
  EXPECT_EQ(state_of("visibility.container-hidden", snapshot), "unknown");
}

TEST(VisibilityContainerHidden, OnlyInformsOfAProcessorsOwnGpu) {
  Snapshot snapshot = in_docker(plain_host());
  snapshot.pci = std::vector<PciDevice>{pci_gpu("0000:00:02.0", "8086", "9a49", "i915")};
  EXPECT_EQ(finding_of(answers_of("visibility.container-hidden", snapshot), id)->severity, Severity::info);
  snapshot.pci = std::vector<PciDevice>{pci_gpu("0000:03:00.0", "1002", "740f", "amdgpu")};
  EXPECT_EQ(finding_of(answers_of("visibility.container-hidden", snapshot), id)->severity, Severity::error);
}

}  // namespace
}  // namespace envdoctor::visibility_container_hidden_test

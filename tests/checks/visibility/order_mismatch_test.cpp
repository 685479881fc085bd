#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::visibility_order_mismatch_test {

namespace {

const std::string id = "visibility.order-mismatch";

NvidiaDevice t4(std::int64_t index) {
  NvidiaDevice device = nvml_a100(index, "0000:17:00.0");
  device.name = "Tesla T4";
  device.uuid = "GPU-11111111";
  device.compute_capability = "7.5";
  return device;
}

CudaDevice t4_in_cuda(std::int64_t ordinal) {
  CudaDevice device = cuda_a100(ordinal, "0000:17:00.0");
  device.name = "Tesla T4";
  device.uuid = "GPU-11111111";
  return device;
}

// nvidia-smi: T4, A100. CUDA: A100, T4.
Snapshot mixed() {
  Snapshot snapshot = healthy_nvidia_host();
  snapshot.nvidia.fill().devices = std::vector<NvidiaDevice>{t4(0), nvml_a100(1)};
  snapshot.nvidia.fill().cuda_devices = std::vector<CudaDevice>{cuda_a100(0), t4_in_cuda(1)};
  return snapshot;
}

TEST(VisibilityOrderMismatch, IsSoundWhereBothOrdersAreEqual) {
  Snapshot snapshot = mixed();
  snapshot.nvidia.fill().cuda_devices = std::vector<CudaDevice>{t4_in_cuda(0), cuda_a100(1)};
  EXPECT_EQ(state_of("visibility.order-mismatch", snapshot), "passed");
  snapshot = mixed();
  snapshot.env.fill()["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID";
  EXPECT_EQ(state_of("visibility.order-mismatch", snapshot), "passed");
}

TEST(VisibilityOrderMismatch, FindsDifferentOrders) {
  const Answers answers = answers_of("visibility.order-mismatch", mixed());
  const Finding* finding = finding_of(answers, id);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->severity, Severity::warning);
  EXPECT_EQ(finding->confidence, Confidence::certain);
  EXPECT_EQ(finding->fix.front().command, "export CUDA_DEVICE_ORDER=PCI_BUS_ID");
}

TEST(VisibilityOrderMismatch, FindsANumberThatPicksAnotherGpu) {
  Snapshot snapshot = mixed();
  snapshot.env.fill()["CUDA_VISIBLE_DEVICES"] = "1";
  snapshot.nvidia.fill().cuda_devices = std::vector<CudaDevice>{t4_in_cuda(0)};
  const Answers answers = answers_of("visibility.order-mismatch", snapshot);
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->subject, "env:CUDA_VISIBLE_DEVICES");
  snapshot.nvidia.fill().cuda_devices = std::vector<CudaDevice>{cuda_a100(0)};
  EXPECT_EQ(state_of("visibility.order-mismatch", snapshot), "passed");
}

TEST(VisibilityOrderMismatch, IsSoundWhereUuidsPick) {
  Snapshot snapshot = mixed();
  snapshot.env.fill()["CUDA_VISIBLE_DEVICES"] = "GPU-11111111";
  EXPECT_EQ(state_of("visibility.order-mismatch", snapshot), "passed");
}

TEST(VisibilityOrderMismatch, DoesNotApplyToGpusOfOneKind) {
  EXPECT_EQ(state_of("visibility.order-mismatch", healthy_nvidia_host()), "not-applicable");
  EXPECT_EQ(state_of("visibility.order-mismatch", plain_host()), "not-applicable");
}

TEST(VisibilityOrderMismatch, IsUnknownOrOnlyPossibleWhereCudaWasNotAsked) {
  Snapshot snapshot = mixed();
  snapshot.nvidia.fill().cuda_devices = List<CudaDevice>();
  EXPECT_EQ(state_of("visibility.order-mismatch", snapshot), "unknown");
  snapshot.env.fill()["CUDA_VISIBLE_DEVICES"] = "0";
  const Answers answers = answers_of("visibility.order-mismatch", snapshot);
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::possible);
  EXPECT_EQ(state_of("visibility.order-mismatch", Snapshot{}), "unknown");
}

}  // namespace
}  // namespace envdoctor::visibility_order_mismatch_test

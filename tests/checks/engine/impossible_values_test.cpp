// Snapshots with impossible values: from a driver that returns garbage, or from an edited file.
#include <gtest/gtest.h>

#include <functional>

#include "checks/engine/report.h"
#include "tests/support/examples.h"

namespace envdoctor::engine_impossible_values_test {
namespace {

Report judged(const std::function<void(Snapshot&)>& change) {
  Snapshot snapshot = example("healthy");
  change(snapshot);
  return judge(snapshot, {.from_files = true});
}

void expect_doubted(const std::string& place, const std::function<void(Snapshot&)>& change) {
  const Report report = judged(change);
  EXPECT_EQ(report.verdict, Verdict::incomplete) << place;
  EXPECT_EQ(report.verdict_why.find("the evidence can't be right: " + place + " is impossible: "), 0U)
      << report.verdict_why;
}

TEST(ImpossibleValue, OfTheDriverIsUnknown) {
  for (const char* version : {"-12.4", "-1.0", "0.0", "99.9", "0.50", "12.-4", "nonsense"}) {
    const auto change = [&](Snapshot& s) { s.nvidia.get()->cuda_driver_version = version; };
    expect_doubted("/nvidia/cuda_driver_version", change);
    EXPECT_EQ(judged(change).snapshot.nvidia.get()->cuda_driver_version.outcome(), Outcome::failed) << version;
  }
  for (const char* version : {"-550.54.15", "550.-54.15", "0.0", "0", "99999999999.1"}) {
    expect_doubted("/nvidia/kernel_driver_version",
                   [&](Snapshot& s) { s.nvidia.get()->kernel_driver_version = version; });
    expect_doubted("/nvidia/userspace_driver_version",
                   [&](Snapshot& s) { s.nvidia.get()->userspace_driver_version = version; });
  }
}

TEST(ImpossibleValue, OfADeviceIsUnknown) {
  for (const char* capability : {"0.0", "99.9", "-9.0", "9.-1", ""}) {
    expect_doubted("/nvidia/devices/0/compute_capability",
                   [&](Snapshot& s) { s.nvidia.get()->devices.get()->at(0).compute_capability = capability; });
    expect_doubted("/nvidia/cuda_devices/0/compute_capability",
                   [&](Snapshot& s) { s.nvidia.get()->cuda_devices.get()->at(0).compute_capability = capability; });
  }
  for (const std::int64_t memory : {INT64_MIN, std::int64_t{-81559}, std::int64_t{0}, std::int64_t{1}, INT64_MAX}) {
    expect_doubted("/nvidia/devices/0/memory_total_mib",
                   [&](Snapshot& s) { s.nvidia.get()->devices.get()->at(0).memory_total_mib = memory; });
    expect_doubted("/nvidia/cuda_devices/0/memory_total_mib",
                   [&](Snapshot& s) { s.nvidia.get()->cuda_devices.get()->at(0).memory_total_mib = memory; });
  }
  expect_doubted("/nvidia/devices/0/power_w",
                 [](Snapshot& s) { s.nvidia.get()->devices.get()->at(0).power_w = -300.0; });
}

TEST(ImpossibleValue, OfACountIsUnknown) {
  for (const std::int64_t count : {std::int64_t{-1}, INT64_MIN, INT64_MAX}) {
    expect_doubted("/torch/device_count", [&](Snapshot& s) { s.torch.fill().device_count = count; });
    expect_doubted("/tensorflow/physical_gpus", [&](Snapshot& s) { s.tensorflow.fill().physical_gpus = count; });
    expect_doubted("/opencl/application_platforms",
                   [&](Snapshot& s) { s.opencl.get()->application_platforms = count; });
    expect_doubted("/nvidia/cuda_devices/0/ordinal",
                   [&](Snapshot& s) { s.nvidia.get()->cuda_devices.get()->at(0).ordinal = count; });
  }
  expect_doubted("/cpu/threads", [](Snapshot& s) { s.cpu.get()->threads = -224; });
}

TEST(ImpossibleValue, IsNotWhatIsMerelyRare) {
  const Report report = judged([](Snapshot& s) {
    s.pci.get()->at(0).numa_node = -1;
    auto& device = s.nvidia.get()->devices.get()->at(0);
    device.temperature_c = -12;
    device.compute_capability = "12.1";
    device.memory_free_mib = 0;
    device.memory_total_mib = 4 << 20;
    s.nvidia.get()->cuda_driver_version = "14.0";
  });
  EXPECT_EQ(report.verdict_why.find("can't be right"), std::string::npos) << report.verdict_why;
}

}  // namespace
}  // namespace envdoctor::engine_impossible_values_test

#include "probe/gpu/gpu_list.h"

#include <gtest/gtest.h>

#include "tests/support/fake_files.h"
#include "tests/support/paths.h"

namespace envdoctor::gpu_list_test {
namespace {

TEST(GpuList, CountsNvidiaAsNvidiaSmiDoes) {
  FakeFiles files;
  files.texts["/proc/driver/nvidia/gpus/0000:65:00.0/information"] =
      "Model: \t\t NVIDIA A100\nGPU UUID: \t GPU-22222222-aaaa-bbbb-cccc-dddddddddddd\nDevice Minor: \t 0\n";
  files.texts["/proc/driver/nvidia/gpus/0000:17:00.0/information"] =
      "Model: \t\t NVIDIA A100\nGPU UUID: \t GPU-????????\n";
  const auto gpus = list_gpus(files);
  ASSERT_EQ(gpus.size(), 2U);
  EXPECT_EQ(gpus[0].address, "0000:17:00.0");
  EXPECT_EQ(gpus[0].uuid, "");  // the driver hasn't asked the GPU yet
  EXPECT_EQ(gpus[1].index, 1);
  EXPECT_EQ(gpus[1].uuid, "GPU-22222222-aaaa-bbbb-cccc-dddddddddddd");
}

TEST(GpuList, TakesIntelByItsRenderNodes) {
  FakeFiles files;
  files.texts["/sys/class/drm/renderD128/device/vendor"] = "0x8086\n";
  files.texts["/sys/class/drm/renderD129/device/vendor"] = "0x10de\n";
  files.links["/sys/class/drm/renderD128/device"] = "/sys/devices/pci0000:00/0000:00:02.0";
  const auto gpus = list_gpus(files);
  ASSERT_EQ(gpus.size(), 1U);
  EXPECT_EQ(gpus[0].vendor, "intel");
  EXPECT_EQ(gpus[0].address, "0000:00:02.0");
}

TEST(GpuList, IsEmptyWhereThereIsNone) { EXPECT_TRUE(list_gpus(FakeFiles{}).empty()); }

TEST(GpuList, ReadsCapturedHosts) {
  const std::string hosts = std::string(source_folder) + "/fixtures/hosts/";
  EXPECT_EQ(list_gpus(*open_files(hosts + "made-eight-h100-healthy/root")).size(), 8U);
  const auto amd = list_gpus(*open_files(hosts + "made-mi300x-no-render-group/root"));
  ASSERT_FALSE(amd.empty());
  EXPECT_EQ(amd.front().vendor, "amd");
}

}  // namespace
}  // namespace envdoctor::gpu_list_test

#include "probe/gpu/kfd.h"

#include <gtest/gtest.h>

#include "tests/support/fake_files.h"

namespace envdoctor::kfd_test {
namespace {

const std::string nodes = "/sys/class/kfd/kfd/topology/nodes/";

std::string gpu(int location, int render) {
  return "simd_count 304\ngfx_target_version 90402\nvendor_id 4098\ndevice_id 29857\nlocation_id " +
         std::to_string(location) + "\ndomain 1\ndrm_render_minor " + std::to_string(render) + "\nunique_id 255\n";
}

FakeFiles host_with_one() {
  FakeFiles files;
  files.texts[nodes + "0/properties"] = "cpu_cores_count 64\nsimd_count 0\n";
  files.texts[nodes + "1/properties"] = gpu(0x6508, 128);
  files.texts[nodes + "1/mem_banks/0/properties"] = "heap_type 1\nsize_in_bytes 206141652992\n";
  return files;
}

std::vector<RocmDevice> devices_of(const FakeFiles& files) {
  const auto devices = read_kfd(files).devices;
  EXPECT_TRUE(devices.get()) << devices.why();
  return devices.get() ? *devices.get() : std::vector<RocmDevice>{};
}

TEST(Kfd, ListsGpuNodesOnly) {
  const auto devices = devices_of(host_with_one());
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_TRUE(devices[0].index.is(0));
  EXPECT_TRUE(devices[0].gfx.is("gfx942"));
  EXPECT_TRUE(devices[0].pci_address.is("0001:65:01.0"));
  EXPECT_TRUE(devices[0].render_node.is("/dev/dri/renderD128"));
  EXPECT_TRUE(devices[0].memory_total_mib.is(196592));
  EXPECT_TRUE(devices[0].unique_id.is("GPU-00000000000000ff"));
}

TEST(Kfd, NodesAreInNumericalOrder) {
  FakeFiles files = host_with_one();
  files.texts[nodes + "10/properties"] = gpu(0xc00, 130);
  files.texts[nodes + "2/properties"] = gpu(0xb00, 129);
  const auto devices = devices_of(files);
  ASSERT_EQ(devices.size(), 3U);
  EXPECT_TRUE(devices[1].render_node.is("/dev/dri/renderD129"));
  EXPECT_TRUE(devices[2].index.is(2));
}

TEST(Kfd, PartitionsOfOneGpuShareItsAddress) {
  FakeFiles files;
  files.texts[nodes + "1/properties"] = gpu(0x500, 128);
  files.texts[nodes + "2/properties"] = gpu(0x501, 129);
  const auto devices = devices_of(files);
  ASSERT_EQ(devices.size(), 2U);
  EXPECT_TRUE(devices[0].pci_address.is("0001:05:00.0"));
  EXPECT_TRUE(devices[1].pci_address.is("0001:05:00.0"));
}

TEST(Kfd, FunctionThatTheBusShowsIsKept) {
  FakeFiles files;
  files.texts[nodes + "1/properties"] = gpu(0x500, 128);
  files.texts[nodes + "2/properties"] = gpu(0x501, 129);
  files.texts["/sys/bus/pci/devices/0001:05:00.1/vendor"] = "0x1002\n";
  const auto devices = devices_of(files);
  ASSERT_EQ(devices.size(), 2U);
  EXPECT_TRUE(devices[1].pci_address.is("0001:05:00.1"));
}

TEST(Kfd, NodesThatAreNotGrantedAreLeftOutUnlessTheyAreAll) {
  FakeFiles files = host_with_one();
  files.texts[nodes + "2/name"] = "";
  files.errors[nodes + "2/properties"] = "EPERM";
  EXPECT_EQ(devices_of(files).size(), 1U);
  files.errors[nodes + "1/properties"] = "EPERM";
  EXPECT_EQ(read_kfd(files).devices.outcome(), Outcome::failed);
}

TEST(Kfd, IsAbsentWithoutTheDriver) {
  const Rocm rocm = read_kfd(FakeFiles{});
  EXPECT_EQ(rocm.devices.outcome(), Outcome::absent);
  EXPECT_EQ(rocm.version.outcome(), Outcome::absent);
  EXPECT_EQ(rocm.kernel_driver_version.outcome(), Outcome::absent);
}

TEST(Kfd, SurvivesTornProperties) {
  FakeFiles files;
  files.texts[nodes + "1/properties"] =
      "simd_count 8\ngfx_target_version\nlocation_id 99999999999999999999\n\xff\xff x\n";
  const auto devices = devices_of(files);
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_EQ(devices[0].gfx.outcome(), Outcome::absent);
  EXPECT_EQ(devices[0].render_node.outcome(), Outcome::absent);
}

TEST(Rocm, VersionIsThatOfOptRocm) {
  FakeFiles files;
  files.texts["/opt/rocm-5.7.1/.info/version"] = "5.7.1-98\n";
  EXPECT_TRUE(read_kfd(files).version.is("5.7.1"));
  files.texts["/opt/rocm/.info/version"] = "6.2.0-66\n";
  EXPECT_TRUE(read_kfd(files).version.is("6.2.0"));
}

TEST(Gfx, WritesMinorAndSteppingInHex) {
  EXPECT_TRUE(gfx_name(90010).is("gfx90a"));
  EXPECT_TRUE(gfx_name(90402).is("gfx942"));
  EXPECT_TRUE(gfx_name(100306).is("gfx1036"));
  EXPECT_TRUE(gfx_name(110501).is("gfx1151"));
  EXPECT_TRUE(gfx_name(90012).is("gfx90c"));
  EXPECT_EQ(gfx_name(0).outcome(), Outcome::absent);
}

}  // namespace
}  // namespace envdoctor::kfd_test

#include "probe/gpu/vendor_probes.h"

#include <gtest/gtest.h>

#include "tests/support/mock_level_zero.h"

namespace envdoctor::level_zero_test {
namespace {

using level_zero::Device;
using level_zero::Driver;
using testing::_;
using testing::DoAll;
using testing::NiceMock;
using testing::Return;
using testing::SetArgReferee;
using testing::StrictMock;

const std::string library_file = "/usr/lib/x86_64-linux-gnu/libze_loader.so.1";

template <class Handle>
Handle handle(std::uintptr_t number) {
  return reinterpret_cast<Handle>(number);
}

LevelZero read(level_zero::Api& api) {
  return read_level_zero(api, [](const LevelZero&) {});
}

// A GPU driver with one device and an NPU driver with another.
class Host : public NiceMock<level_zero::MockApi> {
 public:
  Host() {
    ON_CALL(*this, library).WillByDefault(Return(library_file));
    ON_CALL(*this, drivers)
        .WillByDefault(DoAll(SetArgReferee<0>(std::vector{handle<Driver>(1), handle<Driver>(2)}), Return(0)));
    for (const std::uintptr_t number : {1, 2})
      ON_CALL(*this, devices(handle<Driver>(number), _))
          .WillByDefault(DoAll(SetArgReferee<1>(std::vector{handle<Device>(number)}), Return(0)));
    ON_CALL(*this, properties(handle<Device>(1), _))
        .WillByDefault(DoAll(SetArgReferee<1>(level_zero::Properties{1, "Intel Arc"}), Return(0)));
    ON_CALL(*this, properties(handle<Device>(2), _))
        .WillByDefault(DoAll(SetArgReferee<1>(level_zero::Properties{5, "Intel AI Boost"}), Return(0)));
    ON_CALL(*this, pci_place)
        .WillByDefault(DoAll(SetArgReferee<1>(level_zero::PciPlace{0x10000, 0xe1, 0, 1}), Return(0)));
    ON_CALL(*this, memory).WillByDefault(DoAll(SetArgReferee<1>(std::uint64_t{16225} << 20), Return(0)));
  }
};

TEST(LevelZero, ListsTheDevicesOfAllDrivers) {
  Host host;
  const LevelZero level_zero = read(host);
  EXPECT_TRUE(level_zero.library.is(library_file));
  EXPECT_EQ(level_zero.error.outcome(), Outcome::absent);
  ASSERT_EQ(level_zero.devices.get()->size(), 2U);
  const LevelZeroDevice& npu = level_zero.devices.get()->at(1);
  EXPECT_TRUE(npu.index.is(1));
  EXPECT_TRUE(npu.name.is("Intel AI Boost"));
  EXPECT_TRUE(npu.type.is("npu"));
  EXPECT_TRUE(npu.pci_address.is("10000:e1:00.1"));
  EXPECT_TRUE(npu.memory_total_mib.is(16225));
}

TEST(LevelZero, KeepsTheDevicesBesideADriverThatFails) {
  Host host;
  ON_CALL(host, devices(handle<Driver>(1), _)).WillByDefault(Return(0x70000001));
  ASSERT_EQ(read(host).devices.get()->size(), 1U);
  ON_CALL(host, devices).WillByDefault(Return(0x70000001));
  EXPECT_EQ(read(host).devices.why(), "zeDeviceGet: ZE_RESULT_ERROR_DEVICE_LOST");
}

TEST(LevelZero, IsAskedNoFurtherIfItDoesNotInitialise) {
  StrictMock<level_zero::MockApi> host;
  EXPECT_CALL(host, library).WillRepeatedly(Return(library_file));
  EXPECT_CALL(host, init).WillOnce(Return(0x78000001));
  const LevelZero level_zero = read(host);
  EXPECT_TRUE(level_zero.error.is("ZE_RESULT_ERROR_UNINITIALIZED"));
  EXPECT_EQ(level_zero.devices.outcome(), Outcome::failed);
}

TEST(LevelZero, IsAskedNothingWithoutItsLibrary) {
  StrictMock<level_zero::MockApi> host;
  EXPECT_CALL(host, library).WillRepeatedly(Return(absent("libze_loader.so.1 is not found by the dynamic loader")));
  EXPECT_EQ(read(host).devices.outcome(), Outcome::absent);
}

TEST(LevelZero, DoesNotCallADeviceWithoutAPciAddressBroken) {
  Host host;
  ON_CALL(host, pci_place).WillByDefault(Return(0x78000003));
  EXPECT_EQ(read(host).devices.get()->at(0).pci_address.outcome(), Outcome::absent);
}

}  // namespace
}  // namespace envdoctor::level_zero_test

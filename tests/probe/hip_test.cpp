#include "probe/gpu/vendor_probes.h"

#include <gtest/gtest.h>

#include "tests/support/mock_hip.h"

namespace envdoctor::hip_test {
namespace {

using testing::_;
using testing::DoAll;
using testing::NiceMock;
using testing::Return;
using testing::SetArgReferee;
using testing::StrictMock;

const std::string library_file = "/opt/rocm-6.1.0/lib/libamdhip64.so.6";

Rocm read(hip::Api& api) {
  return read_hip(api, [](const Rocm&) {});
}

TEST(Hip, ListsItsDevices) {
  NiceMock<hip::MockApi> host;
  ON_CALL(host, library).WillByDefault(Return(library_file));
  ON_CALL(host, runtime_version).WillByDefault(DoAll(SetArgReferee<0>(50221153), Return(0)));
  ON_CALL(host, device_count).WillByDefault(DoAll(SetArgReferee<0>(2), Return(0)));
  ON_CALL(host, name).WillByDefault(DoAll(SetArgReferee<1>("AMD Radeon RX 7900 XTX"), Return(0)));
  ON_CALL(host, pci_bus_id(1, _)).WillByDefault(DoAll(SetArgReferee<1>("0000:2F:00.0"), Return(0)));
  ON_CALL(host, memory).WillByDefault(DoAll(SetArgReferee<1>(std::uint64_t{24560} << 20), Return(0)));
  const Rocm rocm = read(host);
  EXPECT_TRUE(rocm.hip_library.is(library_file));
  EXPECT_TRUE(rocm.hip_version.is("5.2.21153"));
  EXPECT_EQ(rocm.hip_error.outcome(), Outcome::absent);
  ASSERT_EQ(rocm.hip_devices.get()->size(), 2U);
  const RocmDevice& second = rocm.hip_devices.get()->at(1);
  EXPECT_TRUE(second.index.is(1));
  EXPECT_TRUE(second.pci_address.is("0000:2f:00.0"));
  EXPECT_TRUE(second.memory_total_mib.is(24560));
  EXPECT_EQ(second.gfx.outcome(), Outcome::not_probed);
}

TEST(Hip, IsAskedNoFurtherIfItDoesNotInitialise) {
  StrictMock<hip::MockApi> host;
  EXPECT_CALL(host, library).WillRepeatedly(Return(library_file));
  EXPECT_CALL(host, runtime_version).WillOnce(DoAll(SetArgReferee<0>(60140092), Return(0)));
  EXPECT_CALL(host, init).WillOnce(Return(100));
  const Rocm rocm = read(host);
  EXPECT_TRUE(rocm.hip_error.is("hipErrorNoDevice"));
  EXPECT_EQ(rocm.hip_devices.outcome(), Outcome::failed);
}

TEST(Hip, IsAskedNothingWithoutItsLibrary) {
  StrictMock<hip::MockApi> host;
  EXPECT_CALL(host, library).WillRepeatedly(Return(absent("none of it is there")));
  const Rocm rocm = read(host);
  EXPECT_EQ(rocm.hip_library.outcome(), Outcome::absent);
  EXPECT_EQ(rocm.hip_error.outcome(), Outcome::failed);
  EXPECT_EQ(rocm.hip_devices.outcome(), Outcome::absent);
}

TEST(Hip, NamesEveryFileItLookedForInVain) {
  const auto api = hip::open({"libamdhip64.so.none", "/nowhere/libamdhip64.so"}, {});
  EXPECT_EQ(api->library().why(),
            "none of libamdhip64.so.none, /nowhere/libamdhip64.so is found by the dynamic loader");
  EXPECT_EQ(api->init(), library_not_found);
}

}  // namespace
}  // namespace envdoctor::hip_test

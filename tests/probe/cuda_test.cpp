#include "probe/gpu/vendor_probes.h"

#include <gtest/gtest.h>

#include "tests/support/mock_cuda.h"

namespace envdoctor::cuda_test {
namespace {

using cuda::Uuid;
using testing::_;
using testing::DoAll;
using testing::NiceMock;
using testing::Return;
using testing::SetArgReferee;
using testing::StrictMock;

const std::string library_file = "/usr/lib/x86_64-linux-gnu/libcuda.so.1";

Nvidia read(cuda::Api& api, bool redact = true) {
  return read_cuda(api, redact, [](const Nvidia&) {});
}

class Host : public NiceMock<cuda::MockApi> {
 public:
  explicit Host(int count) {
    ON_CALL(*this, library).WillByDefault(Return(library_file));
    ON_CALL(*this, driver_version).WillByDefault(DoAll(SetArgReferee<0>(12040), Return(0)));
    ON_CALL(*this, device_count).WillByDefault(DoAll(SetArgReferee<0>(count), Return(0)));
    ON_CALL(*this, device).WillByDefault([](int ordinal, cuda::Device& out) {
      out = ordinal + 10;
      return 0;
    });
    ON_CALL(*this, name).WillByDefault(DoAll(SetArgReferee<1>("NVIDIA GeForce RTX 3090"), Return(0)));
    ON_CALL(*this, pci_bus_id).WillByDefault(DoAll(SetArgReferee<1>("0000:AF:00.0"), Return(0)));
    ON_CALL(*this, capability).WillByDefault(DoAll(SetArgReferee<1>(cuda::Capability{8, 6}), Return(0)));
    ON_CALL(*this, memory).WillByDefault(DoAll(SetArgReferee<1>(std::uint64_t{24576} << 20), Return(0)));
    Uuid uuid{};
    uuid.fill(0x3f);
    ON_CALL(*this, uuid).WillByDefault(DoAll(SetArgReferee<1>(uuid), Return(0)));
    ON_CALL(*this, physical_uuid).WillByDefault(DoAll(SetArgReferee<1>(uuid), Return(0)));
  }
};

TEST(Cuda, ListsItsDevicesInItsOwnOrder) {
  Host host(2);
  const Nvidia nvidia = read(host);
  EXPECT_TRUE(nvidia.cuda_library.is(library_file));
  EXPECT_TRUE(nvidia.cuda_driver_version.is("12.4"));
  EXPECT_EQ(nvidia.cuinit_error.outcome(), Outcome::absent);
  ASSERT_TRUE(nvidia.cuda_devices.get());
  ASSERT_EQ(nvidia.cuda_devices.get()->size(), 2U);
  const CudaDevice& second = nvidia.cuda_devices.get()->at(1);
  EXPECT_TRUE(second.ordinal.is(1));
  EXPECT_TRUE(second.name.is("NVIDIA GeForce RTX 3090"));
  EXPECT_TRUE(second.uuid.is("GPU-3f3f3f3f"));
  EXPECT_TRUE(second.pci_address.is("0000:af:00.0"));
  EXPECT_TRUE(second.compute_capability.is("8.6"));
  EXPECT_TRUE(second.memory_total_mib.is(24576));
  EXPECT_TRUE(read(host, false).cuda_devices.get()->at(0).uuid.is("GPU-3f3f3f3f-3f3f-3f3f-3f3f-3f3f3f3f3f3f"));
}

TEST(Cuda, CallsASliceOfAGpuByItsMigUuid) {
  Host host(1);
  Uuid physical{};
  physical.fill(0x77);
  ON_CALL(host, physical_uuid).WillByDefault(DoAll(SetArgReferee<1>(physical), Return(0)));
  EXPECT_TRUE(read(host).cuda_devices.get()->at(0).uuid.is("MIG-3f3f3f3f"));
}

TEST(Cuda, IsAskedNoFurtherIfItDoesNotInitialise) {
  StrictMock<cuda::MockApi> host;
  EXPECT_CALL(host, library).WillRepeatedly(Return(library_file));
  EXPECT_CALL(host, driver_version).WillOnce(DoAll(SetArgReferee<0>(12020), Return(0)));
  EXPECT_CALL(host, init).WillOnce(Return(803));
  const Nvidia nvidia = read(host);
  EXPECT_TRUE(nvidia.cuda_driver_version.is("12.2"));
  EXPECT_TRUE(nvidia.cuinit_error.is("CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"));
  EXPECT_EQ(nvidia.cuda_devices.outcome(), Outcome::failed);
}

TEST(Cuda, NamesACodeItDoesNotKnowByItsNumber) {
  Host host(1);
  ON_CALL(host, init).WillByDefault(Return(12345));
  EXPECT_TRUE(read(host).cuinit_error.is("code 12345"));
}

TEST(Cuda, IsAskedNothingWithoutItsLibrary) {
  StrictMock<cuda::MockApi> host;
  EXPECT_CALL(host, library).WillRepeatedly(Return(absent("libcuda.so.1 is not found by the dynamic loader")));
  const Nvidia nvidia = read(host);
  EXPECT_EQ(nvidia.cuda_library.outcome(), Outcome::absent);
  EXPECT_EQ(nvidia.cuinit_error.outcome(), Outcome::failed) << "absent would say CUDA_SUCCESS";
  EXPECT_EQ(nvidia.cuda_devices.outcome(), Outcome::absent);
}

TEST(Cuda, DoesNotBelieveANegativeCountOrVersion) {
  Host host(-5);
  ON_CALL(host, driver_version).WillByDefault(DoAll(SetArgReferee<0>(-7), Return(0)));
  const Nvidia nvidia = read(host);
  EXPECT_EQ(nvidia.cuda_devices.outcome(), Outcome::failed);
  EXPECT_EQ(nvidia.cuda_driver_version.outcome(), Outcome::failed);
}

TEST(Cuda, DoesNotBelieveImpossibleMemory) {
  Host host(1);
  ON_CALL(host, memory).WillByDefault(DoAll(SetArgReferee<1>(UINT64_MAX), Return(0)));
  const Number memory = read(host).cuda_devices.get()->at(0).memory_total_mib;
  EXPECT_EQ(memory.outcome(), Outcome::failed) << memory.or_empty();
  ON_CALL(host, memory).WillByDefault(DoAll(SetArgReferee<1>(80ULL << 30), Return(0)));
  EXPECT_TRUE(read(host).cuda_devices.get()->at(0).memory_total_mib.is(80 << 10));
}

TEST(Cuda, KeepsTheDevicesBesideOneThatFails) {
  Host host(2);
  ON_CALL(host, device(0, _)).WillByDefault(Return(101));
  const Nvidia nvidia = read(host);
  ASSERT_EQ(nvidia.cuda_devices.get()->size(), 2U);
  EXPECT_EQ(nvidia.cuda_devices.get()->at(0).name.why(), "cuDeviceGet: CUDA_ERROR_INVALID_DEVICE");
  EXPECT_TRUE(nvidia.cuda_devices.get()->at(1).name.get());
}

}  // namespace
}  // namespace envdoctor::cuda_test

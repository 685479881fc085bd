#include "probe/gpu/vendor_probes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/mock_nvml.h"

namespace envdoctor::nvml_test {
namespace {

using nvml::Device;
using testing::_;
using testing::DoAll;
using testing::NiceMock;
using testing::Return;
using testing::SetArgReferee;
using testing::StrictMock;

const std::string library_file = "/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.550.54.14";

Device gpu(std::uintptr_t index) { return reinterpret_cast<Device>(index + 1); }

Nvidia read(nvml::Api& api, bool redact = true) {
  return read_nvml(api, redact, [](const Nvidia&) {});
}

// Any number of sound A100.
class Host : public NiceMock<nvml::MockApi> {
 public:
  explicit Host(unsigned count) {
    ON_CALL(*this, library).WillByDefault(Return(library_file));
    ON_CALL(*this, library_version).WillByDefault(DoAll(SetArgReferee<0>("12.550.54.14"), Return(0)));
    ON_CALL(*this, device_count).WillByDefault(DoAll(SetArgReferee<0>(count), Return(0)));
    ON_CALL(*this, device).WillByDefault([](unsigned index, Device& out) {
      out = gpu(index);
      return 0;
    });
    ON_CALL(*this, name).WillByDefault(DoAll(SetArgReferee<1>("NVIDIA A100-SXM4-40GB"), Return(0)));
    ON_CALL(*this, uuid).WillByDefault(DoAll(SetArgReferee<1>("GPU-3f9c2ab1-1111-2222-3333-444455556666"), Return(0)));
    ON_CALL(*this, pci_place).WillByDefault([](Device device, nvml::PciPlace& place) {
      place = {.domain = 0, .bus = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(device)) * 16, .device = 0};
      return 0;
    });
    ON_CALL(*this, capability).WillByDefault(DoAll(SetArgReferee<1>(nvml::Capability{8, 0}), Return(0)));
    ON_CALL(*this, memory)
        .WillByDefault(DoAll(SetArgReferee<1>(nvml::Memory{40960ULL << 20, 40000ULL << 20}), Return(0)));
    ON_CALL(*this, link).WillByDefault([](Device, nvml::LinkFact fact, unsigned& value) {
      const bool width = fact == nvml::LinkFact::width || fact == nvml::LinkFact::max_width;
      value = width ? 16 : 4;
      return 0;
    });
    ON_CALL(*this, ecc_mode).WillByDefault(DoAll(SetArgReferee<1>(1U), Return(0)));
    ON_CALL(*this, power).WillByDefault(DoAll(SetArgReferee<1>(61500U), Return(0)));
    ON_CALL(*this, throttle_reasons).WillByDefault(DoAll(SetArgReferee<1>(std::uint64_t{0x1}), Return(0)));
    ON_CALL(*this, fabric_state).WillByDefault(DoAll(SetArgReferee<1>(2U), Return(0)));
  }
};

TEST(Nvml, TellsOfEightGpus) {
  Host host(8);
  const Nvidia nvidia = read(host);
  EXPECT_TRUE(nvidia.nvml_library.is(library_file));
  EXPECT_TRUE(nvidia.userspace_driver_version.is("550.54.14"));
  EXPECT_EQ(nvidia.nvml_error.outcome(), Outcome::absent);
  ASSERT_TRUE(nvidia.devices.get());
  ASSERT_EQ(nvidia.devices.get()->size(), 8U);
  const NvidiaDevice& last = nvidia.devices.get()->at(7);
  EXPECT_TRUE(last.index.is(7));
  EXPECT_TRUE(last.name.is("NVIDIA A100-SXM4-40GB"));
  EXPECT_TRUE(last.pci_address.is("0000:80:00.0"));
  EXPECT_TRUE(last.compute_capability.is("8.0"));
  EXPECT_TRUE(last.memory_total_mib.is(40960));
  EXPECT_TRUE(last.memory_free_mib.is(40000));
  EXPECT_TRUE(last.mig.is(false));
  EXPECT_TRUE(last.power_w.is(61.5));
  EXPECT_TRUE(last.fabric_state.is("in_progress"));
  EXPECT_TRUE(last.compute_mode.is("default"));
  EXPECT_EQ(last.error.outcome(), Outcome::absent);
  ASSERT_TRUE(last.link.get());
  EXPECT_TRUE(last.link.get()->speed_gtps.is(16.0));
  EXPECT_TRUE(last.link.get()->width.is(16));
  ASSERT_TRUE(last.throttle_reasons.get());
  EXPECT_TRUE(last.throttle_reasons.get()->empty()) << "an idle GPU is not throttled";
  ASSERT_TRUE(last.ecc.get());
  EXPECT_TRUE(last.ecc.get()->enabled.is(true));
}

TEST(Nvml, KeepsOfAUuidWhatCudaStillAccepts) {
  Host host(1);
  EXPECT_TRUE(read(host, true).devices.get()->at(0).uuid.is("GPU-3f9c2ab1"));
  EXPECT_TRUE(read(host, false).devices.get()->at(0).uuid.is("GPU-3f9c2ab1-1111-2222-3333-444455556666"));
}

TEST(Nvml, TellsAGpuWithoutEccFromOneThatIsLost) {
  Host host(2);
  ON_CALL(host, ecc_mode(gpu(0), _)).WillByDefault(Return(nvml::not_supported));
  ON_CALL(host, name(gpu(1), _)).WillByDefault(Return(nvml::gpu_is_lost));
  ON_CALL(host, memory(gpu(1), _)).WillByDefault(Return(nvml::gpu_is_lost));
  EXPECT_CALL(host, temperature(gpu(0), _));
  EXPECT_CALL(host, temperature(gpu(1), _)).Times(0);  // each question to a lost GPU may take seconds
  const Nvidia nvidia = read(host);
  ASSERT_EQ(nvidia.devices.get()->size(), 2U);
  const NvidiaDevice& without = nvidia.devices.get()->at(0);
  EXPECT_EQ(without.ecc.get()->enabled.outcome(), Outcome::absent);
  EXPECT_EQ(without.error.outcome(), Outcome::absent);
  const NvidiaDevice& lost = nvidia.devices.get()->at(1);
  EXPECT_TRUE(lost.error.is("NVML_ERROR_GPU_IS_LOST"));
  EXPECT_EQ(lost.temperature_c.outcome(), Outcome::failed);
  EXPECT_EQ(lost.mig.outcome(), Outcome::failed);
}

TEST(Nvml, ListsAGpuThatCannotBeOpened) {
  Host host(2);
  ON_CALL(host, device(1, _)).WillByDefault(Return(4));
  const Nvidia nvidia = read(host);
  ASSERT_EQ(nvidia.devices.get()->size(), 2U);
  EXPECT_TRUE(nvidia.devices.get()->at(1).index.is(1));
  EXPECT_TRUE(nvidia.devices.get()->at(1).error.is("NVML_ERROR_NO_PERMISSION"));
  EXPECT_EQ(nvidia.devices.get()->at(1).name.outcome(), Outcome::not_probed);
}

TEST(Nvml, IsNotShutDownIfItDidNotStart) {
  StrictMock<nvml::MockApi> host;
  EXPECT_CALL(host, library).WillRepeatedly(Return(library_file));
  EXPECT_CALL(host, library_version).WillOnce(DoAll(SetArgReferee<0>("12.535.161.07"), Return(0)));
  EXPECT_CALL(host, init).WillOnce(Return(18));
  const Nvidia nvidia = read(host);
  EXPECT_TRUE(nvidia.nvml_error.is("NVML_ERROR_LIB_RM_VERSION_MISMATCH"));
  EXPECT_TRUE(nvidia.userspace_driver_version.is("535.161.07"));
  EXPECT_EQ(nvidia.devices.outcome(), Outcome::failed);
  EXPECT_EQ(nvidia.processes.outcome(), Outcome::failed);
}

TEST(Nvml, IsShutDownOnceIfItStarted) {
  Host host(1);
  EXPECT_CALL(host, shutdown).Times(1);
  (void)read(host);
}

TEST(Nvml, IsAskedNothingWithoutItsLibrary) {
  StrictMock<nvml::MockApi> host;
  EXPECT_CALL(host, library).WillRepeatedly(Return(absent("libnvidia-ml.so.1 is not found by the dynamic loader")));
  const Nvidia nvidia = read(host);
  EXPECT_EQ(nvidia.nvml_library.outcome(), Outcome::absent);
  EXPECT_EQ(nvidia.nvml_error.outcome(), Outcome::failed) << "absent would say that it initialised";
  EXPECT_NE(nvidia.devices.why().find("not found by the dynamic loader"), std::string::npos);
}

TEST(Nvml, ListsMigDevicesAndPassesOverEmptySlots) {
  Host host(1);
  ON_CALL(host, mig_mode).WillByDefault(DoAll(SetArgReferee<1>(1U), Return(0)));
  ON_CALL(host, mig_slots).WillByDefault(DoAll(SetArgReferee<1>(7U), Return(0)));
  ON_CALL(host, mig_device).WillByDefault(Return(nvml::not_found));
  for (const unsigned slot : {0U, 3U})
    ON_CALL(host, mig_device(_, slot, _)).WillByDefault(DoAll(SetArgReferee<2>(gpu(100 + slot)), Return(0)));
  ON_CALL(host, name(gpu(103), _)).WillByDefault(DoAll(SetArgReferee<1>("NVIDIA A100 MIG 1g.5gb"), Return(0)));
  ON_CALL(host, uuid(gpu(103), _))
      .WillByDefault(DoAll(SetArgReferee<1>("MIG-9ab1c2d3-1111-2222-3333-444455556666"), Return(0)));
  const Nvidia nvidia = read(host);
  const NvidiaDevice& device = nvidia.devices.get()->at(0);
  EXPECT_TRUE(device.mig.is(true));
  ASSERT_TRUE(device.mig_devices.get());
  ASSERT_EQ(device.mig_devices.get()->size(), 2U);
  EXPECT_TRUE(device.mig_devices.get()->at(1).index.is(3));
  EXPECT_TRUE(device.mig_devices.get()->at(1).name.is("NVIDIA A100 MIG 1g.5gb"));
  EXPECT_TRUE(device.mig_devices.get()->at(1).uuid.is("MIG-9ab1c2d3"));
}

TEST(Nvml, NamesEveryReasonForSlowClocks) {
  Host host(1);
  ON_CALL(host, throttle_reasons).WillByDefault(DoAll(SetArgReferee<1>(std::uint64_t{0x1ff}), Return(0)));
  const std::vector<std::string> all = {"power_cap",  "hw_slowdown", "sync_boost",
                                        "sw_thermal", "hw_thermal",  "hw_power_brake"};
  EXPECT_TRUE(read(host).devices.get()->at(0).throttle_reasons.is(all));
}

TEST(Nvml, CountsRemappedRowsOrRetiredPages) {
  Host newer(1);
  ON_CALL(newer, remapped_rows).WillByDefault(DoAll(SetArgReferee<1>(nvml::RemappedRows{2, 1, 1, 0}), Return(0)));
  const Ecc rows = *read(newer).devices.get()->at(0).ecc.get();
  EXPECT_TRUE(rows.retired_pages.is(3));
  EXPECT_TRUE(rows.remap_pending.is(true));
  EXPECT_TRUE(rows.remap_failed.is(false));

  Host older(1);
  ON_CALL(older, remapped_rows).WillByDefault(Return(nvml::not_supported));
  ON_CALL(older, retired_pages).WillByDefault(DoAll(SetArgReferee<2>(5U), Return(0)));
  ON_CALL(older, retirement_pending).WillByDefault(DoAll(SetArgReferee<1>(1U), Return(0)));
  const Ecc pages = *read(older).devices.get()->at(0).ecc.get();
  EXPECT_TRUE(pages.retired_pages.is(10));
  EXPECT_TRUE(pages.remap_pending.is(true));
  EXPECT_EQ(pages.remap_failed.outcome(), Outcome::absent);
}

TEST(Nvml, TellsAProcessOnceAndByItsBareName) {
  Host host(2);
  ON_CALL(host, processes(gpu(1), _, _))
      .WillByDefault(
          DoAll(SetArgReferee<2>(std::vector<nvml::Process>{{4242, 1024ULL << 20}, {7, UINT64_MAX}}), Return(0)));
  ON_CALL(host, process_name(4242, _)).WillByDefault(DoAll(SetArgReferee<1>("/home/ann/train"), Return(0)));
  ON_CALL(host, process_name(7, _)).WillByDefault(Return(nvml::not_found));
  const Nvidia nvidia = read(host);
  ASSERT_TRUE(nvidia.processes.get());
  ASSERT_EQ(nvidia.processes.get()->size(), 2U);
  const NvidiaProcess& unnamed = nvidia.processes.get()->at(0);
  EXPECT_EQ(unnamed.name.outcome(), Outcome::failed);
  EXPECT_EQ(unnamed.memory_mib.outcome(), Outcome::absent);
  const NvidiaProcess& train = nvidia.processes.get()->at(1);
  EXPECT_TRUE(train.name.is("train"));
  EXPECT_TRUE(train.gpu.is(1));
  EXPECT_TRUE(train.memory_mib.is(1024));
  EXPECT_TRUE(read(host, false).processes.get()->at(1).name.is("/home/ann/train"));
}

TEST(Nvml, DoesNotCallAListOfProcessesEmptyThatItMayNotRead) {
  Host host(1);
  ON_CALL(host, processes).WillByDefault(Return(4));
  EXPECT_EQ(read(host).processes.outcome(), Outcome::failed);
}

TEST(Nvml, DoesNotBelieveNonsense) {
  Host host(1);
  ON_CALL(host, link).WillByDefault(DoAll(SetArgReferee<2>(99U), Return(0)));
  ON_CALL(host, compute_mode).WillByDefault(DoAll(SetArgReferee<1>(77U), Return(0)));
  ON_CALL(host, fabric_state).WillByDefault(DoAll(SetArgReferee<1>(200U), Return(0)));
  ON_CALL(host, mig_mode).WillByDefault(DoAll(SetArgReferee<1>(1U), Return(0)));
  ON_CALL(host, mig_slots).WillByDefault(DoAll(SetArgReferee<1>(1000000000U), Return(0)));
  const NvidiaDevice device = read(host).devices.get()->at(0);
  EXPECT_EQ(device.link.get()->speed_gtps.outcome(), Outcome::failed);
  EXPECT_EQ(device.compute_mode.outcome(), Outcome::failed);
  EXPECT_EQ(device.fabric_state.outcome(), Outcome::failed);
  EXPECT_EQ(device.mig_devices.outcome(), Outcome::failed);

  Host crowd(4000000000U);
  EXPECT_EQ(read(crowd).devices.outcome(), Outcome::failed);
}

}  // namespace
}  // namespace envdoctor::nvml_test

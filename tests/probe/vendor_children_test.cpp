// The real probes in real children against libraries that misbehave (tests/fakes).
#include <gtest/gtest.h>

#include "probe/gpu/vendor_probes.h"
#include "tests/support/fakes.h"
#include "tests/support/sanitized.h"

namespace envdoctor::vendor_children_test {
namespace {

using std::chrono::milliseconds;

// NVML misbehaves beside a sound CUDA driver, or the other way round.
Outing go(const std::string& nvml_way, const std::string& cuda_way, Limits limits = {}) {
  return gather_with([&](Session& session) {
    start_nvml(session, fake("nvml", nvml_way), limits);
    start_cuda(session, fake("cuda", cuda_way), limits);
  });
}

// HIP and Level Zero misbehave side by side.
Outing go_both(const std::string& way, Limits limits = {}) {
  return gather_with([&](Session& session) {
    start_hip(session, {"libamdhip64.so.none", fake("hip", way), "libamdhip64.so.other"}, limits);
    start_level_zero(session, fake("level_zero", way), limits);
  });
}

// What this machine needs at the moment where nothing goes wrong: it may be busy with other things.
milliseconds slack() { return 2 * go("healthy", "healthy").took; }

const Nvidia& nvidia(const Outing& outing) { return *outing.snapshot.nvidia.get(); }

void expect_sound_nvml(const Outing& outing) {
  ASSERT_TRUE(nvidia(outing).devices.get()) << nvidia(outing).devices.why();
  ASSERT_EQ(nvidia(outing).devices.get()->size(), 2U);
  EXPECT_TRUE(nvidia(outing).devices.get()->at(1).pci_address.is("0000:65:00.0"));
}

void expect_sound_cuda(const Outing& outing) {
  ASSERT_TRUE(nvidia(outing).cuda_devices.get()) << nvidia(outing).cuda_devices.why();
  ASSERT_EQ(nvidia(outing).cuda_devices.get()->size(), 2U);
  EXPECT_TRUE(nvidia(outing).cuda_devices.get()->at(1).uuid.is("GPU-22222222"));
}

void nvml_is_lost(const std::string& way, const std::string& kind, const std::string& how, Limits limits = {}) {
  const std::string file = fake("nvml", way);
  const Outing outing = go(way, "healthy", limits);
  expect_blame(outing, "nvidia", kind, file);
  expect_lost(nvidia(outing).devices.missing(), file, how);
  expect_lost(nvidia(outing).nvml_error.missing(), file, how);
  expect_sound_cuda(outing);
  EXPECT_LT(outing.took, limits.time + milliseconds(500) + slack());
}

void cuda_is_lost(const std::string& way, const std::string& kind, const std::string& how, Limits limits = {}) {
  const std::string file = fake("cuda", way);
  const Outing outing = go("healthy", way, limits);
  expect_blame(outing, "nvidia", kind, file);
  expect_lost(nvidia(outing).cuda_devices.missing(), file, how);
  expect_lost(nvidia(outing).cuinit_error.missing(), file, how);
  expect_sound_nvml(outing);
  EXPECT_LT(outing.took, limits.time + milliseconds(500) + slack());
}

void both_are_lost(const std::string& way, const std::string& kind, const std::string& how, Limits limits = {}) {
  const Outing outing = go_both(way, limits);
  expect_blame(outing, "rocm", kind, fake("hip", way));
  expect_blame(outing, "level-zero", kind, fake("level_zero", way));
  const Rocm& rocm = *outing.snapshot.rocm.get();
  expect_lost(rocm.hip_devices.missing(), fake("hip", way), how);
  expect_lost(rocm.hip_error.missing(), fake("hip", way), how);
  const LevelZero& level_zero = *outing.snapshot.level_zero.get();
  expect_lost(level_zero.devices.missing(), fake("level_zero", way), how);
  expect_lost(level_zero.error.missing(), fake("level_zero", way), how);
  EXPECT_LT(outing.took, limits.time + milliseconds(500) + slack());
}

TEST(VendorChildren, AnswerWhereTheLibrariesAreSound) {
  const Outing outing = go("healthy", "healthy");
  expect_sound_nvml(outing);
  expect_sound_cuda(outing);
  EXPECT_TRUE(outing.snapshot.probes.get()->at("nvidia").status.is("ok"));
  EXPECT_TRUE(nvidia(outing).nvml_library.is(fake("nvml", "healthy")));
  EXPECT_TRUE(nvidia(outing).cuda_driver_version.is("12.4"));
  EXPECT_TRUE(nvidia(outing).userspace_driver_version.is("550.54.14"));
  const NvidiaDevice& device = nvidia(outing).devices.get()->at(1);
  EXPECT_TRUE(device.memory_total_mib.is(40960));
  EXPECT_TRUE(device.power_limit_w.is(400.0));
  EXPECT_TRUE(device.fabric_state.is("completed"));
  EXPECT_TRUE(device.throttle_reasons.is({"power_cap"}));
  ASSERT_EQ(nvidia(outing).processes.get()->size(), 1U);
  EXPECT_TRUE(nvidia(outing).processes.get()->at(0).name.is("train"));
}

TEST(VendorChildren, AnswerForAmdAndIntel) {
  for (const char* way : {"healthy", "print", "grandchild"}) {
    const Outing outing = go_both(way);
    const Rocm& rocm = *outing.snapshot.rocm.get();
    EXPECT_TRUE(rocm.hip_library.is(fake("hip", way)));
    EXPECT_TRUE(rocm.hip_version.is("6.1.40092"));
    ASSERT_TRUE(rocm.hip_devices.get());
    ASSERT_EQ(rocm.hip_devices.get()->size(), 2U);
    EXPECT_TRUE(rocm.hip_devices.get()->at(1).name.is("AMD Instinct MI210"));
    EXPECT_TRUE(rocm.hip_devices.get()->at(1).pci_address.is("0000:c3:00.0"));
    EXPECT_TRUE(rocm.hip_devices.get()->at(1).memory_total_mib.is(65520));
    const LevelZero& level_zero = *outing.snapshot.level_zero.get();
    ASSERT_TRUE(level_zero.devices.get());
    ASSERT_EQ(level_zero.devices.get()->size(), 2U);
    const LevelZeroDevice& device = level_zero.devices.get()->at(1);
    EXPECT_TRUE(device.name.is("Intel(R) Arc(TM) A770 Graphics"));
    EXPECT_TRUE(device.type.is("gpu"));
    EXPECT_TRUE(device.pci_address.is("0000:83:00.0"));
    EXPECT_TRUE(device.memory_total_mib.is(16225));
    EXPECT_EQ(level_zero.version.outcome(), Outcome::absent);
  }
}

constexpr int repetitions = 20;

TEST(VendorChildren, SurviveAnAbort) {
  for (int i = 0; i < repetitions; ++i) {
    nvml_is_lost("abort", "crash", "ended by SIGABRT in nvmlInit");
    cuda_is_lost("abort", "crash", "ended by SIGABRT in cuInit");
    both_are_lost("abort", "crash", "ended by SIGABRT in ");
  }
}

TEST(VendorChildren, SurviveASegmentationFault) {
  for (int i = 0; i < repetitions; ++i) {
    nvml_is_lost("segfault", "crash", "ended by SIGSEGV in nvmlInit");
    cuda_is_lost("segfault", "crash", "ended by SIGSEGV in cuInit");
    both_are_lost("segfault", "crash", "ended by SIGSEGV in ");
  }
}

TEST(VendorChildren, SurviveACrashWhileTheLibraryIsLoaded) {
  for (int i = 0; i < repetitions; ++i) {
    nvml_is_lost("constructor", "crash", "ended by SIGABRT in dlopen");
    cuda_is_lost("constructor", "crash", "ended by SIGABRT in dlopen");
    both_are_lost("constructor", "crash", "ended by SIGABRT in dlopen");
  }
}

TEST(VendorChildren, SurviveALibraryThatExits) {
  for (int i = 0; i < repetitions; ++i) {
    nvml_is_lost("exit", "exit", "nvmlInit");
    cuda_is_lost("exit", "exit", "cuInit");
    both_are_lost("exit", "exit", "exited");
  }
}

TEST(VendorChildren, SurviveTextsWithoutEnd) {
  for (int i = 0; i < repetitions; ++i) {
    nvml_is_lost("overrun", "crash", "nvmlDeviceGetName");
    cuda_is_lost("overrun", "crash", "cuDeviceGetName");
  }
}

TEST(VendorChildren, SurviveAHang) {
  const Limits limits{.time = milliseconds(400)};
  nvml_is_lost("hang", "timeout", "nvmlInit", limits);
  cuda_is_lost("hang", "timeout", "cuInit", limits);
  both_are_lost("hang", "timeout", "no answer", limits);
}

TEST(VendorChildren, SurviveAHungerForMemory) {
  const Limits limits{.time = milliseconds(10000), .memory_mib = 1024};
  nvml_is_lost("eat", "memory", "nvmlInit", limits);
  cuda_is_lost("eat", "memory", "cuInit", limits);
  both_are_lost("eat", "memory", "MiB", limits);
}

TEST(VendorChildren, KeepWhatWasKnownBeforeTheCrash) {
  const Outing outing = go("segfault", "abort");
  EXPECT_TRUE(nvidia(outing).nvml_library.is(fake("nvml", "segfault")));
  EXPECT_TRUE(nvidia(outing).userspace_driver_version.is("550.54.14"));
  EXPECT_TRUE(nvidia(outing).cuda_library.is(fake("cuda", "abort")));
  EXPECT_TRUE(nvidia(outing).cuda_driver_version.is("12.4"));
}

TEST(VendorChildren, ReadThroughMegabytesOfPrinting) {
  for (int i = 0; i < repetitions; ++i) {
    const Outing outing = go("print", "print");
    expect_sound_nvml(outing);
    expect_sound_cuda(outing);
  }
}

TEST(VendorChildren, DoNotWaitForAGrandchildThatHoldsThePipes) {
  for (int i = 0; i < repetitions; ++i) {
    const Outing outing = go("grandchild", "grandchild");
    expect_sound_nvml(outing);
    expect_sound_cuda(outing);
    EXPECT_LT(outing.took, milliseconds(sanitized ? 15'000 : 5000)) << "the grandchild lives for 20 s";
  }
}

TEST(VendorChildren, DoNotBelieveNonsense) {
  for (int i = 0; i < repetitions; ++i) {
    const Outing outing = go("nonsense", "nonsense");
    ASSERT_TRUE(nvidia(outing).devices.get());
    EXPECT_EQ(nvidia(outing).devices.get()->at(0).compute_mode.outcome(), Outcome::failed);
    EXPECT_EQ(nvidia(outing).cuda_driver_version.outcome(), Outcome::failed);
    const Outing crowds = go("counts", "counts");
    EXPECT_EQ(nvidia(crowds).devices.outcome(), Outcome::failed);
    EXPECT_EQ(nvidia(crowds).cuda_devices.outcome(), Outcome::failed);
    const Outing others = go_both("nonsense");
    EXPECT_EQ(others.snapshot.rocm.get()->hip_version.outcome(), Outcome::failed);
    EXPECT_EQ(others.snapshot.level_zero.get()->devices.get()->at(0).type.outcome(), Outcome::failed);
    const Outing many = go_both("counts");
    EXPECT_EQ(many.snapshot.rocm.get()->hip_devices.outcome(), Outcome::failed);
    EXPECT_EQ(many.snapshot.level_zero.get()->devices.outcome(), Outcome::failed);
  }
}

TEST(VendorChildren, SayThatALibraryIsNotThere) {
  const Outing outing = go("of-no-such-kind", "of-no-such-kind");
  EXPECT_EQ(nvidia(outing).nvml_library.outcome(), Outcome::absent);
  EXPECT_EQ(nvidia(outing).cuda_library.outcome(), Outcome::absent);
  EXPECT_EQ(nvidia(outing).cuda_library.why(), fake("cuda", "of-no-such-kind") + " is not found by the dynamic loader");
  EXPECT_EQ(nvidia(outing).cuda_devices.outcome(), Outcome::absent);
  EXPECT_TRUE(outing.snapshot.probes.get()->at("nvidia").status.is("ok"));
}

}  // namespace
}  // namespace envdoctor::vendor_children_test

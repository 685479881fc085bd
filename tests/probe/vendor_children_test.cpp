// The real probes in real children against libraries that misbehave (tests/fakes).
#include <gtest/gtest.h>

#include <chrono>

#include "evidence/json.h"
#include "probe/cuda.h"
#include "probe/nvml.h"

namespace envdoctor {
namespace {

using std::chrono::milliseconds;

std::string fake(const std::string& api, const std::string& way) {
  return std::string(ENVDOCTOR_TEST_BUILD) + "/fakes/fake_" + api + "_" + way + ".so";
}

struct Outing {
  Snapshot snapshot{};
  milliseconds took{0};
};

// NVML misbehaves beside a sound CUDA driver, or the other way round.
Outing go(const std::string& nvml_way, const std::string& cuda_way, Limits limits = {}) {
  const auto files = open_files("/");
  const Host host{.files = *files};
  const GatherOptions options;
  const auto start = std::chrono::steady_clock::now();
  Session session(host, options);
  start_nvml(session, fake("nvml", nvml_way), limits);
  start_cuda(session, fake("cuda", cuda_way), limits);
  Outing outing{.snapshot = session.finish()};
  outing.took = std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - start);
  EXPECT_EQ(snapshot_from_json(to_json(outing.snapshot), "itself"), outing.snapshot);
  return outing;
}

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

void expect_blame(const Outing& outing, const std::string& kind, const std::string& file) {
  const ProbeStatus& status = outing.snapshot.probes.get()->at("nvidia");
  EXPECT_TRUE(status.status.is("failed"));
  ASSERT_TRUE(status.error.get());
  EXPECT_TRUE(status.error.get()->kind.is(kind)) << *status.error.get()->kind.get();
  EXPECT_TRUE(status.error.get()->culprit.is(file)) << *status.error.get()->culprit.get();
}

// The reading says which library and how it ended.
void expect_lost(const Missing& missing, const std::string& file, const std::string& how) {
  EXPECT_EQ(missing.outcome, Outcome::failed);
  EXPECT_NE(missing.why.find(file), std::string::npos) << missing.why;
  EXPECT_NE(missing.why.find(how), std::string::npos) << missing.why;
}

void nvml_is_lost(const std::string& way, const std::string& kind, const std::string& how, Limits limits = {}) {
  const std::string file = fake("nvml", way);
  const Outing outing = go(way, "healthy", limits);
  expect_blame(outing, kind, file);
  expect_lost(nvidia(outing).devices.missing(), file, how);
  expect_lost(nvidia(outing).nvml_error.missing(), file, how);
  expect_sound_cuda(outing);
  EXPECT_LT(outing.took, limits.time + milliseconds(500));
}

void cuda_is_lost(const std::string& way, const std::string& kind, const std::string& how, Limits limits = {}) {
  const std::string file = fake("cuda", way);
  const Outing outing = go("healthy", way, limits);
  expect_blame(outing, kind, file);
  expect_lost(nvidia(outing).cuda_devices.missing(), file, how);
  expect_lost(nvidia(outing).cuinit_error.missing(), file, how);
  expect_sound_nvml(outing);
  EXPECT_LT(outing.took, limits.time + milliseconds(500));
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

constexpr int repetitions = 20;

TEST(VendorChildren, SurviveAnAbort) {
  for (int i = 0; i < repetitions; ++i) {
    nvml_is_lost("abort", "crash", "ended by SIGABRT in nvmlInit");
    cuda_is_lost("abort", "crash", "ended by SIGABRT in cuInit");
  }
}

TEST(VendorChildren, SurviveASegmentationFault) {
  for (int i = 0; i < repetitions; ++i) {
    nvml_is_lost("segfault", "crash", "ended by SIGSEGV in nvmlInit");
    cuda_is_lost("segfault", "crash", "ended by SIGSEGV in cuInit");
  }
}

TEST(VendorChildren, SurviveACrashWhileTheLibraryIsLoaded) {
  for (int i = 0; i < repetitions; ++i) {
    nvml_is_lost("constructor", "crash", "ended by SIGABRT in dlopen");
    cuda_is_lost("constructor", "crash", "ended by SIGABRT in dlopen");
  }
}

TEST(VendorChildren, SurviveALibraryThatExits) {
  for (int i = 0; i < repetitions; ++i) {
    nvml_is_lost("exit", "exit", "nvmlInit");
    cuda_is_lost("exit", "exit", "cuInit");
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
}

TEST(VendorChildren, SurviveAHungerForMemory) {
  const Limits limits{.time = milliseconds(10000), .memory_mib = 256};
  nvml_is_lost("eat", "memory", "nvmlInit", limits);
  cuda_is_lost("eat", "memory", "cuInit", limits);
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
    EXPECT_LT(outing.took, milliseconds(2000));
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
}  // namespace envdoctor

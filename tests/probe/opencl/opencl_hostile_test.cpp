// One driver misbehaves beside a healthy PoCL: only that one is lost, and named.
#include "tests/support/opencl_probe.h"
#include "tests/support/sanitized.h"

namespace envdoctor::opencl_hostile_test {
namespace {

class HostileDriver : public OpenclProbe {
 protected:
  void SetUp() override {
    OpenclProbe::SetUp();
    if (!add_pocl()) GTEST_SKIP() << "PoCL is not installed";
  }

  // The driver takes its child down.
  void expect_lost(const std::string& way, const std::string& kind, const std::string& step, Limits limits = {}) {
    const std::string file = add(way);
    run(limits);
    const OpenclIcd lost = icd(file);
    EXPECT_TRUE(lost.library.is(fake_opencl(way)));
    EXPECT_TRUE(lost.loads.is(false));
    EXPECT_TRUE(lost.error_kind.is(kind)) << (lost.error_kind.get() ? *lost.error_kind.get() : "");
    EXPECT_TRUE(lost.step.is(step)) << (lost.step.get() ? *lost.step.get() : "");
    EXPECT_TRUE(lost.error.get());
    expect_blame(file, kind);
    expect_nobody_asked(file);
    expect_pocl();
    EXPECT_EQ(seen.platforms.get()->size(), 1U);
  }

  void expect_blame(const std::string& file, const std::string& kind) {
    const ProbeStatus& status = snapshot.probes.get()->at("opencl");
    EXPECT_TRUE(status.status.is("failed"));
    ASSERT_TRUE(status.error.get());
    EXPECT_TRUE(status.error.get()->culprit.is(file));
    EXPECT_TRUE(status.error.get()->kind.is(kind));
  }

  // As an application does: it would have met the same end.
  void expect_nobody_asked(const std::string& file) {
    EXPECT_EQ(seen.application_platforms.outcome(), Outcome::failed);
    EXPECT_NE(seen.application_platforms.why().find(file), std::string::npos) << seen.application_platforms.why();
    EXPECT_EQ(seen.error.outcome(), Outcome::failed);
  }

  // The driver does nothing worse than answer; PoCL and the application's view stand.
  void expect_borne(const std::string& way) {
    const std::string file = add(way);
    run();
    EXPECT_TRUE(snapshot.probes.get()->at("opencl").status.is("ok")) << way;
    EXPECT_TRUE(icd(file).path.is(fake_opencl(way)));
    expect_pocl();
  }
};

constexpr const char* listing = "clIcdGetPlatformIDsKHR";

TEST_F(HostileDriver, Aborts) { expect_lost("abort", "crash", listing); }
TEST_F(HostileDriver, Segfaults) { expect_lost("segfault", "crash", listing); }
TEST_F(HostileDriver, AbortsWhileItIsLoaded) { expect_lost("constructor", "crash", "dlopen"); }
TEST_F(HostileDriver, Exits) { expect_lost("exit", "exit", listing); }
TEST_F(HostileDriver, HangsAndIgnoresTheRequestToEnd) {
  run();
  const Milliseconds alone = took;  // what the machine needs at the moment
  const Limits limits{.time = Milliseconds(1000) + alone};
  expect_lost("hang", "timeout", listing, limits);
  EXPECT_LE(took, limits.time + Milliseconds(500) + alone);
}
TEST_F(HostileDriver, EatsMemory) {
  // A child begins with what the tests before it left in its parent, which under the sanitizer is much.
  expect_lost("eat", "memory", listing, Limits{.memory_mib = sanitized ? 1536 : 512});
}

TEST_F(HostileDriver, WritesBeyondTheBuffer) {
  const std::string file = add("overrun");
  run();
  EXPECT_TRUE(icd(file).error_kind.is("crash"));
  expect_blame(file, "crash");
  expect_nobody_asked(file);
  expect_pocl();
}

TEST_F(HostileDriver, CrashesInTheLaunchAndKeepsItsDevice) {
  const std::string file = add("launch");
  run();
  const OpenclIcd lost = icd(file);
  EXPECT_TRUE(lost.loads.is(true));
  EXPECT_TRUE(lost.step.is("clBuildProgram"));
  EXPECT_TRUE(lost.error_kind.is("crash"));
  EXPECT_TRUE(device(file).name.is("Fake GPU"));
  EXPECT_EQ(device(file).kernel.outcome(), Outcome::failed);
  EXPECT_TRUE(seen.application_platforms.is(2));  // listing alone did no harm
  expect_blame(file, "crash");
  expect_pocl();
}

TEST_F(HostileDriver, PrintsMegabytes) {
  expect_borne("print");
  EXPECT_TRUE(device(folder + "/print.icd").kernel.is("ran"));
}

TEST_F(HostileDriver, LeavesAGrandchildThatHoldsThePipes) {
  expect_borne("grandchild");
  EXPECT_TRUE(device(folder + "/grandchild.icd").kernel.is("ran"));
  EXPECT_LT(took, Milliseconds(sanitized ? 15'000 : 6000)) << "the grandchild lives for 20 s";
}

TEST_F(HostileDriver, ClaimsFourMilliardPlatforms) {
  const std::string file = add("counts");
  run();
  EXPECT_TRUE(icd(file).loads.is(true));
  EXPECT_TRUE(icd(file).error_kind.is("nonsense"));
  EXPECT_TRUE(icd(file).error.is("clIcdGetPlatformIDsKHR claims 4294967295 platforms"));
  expect_pocl();
}

TEST_F(HostileDriver, ClaimsANegativeCountOfDevices) {
  const std::string file = add("devices");
  run();
  EXPECT_EQ(platform(file).devices.outcome(), Outcome::failed);
  EXPECT_EQ(platform(file).devices.why(), "clGetDeviceIDs claims 4294967291 devices");
  expect_pocl();
}

TEST_F(HostileDriver, HandsOutANullDevice) {
  expect_borne("null");
  EXPECT_EQ(device(folder + "/null.icd").name.outcome(), Outcome::failed);
  EXPECT_EQ(device(folder + "/null.icd").kernel.outcome(), Outcome::not_probed);
}

TEST_F(HostileDriver, NamesNothingAndLiesAboutSizes) {
  expect_borne("nonsense");
  const OpenclDevice lied = device(folder + "/nonsense.icd");
  EXPECT_EQ(lied.name.outcome(), Outcome::absent);
  EXPECT_EQ(lied.compute_units.outcome(), Outcome::failed);
  EXPECT_EQ(lied.compute_units.why(), "clGetDeviceInfo gave 3 bytes where 4 belong");
  EXPECT_EQ(lied.type.outcome(), Outcome::failed);
  EXPECT_EQ(lied.memory_total_mib.outcome(), Outcome::failed);
}

TEST_F(HostileDriver, HasNamesOfAMegabyte) {
  expect_borne("strings");
  EXPECT_EQ(device(folder + "/strings.icd").name.outcome(), Outcome::failed);
  EXPECT_EQ(device(folder + "/strings.icd").name.why(), "clGetDeviceInfo claims a text of 1048576 bytes");
}

// All that ends at once, in one run, many times over.
TEST_F(HostileDriver, IsNamedAmongManyEveryTime) {
  const std::map<std::string, std::string> ways = {{"abort", "crash"},   {"segfault", "crash"},
                                                   {"exit", "exit"},     {"constructor", "crash"},
                                                   {"overrun", "crash"}, {"launch", "crash"}};
  for (const auto& [way, kind] : ways) add(way);
  const std::vector<std::string> bearable = {"print", "grandchild", "nonsense", "null", "strings", "counts", "devices"};
  for (const std::string& way : bearable) add(way);
  const std::size_t lines_without_platform = 6;  // counts, and all of `ways` but launch
  for (int i = 0; i < opencl_repetitions(); ++i) {
    run();
    for (const auto& [way, kind] : ways) {
      const OpenclIcd lost = icd(folder + "/" + way + ".icd");
      EXPECT_TRUE(lost.error_kind.is(kind)) << way << " in repetition " << i;
      EXPECT_TRUE(lost.step.get()) << way << " in repetition " << i;
    }
    for (const std::string& way : bearable) {
      EXPECT_TRUE(icd(folder + "/" + way + ".icd").loads.is(true)) << way << " in repetition " << i;
    }
    EXPECT_EQ(seen.application_platforms.outcome(), Outcome::failed);
    ASSERT_TRUE(seen.platforms.get());
    EXPECT_EQ(seen.platforms.get()->size(), 1 + ways.size() + bearable.size() - lines_without_platform);
    expect_pocl();
  }
}

}  // namespace
}  // namespace envdoctor::opencl_hostile_test

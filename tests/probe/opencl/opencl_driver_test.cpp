// The answers for intact drivers, and for those that can't be loaded.
#include "tests/support/opencl_probe.h"

namespace envdoctor::opencl_driver_test {
namespace {

class OpenclDriver : public OpenclProbe {
 protected:
  // The bytes of the healthy fake, to be damaged.
  static std::string healthy() {
    std::ifstream from(fake_opencl("healthy"), std::ios::binary);
    return {std::istreambuf_iterator<char>(from), {}};
  }
  OpenclIcd load(const std::string& library) {
    const std::string file = write("one.icd", library + "\n");
    run();
    EXPECT_TRUE(snapshot.probes.get()->at("opencl").status.is("ok"));
    EXPECT_TRUE(seen.platforms.is({}));
    EXPECT_TRUE(icd(file).library.is(library));
    return icd(file);
  }
};

TEST_F(OpenclDriver, WithAGpuIsReadInFull) {
  const std::string file = add("healthy");
  run();
  EXPECT_TRUE(icd(file).loads.is(true));
  EXPECT_TRUE(icd(file).platforms.is(1));
  EXPECT_EQ(icd(file).error.outcome(), Outcome::not_probed);
  EXPECT_TRUE(platform(file).name.is("Fake platform"));
  const OpenclDevice gpu = device(file);
  EXPECT_TRUE(gpu.name.is("Fake GPU"));
  EXPECT_TRUE(gpu.type.is("gpu"));
  EXPECT_TRUE(gpu.driver_version.is("1.2.3"));
  EXPECT_TRUE(gpu.pci_address.is("0000:65:00.0"));
  EXPECT_TRUE(gpu.compute_units.is(108));
  EXPECT_TRUE(gpu.clock_mhz.is(1410));
  EXPECT_TRUE(gpu.memory_total_mib.is(40442));
  EXPECT_TRUE(gpu.fp64.is(true));
  EXPECT_TRUE(gpu.fp16.is(false));
  EXPECT_TRUE(gpu.kernel.is("ran"));
  if (seen.loader.get()) {
    EXPECT_TRUE(seen.application_platforms.is(1)) << seen.application_platforms.why();
  }
}

TEST_F(OpenclDriver, OfNvidiaTellsItsSlotInOneNumber) {
  const std::string file = add("nv");
  run();
  EXPECT_TRUE(device(file).pci_address.is("0001:65:02.1"));
}

TEST_F(OpenclDriver, OfAmdTellsItsTopology) {
  const std::string file = add("amd");
  run();
  EXPECT_TRUE(device(file).pci_address.is("0000:c3:00.0"));
}

TEST_F(OpenclDriver, ThatCannotBuildSaysSo) {
  const std::string file = add("build");
  run();
  EXPECT_TRUE(device(file).kernel.is("clBuildProgram: CL_BUILD_PROGRAM_FAILURE"));
  EXPECT_TRUE(icd(file).loads.is(true));
}

TEST_F(OpenclDriver, WithOneWrongNumberOf256GivesAWrongResult) {
  const std::string file = add("wrong");
  run();
  EXPECT_TRUE(device(file).kernel.is("wrong result"));
}

TEST_F(OpenclDriver, WithoutPlatformIsNamedWithItsError) {
  const std::string file = add("none");
  run();
  EXPECT_TRUE(icd(file).loads.is(true));
  EXPECT_TRUE(icd(file).platforms.is(0));
  EXPECT_TRUE(icd(file).error.is("clIcdGetPlatformIDsKHR: CL_PLATFORM_NOT_FOUND_KHR"));
  EXPECT_TRUE(icd(file).error_kind.is("no-platform"));
  if (seen.loader.get()) {
    EXPECT_TRUE(seen.error.is("CL_PLATFORM_NOT_FOUND_KHR"));
  }
}

TEST_F(OpenclDriver, ThatLeavesItsTableToTheLoaderIsReached) {
  const auto library = Library::open(fake_opencl("icd2"));
  ASSERT_TRUE(library.get()) << library.why();
  const auto entry = opencl_entry(*library.get());
  ASSERT_TRUE(entry.get()) << entry.why();
  cl_platform_id id = nullptr;
  ASSERT_EQ(entry.get()->platforms(1, &id, nullptr), CL_SUCCESS);
  OpenclCalls own{};
  const OpenclCalls* calls = opencl_calls(id, *entry.get(), own);
  ASSERT_EQ(calls, &own);
  EXPECT_NE(calls->clGetPlatformInfo, nullptr);
  EXPECT_EQ(calls->clGetDeviceIDs, nullptr);
}

TEST_F(OpenclDriver, WithoutEntryPointIsNoIcd) {
  const OpenclIcd icd = load(fake_opencl("entryless"));
  EXPECT_TRUE(icd.loads.is(false));
  EXPECT_TRUE(icd.error_kind.is("not-an-icd"));
  EXPECT_TRUE(icd.path.is(fake_opencl("entryless")));
}

TEST_F(OpenclDriver, ThatNeedsAMissingLibraryNamesIt) {
  const OpenclIcd icd = load(fake_opencl("needy"));
  EXPECT_TRUE(icd.loads.is(false));
  EXPECT_TRUE(icd.error_kind.is("missing-dependency"));
  EXPECT_TRUE(icd.missing_dependency.is("libenvdoctor_fake_dependency.so"));
  EXPECT_TRUE(icd.path.is(fake_opencl("needy")));
}

TEST_F(OpenclDriver, ThatIsNotThereIsNotFound) {
  const OpenclIcd icd = load("libenvdoctor-of-no-such-name.so.1");
  EXPECT_TRUE(icd.loads.is(false));
  EXPECT_TRUE(icd.error_kind.is("not-found"));
  EXPECT_EQ(icd.path.outcome(), Outcome::absent);
}

TEST_F(OpenclDriver, OfAnotherArchitectureIsTold) {
  std::string bytes = healthy();
  ASSERT_GT(bytes.size(), 20U);
  bytes[18] = static_cast<char>(bytes[18] == '\xb7' ? 0x3e : 0xb7);  // e_machine: AArch64, or x86-64 there
  const OpenclIcd icd = load(write("other.so", bytes));
  EXPECT_TRUE(icd.loads.is(false));
  EXPECT_TRUE(icd.error_kind.is("wrong-architecture")) << *icd.error_kind.get() << ": " << *icd.error.get();
}

TEST_F(OpenclDriver, For32BitIsTold) {
  std::string bytes = healthy();
  bytes[4] = 1;  // EI_CLASS
  const OpenclIcd icd = load(write("small.so", bytes));
  EXPECT_TRUE(icd.error_kind.is("wrong-architecture")) << *icd.error_kind.get() << ": " << *icd.error.get();
}

TEST_F(OpenclDriver, ThatIsATextIsNoLibrary) {
  const OpenclIcd icd =
      load(write("text.so", "INPUT(libsomething.so) and more text than an ELF header has, so that it is read\n"));
  EXPECT_TRUE(icd.loads.is(false));
  EXPECT_TRUE(icd.error_kind.is("not-a-library")) << *icd.error_kind.get() << ": " << *icd.error.get();
}

TEST_F(OpenclDriver, ThatIsCutShortIsNoLibraryAtAnyLength) {
  const std::string bytes = healthy();
  for (const std::size_t length : {0, 3, 63, 200, 5000}) {
    const std::string library = write("short.so", bytes.substr(0, length));
    const std::string file = write("one.icd", library + "\n");
    run();  // glibc refuses most of them and is killed by SIGBUS on others
    EXPECT_TRUE(icd(file).loads.is(false)) << length;
    EXPECT_TRUE(icd(file).error_kind.is("not-a-library")) << length << ": " << *icd(file).error.get();
    EXPECT_TRUE(icd(file).path.is(library)) << length;
  }
}

}  // namespace
}  // namespace envdoctor::opencl_driver_test

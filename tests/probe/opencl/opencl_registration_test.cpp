// Where drivers are registered, determined from files only: captured hosts, other loaders' variables, hostile .icd
// files.
#include "tests/support/opencl_probe.h"

namespace envdoctor::opencl_registration_test {
namespace {

namespace fs = std::filesystem;
using opencl::library_line;

TEST(IcdFile, NamesItsFirstLineToOclIcd) {
  EXPECT_TRUE(library_line("libx.so.1\n", "ocl-icd").is("libx.so.1"));
  EXPECT_TRUE(library_line("libx.so.1", "ocl-icd").is("libx.so.1"));
  EXPECT_TRUE(library_line("libx.so.1\nliby.so.1\n", "ocl-icd").is("libx.so.1"));
  EXPECT_TRUE(library_line("libx.so.1\n", "").is("libx.so.1"));
}

TEST(IcdFile, IsTakenWholeByTheKhronosLoader) {
  EXPECT_TRUE(library_line("libx.so.1\n", "khronos").is("libx.so.1"));
  EXPECT_TRUE(library_line("libx.so.1\nliby.so.1\n", "khronos").is("libx.so.1\nliby.so.1"));
}

TEST(IcdFile, KeepsBlanksAndCarriageReturnsAsBothLoadersDo) {
  EXPECT_TRUE(library_line("libx.so.1 \n", "ocl-icd").is("libx.so.1 "));
  EXPECT_TRUE(library_line("libx.so.1\r\n", "ocl-icd").is("libx.so.1\r"));
  EXPECT_TRUE(library_line("  libx.so.1\n", "khronos").is("  libx.so.1"));
  EXPECT_TRUE(library_line("./libx.so.1\n", "ocl-icd").is("./libx.so.1"));
}

TEST(IcdFile, WithoutAUsableNameIsFailed) {
  for (const char* kind : {"ocl-icd", "khronos"}) {
    EXPECT_EQ(library_line("", kind).why(), "the file is empty");
    EXPECT_EQ(library_line("\n", kind).outcome(), Outcome::failed);
    EXPECT_EQ(library_line(std::string_view("\0\0\0", 3), kind).outcome(), Outcome::failed);
    EXPECT_EQ(library_line("\x7f"
                           "ELF\x02\x01\x01",
                           kind)
                  .outcome(),
              Outcome::failed);
    EXPECT_EQ(library_line(std::string(100'000, 'x'), kind).outcome(), Outcome::failed);
  }
}

TEST(LoaderKind, IsToldByTheVariablesItReads) {
  EXPECT_EQ(opencl::loader_kind("..OCL_ICD_VENDORS.OPENCL_VENDOR_PATH.OCL_ICD_PLATFORM_SORT./etc/OpenCL/vendors"),
            "ocl-icd");
  EXPECT_EQ(opencl::loader_kind("..OCL_ICD_VENDORS.OCL_ICD_FILENAMES./etc/OpenCL/vendors.clBuildProgram"), "khronos");
  EXPECT_EQ(opencl::loader_kind("../etc/OpenCL/vendors.clBuildProgram"), "unknown");
  EXPECT_EQ(opencl::loader_kind("..clBuildProgram.mali"), "vendor");
  EXPECT_EQ(opencl::loader_kind("some text"), "unknown");
  EXPECT_EQ(opencl::loader_kind(""), "unknown");
}

// A root with a few files, as a captured host.
class CapturedOpencl : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder = testing::TempDir() + "envdoctor-captured-" + test->name() + "-" + std::to_string(getpid());
    fs::create_directories(folder + "/root/etc/OpenCL/vendors");
  }
  void TearDown() override { fs::remove_all(folder); }
  void write(const std::string& path, const std::string& content) const {
    fs::create_directories(fs::path(folder + "/root" + path).parent_path());
    std::ofstream(folder + "/root" + path, std::ios::binary) << content;
  }
  void run() {
    files = open_files(folder + "/root");
    const Host host{.files = *files, .env = env, .live = false};
    const GatherOptions options;
    Session session(host, options);
    opencl::start(session, Limits{});
    const Snapshot snapshot = session.finish();
    ASSERT_TRUE(snapshot.opencl.get());
    seen = *snapshot.opencl.get();
  }
  opencl::Registration where(const std::string& kind) {
    files = open_files(folder + "/root");
    return opencl::registration(Host{.files = *files, .env = env, .live = false}, kind);
  }
  std::string folder{};
  std::map<std::string, std::string> env{};
  std::unique_ptr<Files> files{};
  Opencl seen{};
};

TEST_F(CapturedOpencl, ListsItsIcdFilesAndLoadsNothing) {
  write("/etc/OpenCL/vendors/b.icd", "libb.so.1\n");
  write("/etc/OpenCL/vendors/a.icd", "/opt/a/liba.so\n");
  write("/etc/OpenCL/vendors/a.icd.bak", "libold.so\n");
  write("/etc/OpenCL/vendors/.icd", "libnameless.so\n");
  write("/etc/OpenCL/vendors/empty.icd", "");
  run();
  ASSERT_TRUE(seen.icds.get());
  ASSERT_EQ(seen.icds.get()->size(), 3U);
  EXPECT_TRUE(seen.icds.get()->at(0).file.is("/etc/OpenCL/vendors/a.icd"));
  EXPECT_TRUE(seen.icds.get()->at(0).library.is("/opt/a/liba.so"));
  EXPECT_EQ(seen.icds.get()->at(0).loads.outcome(), Outcome::not_probed);
  EXPECT_TRUE(seen.icds.get()->at(1).library.is("libb.so.1"));
  EXPECT_TRUE(seen.icds.get()->at(2).loads.is(false));
  EXPECT_TRUE(seen.icds.get()->at(2).error_kind.is("malformed"));
  EXPECT_EQ(seen.platforms.outcome(), Outcome::not_probed);
  EXPECT_EQ(seen.error.outcome(), Outcome::not_probed);
  EXPECT_EQ(seen.application_platforms.outcome(), Outcome::not_probed);
}

TEST_F(CapturedOpencl, DoesNotCallADriverMissingWhereTheCacheWasNotCaptured) {
  write("/etc/OpenCL/vendors/a.icd", "liba.so.1\n");
  run();
  const OpenclIcd& icd = seen.icds.get()->at(0);
  EXPECT_EQ(icd.path.outcome(), Outcome::failed);
  EXPECT_EQ(icd.error_kind.outcome(), Outcome::not_probed);
  EXPECT_EQ(seen.loader.outcome(), Outcome::failed);
}

TEST_F(CapturedOpencl, WithoutTheFolderHasNoIcd) {
  fs::remove_all(folder + "/root/etc/OpenCL");
  run();
  EXPECT_TRUE(seen.icds.is({}));
}

TEST_F(CapturedOpencl, SaysThatItsFolderCouldNotBeListed) {
  std::ofstream(folder + "/errors.txt") << "/etc/OpenCL/vendors EACCES\n";
  run();
  EXPECT_EQ(seen.icds.outcome(), Outcome::failed);
  EXPECT_NE(seen.icds.why().find("EACCES"), std::string::npos) << seen.icds.why();
}

TEST_F(CapturedOpencl, IsReadByEachLoaderInItsOwnWay) {
  write("/elsewhere/x.icd", "libx.so\n");
  env["OCL_ICD_VENDORS"] = "/elsewhere/x.icd";
  EXPECT_EQ(where("ocl-icd").file, "/elsewhere/x.icd");
  EXPECT_EQ(where("ocl-icd").folder, "");
  EXPECT_EQ(where("khronos").folder, "/elsewhere/x.icd");
  env["OCL_ICD_VENDORS"] = "libx.so.1";
  EXPECT_EQ(where("ocl-icd").libraries, std::vector<std::string>{"libx.so.1"});
  env["OCL_ICD_VENDORS"] = "/elsewhere";
  EXPECT_EQ(where("ocl-icd").folder, "/elsewhere");
  EXPECT_EQ(where("khronos").folder, "/elsewhere");
  EXPECT_EQ(where("khronos").variable, "OCL_ICD_VENDORS");
}

TEST_F(CapturedOpencl, ReadsABareIcdNameInTheStandardFolderFirst) {
  write("/etc/OpenCL/vendors/x.icd", "libx.so\n");
  env["OCL_ICD_VENDORS"] = "x.icd";
  EXPECT_EQ(where("ocl-icd").file, "/etc/OpenCL/vendors/x.icd");
  env["OCL_ICD_VENDORS"] = "y.icd";
  EXPECT_EQ(where("ocl-icd").file, "y.icd");
}

TEST_F(CapturedOpencl, TakesAnEmptyVariableForUnsetOnlyWithOclIcd) {
  env["OCL_ICD_VENDORS"] = "";
  EXPECT_EQ(where("ocl-icd").folder, "/etc/OpenCL/vendors");
  EXPECT_EQ(where("khronos").folder, "");
}

TEST_F(CapturedOpencl, HeedsTheVariablesThatOnlyOneLoaderReads) {
  env["OPENCL_VENDOR_PATH"] = "/elsewhere";
  env["OCL_ICD_FILENAMES"] = "/a/liba.so::libb.so";
  EXPECT_EQ(where("ocl-icd").folder, "/elsewhere");
  EXPECT_EQ(where("ocl-icd").variable, "OPENCL_VENDOR_PATH");
  EXPECT_TRUE(where("ocl-icd").libraries.empty());
  EXPECT_EQ(where("khronos").folder, "/etc/OpenCL/vendors");
  EXPECT_EQ(where("khronos").libraries, (std::vector<std::string>{"/a/liba.so", "libb.so"}));
}

}  // namespace
}  // namespace envdoctor::opencl_registration_test

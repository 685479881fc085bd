// `envdoctor verify --framework` on a simulated PyTorch that gives wrong results.
#include <gmock/gmock.h>
#include <sched.h>

#include <filesystem>

#include "evidence/json.h"
#include "tests/support/process.h"

namespace envdoctor::verify_framework_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class VerifyFramework : public testing::Test {
 protected:
  void SetUp() override {
    const std::string site =
        root_ + "/env/lib/" + fs::read_symlink("/usr/bin/python3").filename().string() + "/site-packages";
    fs::create_directories(site + "/torch-2.9.9.dist-info");
    fs::create_directories(root_ + "/env/bin");
    fs::create_symlink("/usr/bin/python3", root_ + "/env/bin/python3");
    fs::create_symlink(std::string(source_folder) + "/tests/fakes/torch", site + "/torch");
    std::ofstream(root_ + "/env/pyvenv.cfg") << "home = /usr/bin\n";
    std::ofstream(site + "/torch-2.9.9.dist-info/METADATA") << "Metadata-Version: 2.1\nName: torch\nVersion: 2.9.9\n";
  }
  void TearDown() override { fs::remove_all(root_); }

  // One small product on the stand-in's GPU.
  Ran verify(const std::string& fault, const std::string& more = "--precision fp32") {
    return run_envdoctor("verify --framework torch --python " + root_ +
                             "/env --kernel gemm --size 24 --seed 7 --device "
                             "cuda " +
                             more + " -o " + root_ + "/report.json --format text",
                         "PYTHONDONTWRITEBYTECODE=1 TORCH_LIE=" + fault);
  }
  Snapshot evidence() { return snapshot_from_json(read_whole(root_ + "/report.json"), "report"); }
  ComputeResult result() {
    const Snapshot snapshot = evidence();
    const auto* results = snapshot.compute.get();
    if (!results || results->empty()) return {};
    return results->front();
  }
  std::string cause() {
    const ComputeResult one = result();
    return one.agreement.get() && one.agreement.get()->cause.get() ? *one.agreement.get()->cause.get() : "";
  }

  const std::string root_ = test_folder();
};

TEST_F(VerifyFramework, AgreesWithASoundOne) {
  const Ran ran = verify("");
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("framework:torch/cuda:0"));
  EXPECT_TRUE(result().backend.is("framework"));
  EXPECT_EQ(cause(), "");
}

TEST_F(VerifyFramework, NamesTf32ByReplayAndPrecisionProbes) {
  const Ran ran = verify("tf32");
  EXPECT_EQ(cause(), "tf32-inputs") << ran.out << ran.err;
  EXPECT_TRUE(result().agreement.get()->outcome.is("outside"));
  EXPECT_THAT(*result().agreement.get()->confirmed_by.get(), HasSubstr("replay, precision probes"));
  EXPECT_THAT(ran.out, HasSubstr("compute.tf32"));
  EXPECT_EQ(ran.status, 0) << "a library may choose TF32";
}

TEST_F(VerifyFramework, JudgesTf32ByItsOwnBound) {
  const Ran ran = verify("tf32", "--precision tf32");
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
  EXPECT_TRUE(result().precision.is("tf32"));
  EXPECT_FALSE(result().agreement.get()->outcome.is("outside"));
}

TEST_F(VerifyFramework, SeesOneWrongElement) {
  const Ran ran = verify("wrong");
  EXPECT_EQ(ran.status, 1) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("compute.wrong-results"));
  EXPECT_TRUE(result().agreement.get()->wrong.is(1));
}

TEST_F(VerifyFramework, NamesCudnnWhereItIsRightWithoutIt) {
  verify("cudnn");
  EXPECT_EQ(cause(), "cudnn");
}

TEST_F(VerifyFramework, SeesOtherBitsInEachRun) {
  const Ran ran = verify("unstable");
  EXPECT_EQ(cause(), "nondeterministic") << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("compute.nondeterministic"));
  EXPECT_EQ(ran.status, 0) << "within the bound";
}

TEST_F(VerifyFramework, OutlivesACrash) {
  const Ran ran = verify("crash");
  EXPECT_EQ(ran.status, 3) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("SIGSEGV"));
}

TEST_F(VerifyFramework, OutlivesAHangInItsLimit) {
  const Ran ran = verify("hang", "--precision fp32 --timeout 6");
  EXPECT_EQ(ran.status, 3) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("timeout: "));
  EXPECT_THAT(ran.out, HasSubstr("gemm"));
}

TEST_F(VerifyFramework, TakesNoHarmFromMegabytesOfPrint) {
  const Ran ran = verify("print");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, Not(HasSubstr("all is well")));
}

TEST_F(VerifyFramework, RefusesAResultOfAnotherSize) {
  EXPECT_EQ(verify("unwritten").status, 3);
  EXPECT_THAT(*evidence().compute_not_run.get()->front().why.get(), HasSubstr("bytes instead of"));
}

TEST_F(VerifyFramework, TellsWhatIsNotOffered) {
  verify("missing");
  EXPECT_THAT(*evidence().compute_not_run.get()->front().why.get(), testing::StartsWith("missing: RuntimeError"));
}

TEST_F(VerifyFramework, TimesBothAndTellsWhereTheCpuWins) {
  const Ran ran = run_envdoctor("bench --framework torch --quick --kernel gemm --python " + root_ + "/env -o " + root_ +
                                    "/report.json --format text",
                                "PYTHONDONTWRITEBYTECODE=1 TORCH_LIE=slow");
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("usage.cpu-faster"));
  EXPECT_THAT(read_whole(root_ + "/report.json"), HasSubstr("n=128 the CPU is faster: "));
  EXPECT_GT(*result().time.get()->median_ms.get(), 10);
}

// The first CPU that this test may use: on one alone, however many there are, no rate of the stand-in's is possible by
// chance.
std::string on_one_cpu() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return "";
  int cpu = 0;
  while (cpu < CPU_SETSIZE && !CPU_ISSET(cpu, &allowed)) ++cpu;
  return "taskset -c " + std::to_string(cpu);
}

// A clock that stops, and a framework that calls work done which it left out.
TEST_F(VerifyFramework, RefusesRatesThatNothingReaches) {
  const auto result_of = [&](const std::string& fault, const std::string& device, int size) -> std::string {
    const Ran ran =
        run_envdoctor("bench --framework torch --quick --kernel gemm --size " + std::to_string(size) + " --device " +
                          device + " --python " + root_ + "/env -o " + root_ + "/report.json --format text",
                      "PYTHONDONTWRITEBYTECODE=1 TORCH_LIE=" + fault + " " + on_one_cpu());
    const ComputeResult row = result();
    EXPECT_TRUE(row.kernel.is("gemm")) << ran.out << ran.err;
    EXPECT_EQ(row.rate.get() == nullptr, row.time.get() == nullptr) << fault;
    EXPECT_EQ(row.rate.get() == nullptr, ran.out.find("rejected") != std::string::npos) << ran.out;
    return row.rate.get() ? "a rate" : row.rate.why();
  };
  EXPECT_THAT(result_of("clock-stops", "cuda", 8), HasSubstr("the clock did not advance"));
  EXPECT_EQ(result_of("", "torch/cpu", 8), "a rate");
  EXPECT_THAT(result_of("skips", "torch/cpu", 256), HasSubstr("what our own loop reached on these cores"));
}

TEST_F(VerifyFramework, IsIncompleteWithoutTheFramework) {
  const Ran ran = run_envdoctor("verify --framework jax --python " + root_ + "/env");
  EXPECT_EQ(ran.status, 3) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("it is not installed in this Python"));
  EXPECT_EQ(run_envdoctor("verify --framework caffe").status, 2);
}

}  // namespace
}  // namespace envdoctor::verify_framework_test

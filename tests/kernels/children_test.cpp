// How work on devices is distributed over children, and what is reported when one of them fails.
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>

#include "kernels/core/verify.h"

namespace envdoctor::kernels::children_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

// A processor's driver, whose kernels go to several children at once, and a GPU's, whose kernels go to one.
const Target processor = {.subject = "opencl:processor", .backend = "opencl", .is_cpu = true};
const Target gpu = {.subject = "cuda:0", .backend = "cuda"};

class Children : public testing::TestWithParam<Target> {
 protected:
  // One row for each kernel, unless `before` comes to grief with it.
  Snapshot run(const std::function<void(const std::string& kernel)>& before) {
    for (const Kernel& kernel : all_kernels()) {
      wanted.push_back(&kernel);
      names.emplace_back(kernel.name);
    }
    const ChildWork work = [&](const Job& job, const VerifyOptions&, const Reporter& report) {
      Snapshot part;
      part.compute.fill();
      report.step("opening");
      before("opening");
      for (const Kernel* kernel : job.kernels) {
        report.step(std::string(kernel->name) + " fp32 n=5: run 1 of 3");
        before(kernel->name);
        part.compute.get()->push_back({.device = job.target.subject, .kernel = std::string(kernel->name)});
        report.partial_result(part);
        report.step(std::string(kernel->name) + " fp32 n=5: reported");
      }
      report.partial_result(part);
    };
    return run_in_children({GetParam()}, wanted, {.effort = Effort::quick, .limits = {.time = Milliseconds(1500)}},
                           work, Order::concurrent);
  }
  static std::vector<std::string> kernel_names(const Snapshot& snapshot) {
    std::vector<std::string> out;
    for (const ComputeResult& row : *snapshot.compute.get()) out.push_back(*row.kernel.get());
    return out;
  }
  std::vector<std::string> but(const std::string& name) {
    std::erase(names, name);
    return names;
  }
  std::vector<const Kernel*> wanted{};
  std::vector<std::string> names{};
};

TEST_P(Children, ReportInTheOrderOfTheKernels) {
  const Snapshot snapshot = run([](const std::string&) {});
  EXPECT_EQ(kernel_names(snapshot), names);
  EXPECT_TRUE(snapshot.compute_not_run.get()->empty());
}

TEST_P(Children, ThatCrashAreBlamedOnTheKernelAndTheOthersAreRun) {
  const Snapshot snapshot = run([](const std::string& kernel) {
    if (kernel == "gemm") abort();
  });
  EXPECT_EQ(kernel_names(snapshot), but("gemm"));
  ASSERT_EQ(snapshot.compute_not_run.get()->size(), 1U);
  const ComputeNotRun& row = snapshot.compute_not_run.get()->front();
  EXPECT_TRUE(row.kernel.is("gemm"));
  EXPECT_THAT(*row.why.get(), StartsWith("crash: ended by SIGABRT"));
  EXPECT_THAT(*row.why.get(), HasSubstr("gemm fp32 n=5: run 1 of 3"));
}

TEST_P(Children, ThatHangAreBlamedOnTheKernelAndTheOthersAreRun) {
  const Snapshot snapshot = run([](const std::string& kernel) {
    if (kernel == "hash-chain" || kernel == "fp-probe") pause();
  });
  but("fp-probe");
  EXPECT_EQ(kernel_names(snapshot), but("hash-chain"));
  ASSERT_EQ(snapshot.compute_not_run.get()->size(), 2U);
  for (const ComputeNotRun& row : *snapshot.compute_not_run.get()) EXPECT_THAT(*row.why.get(), StartsWith("timeout: "));
  EXPECT_TRUE(snapshot.compute_not_run.get()->front().kernel.is("fp-probe"));
  EXPECT_TRUE(snapshot.compute_not_run.get()->back().kernel.is("hash-chain"));
}

TEST_P(Children, ThatCannotOpenTheDeviceSayItOnce) {
  const Snapshot snapshot = run([](const std::string& step) {
    if (step == "opening") abort();
  });
  EXPECT_THAT(kernel_names(snapshot), ElementsAre());
  EXPECT_EQ(snapshot.compute_not_run.get()->size(), 1U);
}

INSTANTIATE_TEST_SUITE_P(Of, Children, testing::Values(processor, gpu),
                         [](const auto& of) { return of.param.is_cpu ? "Processor" : "Gpu"; });

}  // namespace
}  // namespace envdoctor::kernels::children_test

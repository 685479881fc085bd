// The kernels' PTX, as far as a machine without a GPU can judge it.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "kernels/core/device_source.h"
#include "tests/support/process.h"

namespace envdoctor::ptx_test {
namespace {

using kernels::all_kernels;
using kernels::Kernel;
using kernels::Plan;
using kernels::Variant;

// Every function that a plan for a GPU may call.
std::set<std::string> functions_of(const Kernel& kernel) {
  std::set<std::string> names;
  for (const kernels::Precision precision : kernel.precisions) {
    for (const kernels::Sizes& size : kernel.sizes(precision, kernels::Effort::full)) {
      const Plan plan = kernel.plan({.precision = precision, .size = size}, Variant::gpu, {});
      for (const kernels::Step& step : plan.steps) names.insert(step.function);
    }
  }
  return names;
}

TEST(Ptx, HoldsEveryFunctionThatAPlanCalls) {
  for (const Kernel& kernel : all_kernels()) {
    const Reading<std::string> ptx = kernels::ptx(kernel);
    if (!ptx.get()) GTEST_SKIP() << ptx.why();
    for (const std::string& name : functions_of(kernel))
      EXPECT_NE(ptx.get()->find(".entry " + name + "("), std::string::npos) << name;
  }
}

// A function without an end of its own, such as one that calls itself, is compiled to nothing.
TEST(Ptx, EveryFunctionGivesItsValue) {
  for (const Kernel& kernel : all_kernels()) {
    const Reading<std::string> ptx = kernels::ptx(kernel);
    if (!ptx.get()) GTEST_SKIP() << ptx.why();
    for (auto at = ptx.get()->find("func_retval0)"); at != std::string::npos;) {
      const auto next = ptx.get()->find("func_retval0) ", at + 1);
      const auto end = ptx.get()->find("\n}", at);
      if (ptx.get()->compare(ptx.get()->rfind('\n', at) + 1, 14, ".visible .func") == 0)
        EXPECT_LT(ptx.get()->find("st.param", at), end) << kernel.name << ": " << ptx.get()->substr(at, 60);
      at = next;
    }
  }
}

// Half precision's own functions must not be taken for those of wider numbers.
TEST(Ptx, MultiplyAddsAreOfTheirOwnPrecision) {
  const Reading<std::string> ptx = kernels::ptx(kernels::fma_peak::kernel);
  if (!ptx.get()) GTEST_SKIP() << ptx.why();
  for (const char* bits : {"32", "64"}) {
    const auto begin = ptx.get()->find(std::string(".entry fma_peak_fp") + bits);
    ASSERT_NE(begin, std::string::npos);
    const std::string entry = ptx.get()->substr(begin, ptx.get()->find(".entry", begin + 1) - begin);
    EXPECT_NE(entry.find(std::string("fma.rn.f") + bits), std::string::npos);
    EXPECT_EQ(entry.find("f16"), std::string::npos);
  }
}

TEST(Ptx, IsAssembledForEveryGpuSinceTuring) {
  const char* const assembler = "/usr/local/cuda/bin/ptxas";
  if (!std::filesystem::exists(assembler)) GTEST_SKIP() << "no CUDA toolkit";
  for (const Kernel& kernel : all_kernels()) {
    const Reading<std::string> ptx = kernels::ptx(kernel);
    if (!ptx.get()) GTEST_SKIP() << ptx.why();
    const std::string file = write_file_here(std::string(kernel.name) + ".ptx", *ptx.get());
    for (const char* gpu : {"sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"}) {
      const std::string command = std::string(assembler) + " -arch=" + gpu + " -o /dev/null " + file;
      EXPECT_EQ(std::system(command.c_str()), 0) << kernel.name << " " << gpu;  // NOLINT
    }
  }
}

}  // namespace
}  // namespace envdoctor::ptx_test

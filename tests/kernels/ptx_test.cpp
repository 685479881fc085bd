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

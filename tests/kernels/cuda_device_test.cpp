// The CUDA device against a driver of our own making, which keeps memory on the host and knows one kernel.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "host/cuda_compute.h"
#include "kernels/source.h"
#include "kernels/verify.h"
#include "tests/support/devices.h"

namespace envdoctor {
namespace {

using kernels::Device;
using kernels::Kernel;
using testing::HasSubstr;

struct Behaviour {
  int fail_launch = 0;       // CUresult
  bool forget_tail = false;  // the last group does not run
  std::string jit_error{};
};

class MadeUpDriver : public cuda::ComputeApi {
 public:
  explicit MadeUpDriver(const Behaviour& behaviour) : behaviour_(behaviour) {}

  cuda::Code open(int ordinal) override { return ordinal == 0 ? 0 : 101; }
  cuda::Code attribute(cuda::Attribute which, int& value) override {
    value = which == cuda::Attribute::max_threads_per_block ? 1024 : 64;
    return 0;
  }
  cuda::Code memory_free(std::size_t& bytes) override {
    bytes = std::size_t{1} << 32;
    return 0;
  }
  cuda::Code load_module(const std::string& ptx, int /*optimisation*/, cuda::Handle& module,
                         std::string& log) override {
    log = behaviour_.jit_error;
    module.value = this;
    return !log.empty() || ptx.find(".entry triad_fp32_gpu") == ptx.npos ? 218 : 0;
  }
  cuda::Code unload_module(cuda::Handle /*module*/) override { return 0; }
  cuda::Code function(cuda::Handle /*module*/, const std::string& name, cuda::Handle& function) override {
    if (name != "triad_fp32_gpu") return 500;
    function.value = this;
    return 0;
  }
  cuda::Code allocate(std::size_t bytes, cuda::Pointer& pointer) override {
    pointer = next_;
    next_ += bytes + 4096;
    memory_[pointer].resize(bytes);
    return 0;
  }
  cuda::Code release(cuda::Pointer pointer) override { return memory_.erase(pointer) == 1 ? 0 : 1; }
  cuda::Code copy_in(cuda::Pointer to, const void* from, std::size_t bytes) override {
    std::memcpy(at(to), from, bytes);
    return 0;
  }
  cuda::Code copy_out(void* to, cuda::Pointer from, std::size_t bytes) override {
    std::memcpy(to, at(from), bytes);
    return 0;
  }
  cuda::Code launch(cuda::Handle /*function*/, cuda::Grid groups, cuda::Grid items,
                    std::vector<void*>& parameters) override {
    if (behaviour_.fail_launch != 0) return behaviour_.fail_launch;
    const auto buffer = [&](std::size_t i) {
      return reinterpret_cast<float*>(at(*static_cast<cuda::Pointer*>(parameters[i])));
    };
    const float s = *static_cast<float*>(parameters[3]);
    const std::uint32_t count = *static_cast<std::uint32_t*>(parameters[4]);
    const std::uint32_t ran = (groups.x - (behaviour_.forget_tail ? 1U : 0U)) * items.x;
    for (std::uint32_t i = 0; i < std::min(count, ran); ++i) buffer(0)[i] = buffer(1)[i] + s * buffer(2)[i];
    return 0;
  }
  cuda::Code synchronize() override { return 0; }
  cuda::Code create_event(cuda::Handle& event) override {
    event.value = this;
    return 0;
  }
  cuda::Code record(cuda::Handle /*event*/) override { return 0; }
  cuda::Code elapsed_ms(cuda::Handle /*start*/, cuda::Handle /*end*/, float& ms) override {
    ms = 0.5F;
    return 0;
  }

 private:
  std::byte* at(cuda::Pointer pointer) {
    const auto block = std::prev(memory_.upper_bound(pointer));
    return block->second.data() + (pointer - block->first);
  }
  Behaviour behaviour_;
  cuda::Pointer next_ = 0x10000;
  std::map<cuda::Pointer, std::vector<std::byte>> memory_{};
};

const Kernel& triad() { return *std::ranges::find(kernels::all_kernels(), std::string_view("triad"), &Kernel::name); }

Snapshot verified(const Behaviour& behaviour) {
  const auto device =
      kernels::cuda_device(std::make_unique<MadeUpDriver>(behaviour), {.subject = "cuda:0", .backend = "cuda"}, {});
  Snapshot seen;
  kernels::verify_on(*device, {&triad()}, {.effort = kernels::Effort::quick, .precisions = {kernels::Precision::fp32}},
                     {.so_far = [&](const Snapshot& part) { seen = part; }, .step = [](const std::string&) {}});
  return seen;
}

bool carries_ptx() { return kernels::ptx(triad()).get() != nullptr; }

TEST(CudaDevice, RunsAKernelFromPtx) {
  if (!carries_ptx()) GTEST_SKIP() << "built without clang or libclc";
  const Snapshot seen = verified({});
  ASSERT_EQ(seen.compute.get()->size(), 1U) << told(seen);
  const ComputeResult& row = seen.compute.get()->front();
  EXPECT_TRUE(row.device.is("cuda:0"));
  EXPECT_TRUE(row.variant.is("gpu"));
  EXPECT_TRUE(row.math_library.is("libclc in our PTX"));
  expect_sound(seen);
}

TEST(CudaDevice, IsFoundOutWhenAGroupDoesNotRun) {
  if (!carries_ptx()) GTEST_SKIP() << "built without clang or libclc";
  const Snapshot seen = verified({.forget_tail = true});
  ASSERT_EQ(seen.compute.get()->size(), 1U) << told(seen);
  EXPECT_TRUE(seen.compute.get()->front().agreement.get()->outcome.is("outside")) << told(seen);
}

TEST(CudaDevice, NamesTheCallThatFailed) {
  if (!carries_ptx()) GTEST_SKIP() << "built without clang or libclc";
  const Snapshot launch = verified({.fail_launch = 700});
  ASSERT_EQ(launch.compute_not_run.get()->size(), 1U) << told(launch);
  EXPECT_THAT(*launch.compute_not_run.get()->front().why.get(), HasSubstr("cuLaunchKernel: error 700"));
  const Snapshot jit = verified({.jit_error = "ptxas: unsupported"});
  ASSERT_EQ(jit.compute_not_run.get()->size(), 1U) << told(jit);
  EXPECT_THAT(*jit.compute_not_run.get()->front().why.get(), HasSubstr("build: cuModuleLoadDataEx"));
  EXPECT_THAT(*jit.compute_not_run.get()->front().why.get(), HasSubstr("ptxas: unsupported"));
}

TEST(CudaDevice, SaysThatTheLibraryIsMissing) {
  const kernels::Target gone = {.subject = "cuda:0", .backend = "cuda", .library = "/no/such/libcuda.so.1"};
  try {
    kernels::open_cuda(gone, {});
    FAIL() << "opened";
  } catch (const kernels::DeviceError& error) {
    EXPECT_THAT(error.what(), HasSubstr("library not found"));
  }
}

}  // namespace
}  // namespace envdoctor

// The CUDA device with a fake driver, which keeps memory on the host and has one kernel.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "host/vendor/cuda_compute_api.h"
#include "kernels/bench/bench.h"
#include "kernels/core/device_source.h"
#include "kernels/core/verify.h"
#include "tests/support/expect_correct.h"

namespace envdoctor::cuda_device_test {
namespace {

using kernels::Device;
using kernels::Kernel;
using testing::HasSubstr;

struct Behaviour {
  int fail_launch = 0;         // CUresult
  bool forget_tail = false;    // the last group does not run
  bool forget_copies = false;  // that are asked for without waiting
  std::string jit_error{};
};

class MadeUpDriver : public cuda::ComputeApi {
 public:
  explicit MadeUpDriver(const Behaviour& behaviour) : behaviour_(behaviour) {}

  cuda::Code open(int ordinal) override { return ordinal == 0 ? 0 : 101; }
  cuda::Code attribute(cuda::Attribute which, int& value) override {
    static const std::map<cuda::Attribute, int> h200 = {
        {cuda::Attribute::max_threads_per_block, 1024}, {cuda::Attribute::max_shared_memory_per_block, 49152},
        {cuda::Attribute::multiprocessor_count, 132},   {cuda::Attribute::clock_khz, 1'980'000},
        {cuda::Attribute::memory_clock_khz, 3'201'000}, {cuda::Attribute::memory_bus_bits, 6144},
        {cuda::Attribute::compute_capability_major, 9}, {cuda::Attribute::compute_capability_minor, 0}};
    value = h200.at(which);
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
  cuda::Code allocate_host(std::size_t bytes, void*& memory) override {
    pinned_ += bytes;
    memory = ::operator new(bytes);
    return 0;
  }
  cuda::Code release_host(void* memory) override {
    ::operator delete(memory);
    return 0;
  }
  cuda::Code start_copy_in(cuda::Pointer to, const void* from, std::size_t bytes) override {
    return behaviour_.forget_copies ? 0 : copy_in(to, from, bytes);
  }
  cuda::Code start_copy_out(void* to, cuda::Pointer from, std::size_t bytes) override {
    return copy_out(to, from, bytes);
  }
  cuda::Code start_copy_on_device(cuda::Pointer to, cuda::Pointer from, std::size_t bytes) override {
    std::memcpy(at(to), at(from), bytes);
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
    const std::uint32_t step = (count + 3) / 4;  // as the kernel: an item takes four numbers
    for (std::uint32_t item = 0; item < std::min(step, ran); ++item) {
      for (std::uint32_t i = item; i < count; i += step) buffer(0)[i] = buffer(1)[i] + s * buffer(2)[i];
    }
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
  std::size_t pinned_ = 0;
  std::map<cuda::Pointer, std::vector<std::byte>> memory_{};
};

const Kernel& triad() { return *std::ranges::find(kernels::all_kernels(), std::string_view("triad"), &Kernel::name); }

Snapshot verified(const Behaviour& behaviour) {
  const auto device =
      kernels::cuda_device(std::make_unique<MadeUpDriver>(behaviour), {.subject = "cuda:0", .backend = "cuda"}, {});
  Snapshot seen;
  kernels::verify_on(*device, {&triad()}, {.effort = kernels::Effort::quick, .precisions = {kernels::Precision::fp32}},
                     {.partial_result = [&](const Snapshot& part) { seen = part; }, .step = [](const std::string&) {}});
  return seen;
}

bool carries_ptx() { return kernels::ptx(triad()).get() != nullptr; }

TEST(CudaDevice, RunsAKernelFromPtx) {
  if (!carries_ptx()) GTEST_SKIP() << "built without clang or libclc";
  const Snapshot seen = verified({});
  ASSERT_EQ(seen.compute.get()->size(), 1U) << describe(seen);
  const ComputeResult& row = seen.compute.get()->front();
  EXPECT_TRUE(row.device.is("cuda:0"));
  EXPECT_TRUE(row.variant.is("gpu"));
  EXPECT_TRUE(row.math_library.is("libclc in our PTX"));
  expect_correct(seen);
}

TEST(CudaDevice, IsFoundOutWhenAGroupDoesNotRun) {
  if (!carries_ptx()) GTEST_SKIP() << "built without clang or libclc";
  const Snapshot seen = verified({.forget_tail = true});
  ASSERT_EQ(seen.compute.get()->size(), 1U) << describe(seen);
  EXPECT_TRUE(seen.compute.get()->front().agreement.get()->outcome.is("outside")) << describe(seen);
}

TEST(CudaDevice, NamesTheCallThatFailed) {
  if (!carries_ptx()) GTEST_SKIP() << "built without clang or libclc";
  const Snapshot launch = verified({.fail_launch = 700});
  ASSERT_EQ(launch.compute_not_run.get()->size(), 1U) << describe(launch);
  EXPECT_THAT(*launch.compute_not_run.get()->front().why.get(), HasSubstr("cuLaunchKernel: error 700"));
  const Snapshot jit = verified({.jit_error = "ptxas: unsupported"});
  ASSERT_EQ(jit.compute_not_run.get()->size(), 1U) << describe(jit);
  EXPECT_THAT(*jit.compute_not_run.get()->front().why.get(), HasSubstr("build: cuModuleLoadDataEx"));
  EXPECT_THAT(*jit.compute_not_run.get()->front().why.get(), HasSubstr("ptxas: unsupported"));
}

TEST(CudaDevice, TellsItsPeakFromItsAttributes) {
  const auto device = kernels::cuda_device(std::make_unique<MadeUpDriver>(Behaviour{}), {.subject = "cuda:0"}, {});
  const kernels::DeviceSpecs& specs = device->facts().specs;
  EXPECT_NEAR(kernels::arithmetic_peak(specs, kernels::Precision::fp32)->value, 66'908, 1);
  EXPECT_NEAR(kernels::memory_peak(specs)->value, 4917, 1);
}

TEST(CudaDevice, CopiesAllWaysAndIsFoundOutWhenItDoesNot) {
  const auto rows = [](const Behaviour& behaviour) {
    const auto device = kernels::cuda_device(std::make_unique<MadeUpDriver>(behaviour), {.subject = "cuda:0"}, {});
    return kernels::bench_copies(*device, nullptr, 1 << 20, 1, 0, {.least_samples = 3}, [](const std::string&) {});
  };
  const std::vector<ComputeResult> honest = rows({});
  ASSERT_GE(honest.size(), 5U);
  // On a machine that is busy elsewhere a time may say nothing.
  for (const ComputeResult& row : honest)
    EXPECT_TRUE(row.rate.get() || row.rate.why().ends_with("says nothing")) << *row.kernel.get() << row.rate.why();
  EXPECT_TRUE(honest.back().kernel.is("copy-device"));
  for (const ComputeResult& row : rows({.forget_copies = true})) {
    if (!row.kernel.is("copy-in")) continue;
    EXPECT_FALSE(row.rate.get());
    EXPECT_FALSE(row.time.get());
    EXPECT_THAT(row.rate.why(), HasSubstr("what arrived is not what was sent"));
  }
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
}  // namespace envdoctor::cuda_device_test

#include "kernels/cuda_copy.h"

#include <chrono>
#include <cstring>

namespace envdoctor::kernels {
namespace {

using Clock = std::chrono::steady_clock;

class CudaCopy : public Copy {
 public:
  CudaCopy(cuda::ComputeApi& api, CudaCheck check, const CopySpec& spec)
      : api_(api), check_(std::move(check)), spec_(spec) {
    check_("cuMemAlloc", api_.allocate(spec.bytes, near_));
    if (spec.way == Way::on_device) {
      check_("cuMemAlloc", api_.allocate(spec.bytes, far_));
    } else if (spec.pinned) {
      check_("cuMemAllocHost", api_.allocate_host(spec.bytes, pinned_));
      host_ = static_cast<std::byte*>(pinned_);
    } else {
      memory_.resize(spec.bytes);
      host_ = memory_.data();
    }
  }
  CudaCopy(const CudaCopy&) = delete;
  CudaCopy& operator=(const CudaCopy&) = delete;
  ~CudaCopy() override {
    if (near_) api_.release(near_);
    if (far_) api_.release(far_);
    if (pinned_) api_.release_host(pinned_);
  }

  void fill(std::span<const std::byte> bytes) override {
    const std::vector<std::byte> other(spec_.bytes, std::byte{0xA5});
    check_("cuMemcpyHtoD", api_.copy_in(near_, spec_.way == Way::in ? other.data() : bytes.data(), spec_.bytes));
    if (spec_.way == Way::on_device) {
      check_("cuMemcpyHtoD", api_.copy_in(far_, other.data(), spec_.bytes));
    } else {
      std::memcpy(host_, spec_.way == Way::in ? bytes.data() : other.data(), spec_.bytes);
    }
  }

  Ran run(int times) override {
    check_("cuCtxSynchronize", api_.synchronize());
    const auto start = Clock::now();
    for (int i = 0; i < times; ++i) {
      switch (spec_.way) {
        case Way::in:
          check_("cuMemcpyHtoDAsync", api_.start_copy_in(near_, host_, spec_.bytes));
          break;
        case Way::out:
          check_("cuMemcpyDtoHAsync", api_.start_copy_out(host_, near_, spec_.bytes));
          break;
        case Way::on_device:
          check_("cuMemcpyDtoDAsync", api_.start_copy_on_device(far_, near_, spec_.bytes));
          break;
      }
    }
    check_("cuCtxSynchronize", api_.synchronize());
    return {.wall_ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count()};
  }

  std::vector<std::byte> arrived() override {
    if (spec_.way == Way::out) return {host_, host_ + spec_.bytes};
    std::vector<std::byte> bytes(spec_.bytes);
    check_("cuMemcpyDtoH", api_.copy_out(bytes.data(), spec_.way == Way::in ? near_ : far_, bytes.size()));
    return bytes;
  }

 private:
  cuda::ComputeApi& api_;
  CudaCheck check_;
  CopySpec spec_;
  cuda::Pointer near_ = 0, far_ = 0;
  void* pinned_ = nullptr;
  std::vector<std::byte> memory_{};
  std::byte* host_ = nullptr;
};

}  // namespace

std::unique_ptr<Copy> cuda_copy(cuda::ComputeApi& api, CudaCheck check, const CopySpec& spec) {
  return std::make_unique<CudaCopy>(api, std::move(check), spec);
}

}  // namespace envdoctor::kernels

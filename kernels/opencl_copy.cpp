#include <chrono>
#include <cstring>

#include "kernels/opencl_device.h"

namespace envdoctor::kernels {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const cl_event* nothing_first = nullptr;
constexpr cl_event* no_event = nullptr;

class OpenclCopy : public Copy {
 public:
  OpenclCopy(const OpenclTalk& talk, const OpenclCalls& calls, cl_context context, cl_command_queue queue,
             const CopySpec& spec)
      : talk_(talk), calls_(calls), queue_(queue), spec_(spec) {
    near_ = buffer(context, CL_MEM_READ_WRITE);
    if (spec.way == Way::on_device) {
      far_ = buffer(context, CL_MEM_READ_WRITE);
    } else if (spec.pinned) {
      far_ = buffer(context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR);
      host_ = static_cast<std::byte*>(talk_.made("clEnqueueMapBuffer", calls_.clEnqueueMapBuffer, queue_, far_,
                                                 cl_bool{CL_TRUE}, cl_map_flags{CL_MAP_READ | CL_MAP_WRITE},
                                                 std::size_t{0}, spec.bytes, 0U, nothing_first, no_event));
    } else {
      memory_.resize(spec.bytes);
      host_ = memory_.data();
    }
  }
  OpenclCopy(const OpenclCopy&) = delete;
  OpenclCopy& operator=(const OpenclCopy&) = delete;
  // What is left of these is memory, which the next rows need. Errors have no place to go.
  ~OpenclCopy() override {
    if (spec_.pinned && host_ && calls_.clEnqueueUnmapMemObject)
      calls_.clEnqueueUnmapMemObject(queue_, far_, host_, 0, nullptr, nullptr);
    if (calls_.clFinish) calls_.clFinish(queue_);
    for (cl_mem memory : {near_, far_}) {
      if (memory && calls_.clReleaseMemObject) calls_.clReleaseMemObject(memory);
    }
  }

  void fill(std::span<const std::byte> bytes) override {
    const std::vector<std::byte> other(spec_.bytes, std::byte{0xA5});
    write(near_, spec_.way == Way::in ? std::span<const std::byte>(other) : bytes);
    if (spec_.way == Way::on_device) {
      write(far_, other);
    } else {
      std::memcpy(host_, spec_.way == Way::in ? bytes.data() : other.data(), spec_.bytes);
    }
  }

  Ran run(int times) override {
    const auto start = Clock::now();
    for (int i = 0; i < times; ++i) enqueue();
    talk_.quietly("clFinish", calls_.clFinish, queue_);
    return {.wall_ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count()};
  }

  std::vector<std::byte> arrived() override {
    if (spec_.way == Way::out) return {host_, host_ + spec_.bytes};
    std::vector<std::byte> bytes(spec_.bytes);
    talk_.code("clEnqueueReadBuffer", calls_.clEnqueueReadBuffer, queue_, spec_.way == Way::in ? near_ : far_,
               cl_bool{CL_TRUE}, std::size_t{0}, bytes.size(), static_cast<void*>(bytes.data()), 0U, nothing_first,
               no_event);
    return bytes;
  }

 private:
  cl_mem buffer(cl_context context, cl_mem_flags flags) {
    return talk_.made("clCreateBuffer", calls_.clCreateBuffer, context, flags, spec_.bytes,
                      static_cast<void*>(nullptr));
  }
  void write(cl_mem to, std::span<const std::byte> bytes) {
    talk_.code("clEnqueueWriteBuffer", calls_.clEnqueueWriteBuffer, queue_, to, cl_bool{CL_TRUE}, std::size_t{0},
               bytes.size(), static_cast<const void*>(bytes.data()), 0U, nothing_first, no_event);
  }
  void enqueue() {
    constexpr std::size_t start = 0;
    if (spec_.way == Way::in) {
      talk_.quietly("clEnqueueWriteBuffer", calls_.clEnqueueWriteBuffer, queue_, near_, cl_bool{CL_FALSE}, start,
                    spec_.bytes, static_cast<const void*>(host_), 0U, nothing_first, no_event);
    } else if (spec_.way == Way::out) {
      talk_.quietly("clEnqueueReadBuffer", calls_.clEnqueueReadBuffer, queue_, near_, cl_bool{CL_FALSE}, start,
                    spec_.bytes, static_cast<void*>(host_), 0U, nothing_first, no_event);
    } else {
      talk_.quietly("clEnqueueCopyBuffer", calls_.clEnqueueCopyBuffer, queue_, near_, far_, start, start, spec_.bytes,
                    0U, nothing_first, no_event);
    }
  }

  const OpenclTalk& talk_;
  const OpenclCalls& calls_;
  cl_command_queue queue_;
  CopySpec spec_;
  cl_mem near_ = nullptr, far_ = nullptr;
  std::vector<std::byte> memory_{};
  std::byte* host_ = nullptr;  // the end that lies on the host; null: there is none
};

}  // namespace

std::unique_ptr<Copy> opencl_copy(const OpenclTalk& talk, const OpenclCalls& calls, cl_context context,
                                  cl_command_queue queue, const CopySpec& spec) {
  return std::make_unique<OpenclCopy>(talk, calls, context, queue, spec);
}

}  // namespace envdoctor::kernels

#pragma once
// How the host device calls plain C++: one call does a whole step, on as many threads as it likes (parallel.h).
#include <cstddef>
#include <span>

#include "kernels/plan.h"

namespace envdoctor::kernels {

class HostCall {
 public:
  // `buffers` are the plan's; the step's arguments point into them.
  HostCall(const Step& step, std::span<std::span<std::byte>> buffers) : step_(step), buffers_(buffers) {}

  // The elements of the buffer that argument `index` names.
  template <class T>
  [[nodiscard]] std::span<T> buffer(std::size_t index) const {
    const std::span<std::byte> bytes = buffers_[static_cast<std::size_t>(std::get<BufferArgument>(step_.arguments.at(index)).buffer)];
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  template <class T>
  [[nodiscard]] T scalar(std::size_t index) const { return std::get<T>(step_.arguments.at(index)); }

 private:
  const Step& step_;
  std::span<std::span<std::byte>> buffers_;
};

using HostFunction = void (*)(const HostCall&);

}  // namespace envdoctor::kernels

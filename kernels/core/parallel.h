#pragma once
// Runs references on all cores that this process may use.
#include <cstddef>
#include <functional>

namespace envdoctor::kernels {

// Calls body(begin, end) for ranges that together cover [0, count) once each, on several threads. Deterministic as long
// as each index is computed from inputs alone. Ranges hold at least `grain` indices. Exceptions of `body` are rethrown
// here. Use in children only: the parent starts no thread.
void parallel_for(std::size_t count, const std::function<void(std::size_t begin, std::size_t end)>& body,
                  std::size_t grain = 4096);

// Calls body(index) once for each index below `count`, in the same way.
template <class Body>
void parallel_for_each(std::size_t count, std::size_t grain, const Body& body) {
  const auto range = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) body(i);
  };
  parallel_for(count, range, grain);
}

}  // namespace envdoctor::kernels

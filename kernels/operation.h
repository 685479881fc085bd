#pragma once
// What an operation is, told well enough to name the arithmetic that made its result. Any two arrays can be judged with
// one of these: our kernels' and a framework's alike.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace envdoctor::kernels {

// One output element as a dot product of length k: its terms a[i] * b[i], as the exact inputs.
struct Terms {
  std::vector<double> a{}, b{};
};

struct Operation {
  std::string name{};            // "gemm"
  std::int64_t depth = 1;        // k: products or terms summed into one element
  std::int64_t chain = 1;        // the longest chain of dependent additions, where the order is known; else depth
  std::int64_t columns = 0;      // the output is a matrix with rows of so many elements; 0: a vector
  bool order_free = false;       // float atomics: another order, and other bits, each time
  // The terms of one output element, where the operation is a sum of products; empty: it isn't.
  std::function<Terms(std::size_t element)> terms{};
};

}  // namespace envdoctor::kernels

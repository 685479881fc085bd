#include "kernels/kernel.h"

namespace envdoctor::kernels {

extern const Kernel pattern, triad, reduce, dot, scan, gemm, gemv, conv2d, stencil, sort, histogram, float_atomics,
    hash_chain;

const std::vector<Kernel>& all_kernels() {
  static const std::vector<Kernel> kernels = {
      pattern, triad, reduce, dot, gemm, gemv, conv2d, scan, stencil, sort, histogram, float_atomics, hash_chain,
  };
  return kernels;
}

}  // namespace envdoctor::kernels

#include "kernels/kernel.h"

namespace envdoctor::kernels {

extern const Kernel pattern, triad, reduce, dot, scan, gemm, gemv, conv2d, stencil, sort, histogram, float_atomics,
    hash_chain, fp_probe, map, softmax, layernorm, lstm, fft_butterfly, gemm_exact;

const std::vector<Kernel>& all_kernels() {
  static const std::vector<Kernel> kernels = {
      fp_probe, pattern,   triad, map,           reduce, dot,     gemm, gemm_exact, gemv,          conv2d,
      softmax,  layernorm, lstm,  fft_butterfly, scan,   stencil, sort, histogram,  float_atomics, hash_chain,
  };
  return kernels;
}

}  // namespace envdoctor::kernels

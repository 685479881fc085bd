// precisions: fp32 fp64 int32
// Radix-2 transforms of n points, n a power of two up to 1024, by stages of butterflies with a barrier between them. The
// factors come from memory, n / 2 of them for each stage; integers of size 1 make it exact.
#define FFT_MOST 1024

uint NAME(fft, reversed)(uint i, uint bits) {
  uint out = 0;
  for (uint bit = 0; bit < bits; ++bit) out |= ((i >> bit) & 1u) << (bits - 1 - bit);
  return out;
}

#ifndef __NVPTX__
// One item for a transform, in its place in `out`.
__kernel void NAME(fft_butterfly, cpu)(__global const real* restrict x, __global const real* restrict factors,
                                       __global real* restrict out, const uint bits, const uint transforms) {
  const uint transform = (uint)get_global_id(0), n = 1u << bits;
  if (transform >= transforms) return;
  __global const real* from = x + (size_t)transform * 2 * n;
  __global real* to = out + (size_t)transform * 2 * n;
  for (uint i = 0; i < n; ++i) {
    const uint j = NAME(fft, reversed)(i, bits);
    to[2 * i] = from[2 * j];
    to[2 * i + 1] = from[2 * j + 1];
  }
  for (uint stage = 0; stage < bits; ++stage) {
    const uint half_ = 1u << stage;
    for (uint b = 0; b < n / 2; ++b) {
      const uint low = (b / half_) * 2 * half_ + b % half_, high = low + half_;
      const real wr = factors[((size_t)stage * (n / 2) + b) * 2], wi = factors[((size_t)stage * (n / 2) + b) * 2 + 1];
      const real re = to[2 * high] * wr - to[2 * high + 1] * wi, im = to[2 * high] * wi + to[2 * high + 1] * wr;
      const real lr = to[2 * low], li = to[2 * low + 1];
      to[2 * low] = lr + re;
      to[2 * low + 1] = li + im;
      to[2 * high] = lr - re;
      to[2 * high + 1] = li - im;
    }
  }
}
#endif

// One group for a transform, in local memory.
__kernel void NAME(fft_butterfly, gpu)(__global const real* restrict x, __global const real* restrict factors,
                                       __global real* restrict out, const uint bits, const uint transforms) {
  __local real re[FFT_MOST], im[FFT_MOST];
  const uint item = (uint)get_local_id(0), items = (uint)get_local_size(0), n = 1u << bits;
  __global const real* from = x + (size_t)get_group_id(0) * 2 * n;
  __global real* to = out + (size_t)get_group_id(0) * 2 * n;
  for (uint i = item; i < n; i += items) {
    const uint j = NAME(fft, reversed)(i, bits);
    re[i] = from[2 * j];
    im[i] = from[2 * j + 1];
  }
  for (uint stage = 0; stage < bits; ++stage) {
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint half_ = 1u << stage;
    for (uint b = item; b < n / 2; b += items) {
      const uint low = (b / half_) * 2 * half_ + b % half_, high = low + half_;
      const real wr = factors[((size_t)stage * (n / 2) + b) * 2], wi = factors[((size_t)stage * (n / 2) + b) * 2 + 1];
      const real hr = re[high] * wr - im[high] * wi, hi = re[high] * wi + im[high] * wr;
      const real lr = re[low], li = im[low];
      re[low] = lr + hr;
      im[low] = li + hi;
      re[high] = lr - hr;
      im[high] = li - hi;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = item; i < n; i += items) {
    to[2 * i] = re[i];
    to[2 * i + 1] = im[i];
  }
}
#undef FFT_MOST

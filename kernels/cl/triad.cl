// precisions: fp16 fp32 fp64
// a[i] = b[i] + s * c[i], one rounding or two.

#ifndef __NVPTX__
// One item for sixteen neighbours; the last takes the tail one by one.
__kernel void NAME(triad, cpu)(__global real* restrict a, __global const real* restrict b,
                               __global const real* restrict c, const float s, const uint count) {
  const uint i = (uint)get_global_id(0);
  if (i * 16 + 16 <= count) {
    vstore16(vload16(i, b) + (real16)((real)s) * vload16(i, c), i, a);
  } else {
    for (uint j = i * 16; j < count; ++j) a[j] = b[j] + (real)s * c[j];
  }
}
#endif

// One item for four numbers, each a quarter of them behind the one before: neighbours read neighbours, and enough reads are
// under way to fill a wide memory (one number for each item filled half of an H200's).
__kernel void NAME(triad, gpu)(__global real* restrict a, __global const real* restrict b,
                               __global const real* restrict c, const float s, const uint count) {
  const uint step = count / 4 + (count % 4 != 0), i = (uint)get_global_id(0);
  if (i >= step) return;
  const uint j = i + step, k = j + step, l = k + step;
  const real b0 = b[i], b1 = j < count ? b[j] : b0, b2 = k < count ? b[k] : b0, b3 = l < count ? b[l] : b0;
  const real c0 = c[i], c1 = j < count ? c[j] : c0, c2 = k < count ? c[k] : c0, c3 = l < count ? c[l] : c0;
  a[i] = b0 + (real)s * c0;
  if (j < count) a[j] = b1 + (real)s * c1;
  if (k < count) a[k] = b2 + (real)s * c2;
  if (l < count) a[l] = b3 + (real)s * c3;
}

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

__kernel void NAME(triad, gpu)(__global real* restrict a, __global const real* restrict b,
                               __global const real* restrict c, const float s, const uint count) {
  const uint i = (uint)get_global_id(0);
  if (i < count) a[i] = b[i] + (real)s * c[i];
}

// precisions: fp16 fp32 fp64
// One dot product of length k for each row: out[r] = Sum_i a[r][i] * b[r][i].

#ifndef __NVPTX__
// An item a row, 16 lanes wide; what 16 doesn't divide goes into lane 0.
__kernel void NAME(dot, cpu)(__global const real* restrict a, __global const real* restrict b,
                             __global real* restrict out, const uint rows, const uint k) {
  const uint row = (uint)get_global_id(0);
  if (row >= rows) return;
  a += (size_t)row * k;
  b += (size_t)row * k;
  real16 sum = (real16)((real)0);
  uint i = 0;
  for (; i + 16 <= k; i += 16) sum += vload16(0, a + i) * vload16(0, b + i);
  for (; i < k; ++i) sum.s0 += a[i] * b[i];
  const real8 sum8 = sum.lo + sum.hi;
  const real4 sum4 = sum8.lo + sum8.hi;
  const real2 sum2 = sum4.lo + sum4.hi;
  out[row] = sum2.x + sum2.y;
}
#endif

// A group of up to 256 items, a power of two, a row.
__kernel void NAME(dot, gpu)(__global const real* restrict a, __global const real* restrict b,
                             __global real* restrict out, const uint rows, const uint k) {
  __local real sums[256];
  const uint row = (uint)get_group_id(0), item = (uint)get_local_id(0);
  const size_t offset = (size_t)row * k;
  real sum = 0;
  for (uint i = item; i < k; i += (uint)get_local_size(0)) sum += a[offset + i] * b[offset + i];
  sums[item] = sum;
  for (uint half_ = (uint)get_local_size(0) / 2; half_ > 0; half_ /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < half_) sums[item] += sums[item + half_];
  }
  if (item == 0 && row < rows) out[row] = sums[0];
}

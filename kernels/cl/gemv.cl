// precisions: fp32
// y = A x, A with m rows of k.

#ifndef __NVPTX__
__kernel void NAME(gemv, cpu)(__global const real* restrict a, __global const real* restrict x,
                              __global real* restrict y, const uint m, const uint k) {
  const uint row = (uint)get_global_id(0);
  if (row >= m) return;
  a += (size_t)row * k;
  real16 sum = (real16)((real)0);
  uint i = 0;
  for (; i + 16 <= k; i += 16) sum += vload16(0, a + i) * vload16(0, x + i);
  for (; i < k; ++i) sum.s0 += a[i] * x[i];
  const real8 sum8 = sum.lo + sum.hi;
  const real4 sum4 = sum8.lo + sum8.hi;
  const real2 sum2 = sum4.lo + sum4.hi;
  y[row] = sum2.x + sum2.y;
}
#endif

// A group of 64 items a row.
__kernel void NAME(gemv, gpu)(__global const real* restrict a, __global const real* restrict x,
                              __global real* restrict y, const uint m, const uint k) {
  __local real sums[64];
  const uint row = (uint)get_group_id(0), item = (uint)get_local_id(0);
  const size_t offset = (size_t)row * k;
  real sum = 0;
  for (uint i = item; i < k; i += (uint)get_local_size(0)) sum += a[offset + i] * x[i];
  sums[item] = sum;
  for (uint half_ = (uint)get_local_size(0) / 2; half_ > 0; half_ /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < half_) sums[item] += sums[item + half_];
  }
  if (item == 0 && row < m) y[row] = sums[0];
}

// precisions: fp32
// y = A x, A with m rows of k.

#ifndef __NVPTX__
__kernel void NAME(gemv, cpu)(__global const real* restrict a, __global const real* restrict x,
                              __global real* restrict y, const uint m, const uint k) {
  const uint row = (uint)get_global_id(0);
  if (row < m) y[row] = NAME(dot, lanes)(a + (size_t)row * k, x, k);
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
  const real whole = NAME(sum, group)(sum, sums);
  if (item == 0 && row < m) y[row] = whole;
}

// precisions: fp16 fp32 fp64
// One dot product of length k for each row: out[r] = Sum_i a[r][i] * b[r][i].

#ifndef __NVPTX__
// An item a row.
__kernel void NAME(dot, cpu)(__global const real* restrict a, __global const real* restrict b,
                             __global real* restrict out, const uint rows, const uint k) {
  const uint row = (uint)get_global_id(0);
  if (row < rows) out[row] = NAME(dot, lanes)(a + (size_t)row * k, b + (size_t)row * k, k);
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
  const real whole = NAME(sum, group)(sum, sums);
  if (item == 0 && row < rows) out[row] = whole;
}

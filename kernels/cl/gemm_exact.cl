// precisions: fp32 fp64 int32
// C = A B, A m x k, B k x n, row by row, on data for which every order of operations gives the same bits.

#ifndef __NVPTX__
__kernel void NAME(gemm_exact, cpu)(__global const real* restrict a, __global const real* restrict b,
                                    __global real* restrict c, const uint m, const uint n, const uint k) {
  const uint j = (uint)get_global_id(0), i = (uint)get_global_id(1);
  if (i >= m || j >= n) return;
  real sum = 0;
  for (uint l = 0; l < k; ++l) sum += a[(size_t)i * k + l] * b[(size_t)l * n + j];
  c[(size_t)i * n + j] = sum;
}
#endif

// Groups of 16 x 16 with tiles in local memory, zeros beyond the edges.
__kernel void NAME(gemm_exact, gpu)(__global const real* restrict a, __global const real* restrict b,
                                    __global real* restrict c, const uint m, const uint n, const uint k) {
  __local real a_tile[16][16 + 1], b_tile[16][16 + 1];
  const uint x = (uint)get_local_id(0), y = (uint)get_local_id(1);
  const uint j = (uint)get_group_id(0) * 16 + x, i = (uint)get_group_id(1) * 16 + y;
  real sum = 0;
  for (uint from = 0; from < k; from += 16) {
    a_tile[y][x] = i < m && from + x < k ? a[(size_t)i * k + from + x] : (real)0;
    b_tile[y][x] = from + y < k && j < n ? b[(size_t)(from + y) * n + j] : (real)0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint l = 0; l < 16; ++l) sum += a_tile[y][l] * b_tile[l][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (i < m && j < n) c[(size_t)i * n + j] = sum;
}

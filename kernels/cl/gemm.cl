// precisions: fp32 fp64 fp16
// C = A B, A m x k, B k x n, row by row.

#ifndef __NVPTX__
// For CPUs B is first laid out in panels: as many columns as two vectors hold, each panel contiguous, zeros behind the
// last column. Then an item makes tiles of one panel in registers, as high as there are registers for.
#define GEMM_WIDTH (2 * LANES)
#if VECTOR_BYTES == 64
#define GEMM_HEIGHT 8
#define GEMM_ALL(each) each(0) each(1) each(2) each(3) each(4) each(5) each(6) each(7)
#else
#define GEMM_HEIGHT 6
#define GEMM_ALL(each) each(0) each(1) each(2) each(3) each(4) each(5)
#endif

// Item (p, i): row i of panel p.
__kernel void NAME(gemm_pack, cpu)(__global const real* restrict b, __global real* restrict panels, const uint n,
                                   const uint k) {
  const uint row = (uint)get_global_id(0), panel = (uint)get_global_id(1);
  if (row >= k) return;
  const uint first = panel * GEMM_WIDTH;
  __global real* to = panels + ((size_t)panel * k + row) * GEMM_WIDTH;
  const size_t from = (size_t)row * n + first;
  if (first + GEMM_WIDTH <= n) {
    vstore_vector(vload_vector(0, b + from), 0, to);
    vstore_vector(vload_vector(0, b + from + LANES), 0, to + LANES);
  } else {
    for (uint j = 0; j < GEMM_WIDTH; ++j) to[j] = first + j < n ? b[from + j] : (real)0;
  }
}

#define GEMM_ROW(i)                                                   \
  {                                                                   \
    const real_vector a_ = (real_vector)(a##i[l]);                    \
    left##i = fma(a_, b0, left##i), right##i = fma(a_, b1, right##i); \
  }
#define GEMM_START(i)                                                       \
  __global const real* restrict a##i = a + (size_t)min(row + i, m - 1) * k; \
  real_vector left##i = (real_vector)((real)0), right##i = (real_vector)((real)0);
#define GEMM_STORE(i)                                        \
  if (row + i < m) {                                         \
    __global real* to = c + (size_t)(row + i) * n + first;   \
    if (first + GEMM_WIDTH <= n) {                           \
      vstore_vector(left##i, 0, to);                         \
      vstore_vector(right##i, 0, to + LANES);                \
    } else {                                                 \
      real part[GEMM_WIDTH];                                 \
      vstore_vector(left##i, 0, part);                       \
      vstore_vector(right##i, 0, part + LANES);              \
      for (uint j = 0; first + j < n; ++j) to[j] = part[j];  \
    }                                                        \
  }

// Item (t, p): the t-th eight tiles of panel p.
__kernel void NAME(gemm, cpu)(__global const real* restrict a, __global const real* restrict panels,
                              __global real* restrict c, const uint m, const uint n, const uint k) {
  const uint begin = (uint)get_global_id(0) * 8 * GEMM_HEIGHT, end = min(begin + 8 * GEMM_HEIGHT, m);
  const uint first = (uint)get_global_id(1) * GEMM_WIDTH;
  __global const real* restrict b = panels + (size_t)get_global_id(1) * k * GEMM_WIDTH;
  for (uint row = begin; row < end; row += GEMM_HEIGHT) {
    GEMM_ALL(GEMM_START)
    for (uint l = 0; l < k; ++l) {
      const real_vector b0 = vload_vector(0, b + (size_t)l * GEMM_WIDTH);
      const real_vector b1 = vload_vector(0, b + (size_t)l * GEMM_WIDTH + LANES);
      GEMM_ALL(GEMM_ROW)
    }
    GEMM_ALL(GEMM_STORE)
  }
}
#undef GEMM_WIDTH
#undef GEMM_HEIGHT
#undef GEMM_ROW
#undef GEMM_START
#undef GEMM_STORE
#undef GEMM_ALL
#endif

// For GPUs a group of 16 x 16 items makes a tile of 64 x 64, each item 4 x 4 of it; 16 steps of k at a time lie in local
// memory, zeros beyond the edges.
__kernel void NAME(gemm, gpu)(__global const real* restrict a, __global const real* restrict b, __global real* restrict c,
                              const uint m, const uint n, const uint k) {
  __local real a_tile[16][64 + 1], b_tile[16][64 + 1];
  const uint x = (uint)get_local_id(0), y = (uint)get_local_id(1), item = y * 16 + x;
  const uint row0 = (uint)get_group_id(1) * 64, column0 = (uint)get_group_id(0) * 64;
  real sums[4][4];
  for (uint i = 0; i < 4; ++i)
    for (uint j = 0; j < 4; ++j) sums[i][j] = 0;
  for (uint k0 = 0; k0 < k; k0 += 16) {
    for (uint e = item; e < 1024; e += 256) {
      const uint ar = row0 + e / 16, ak = k0 + e % 16;
      a_tile[e % 16][e / 16] = ar < m && ak < k ? a[(size_t)ar * k + ak] : (real)0;
      const uint bk = k0 + e / 64, bc = column0 + e % 64;
      b_tile[e / 64][e % 64] = bk < k && bc < n ? b[(size_t)bk * n + bc] : (real)0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint l = 0; l < 16; ++l)
      for (uint i = 0; i < 4; ++i)
        for (uint j = 0; j < 4; ++j) sums[i][j] += a_tile[l][y + 16 * i] * b_tile[l][x + 16 * j];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (uint i = 0; i < 4; ++i)
    for (uint j = 0; j < 4; ++j) {
      const uint row = row0 + y + 16 * i, column = column0 + x + 16 * j;
      if (row < m && column < n) c[(size_t)row * n + column] = sums[i][j];
    }
}

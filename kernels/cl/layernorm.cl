// precisions: fp32
// For each row, in two passes: (x - mean) / sqrt(variance + epsilon) * gain + offset.

#ifndef __NVPTX__
// One item for a row; 16 partial sums.
__kernel void NAME(layernorm, cpu)(__global const real* restrict x, __global const real* restrict gain,
                                   __global const real* restrict offset, __global real* restrict y, const uint rows,
                                   const uint n, const float epsilon) {
  const uint row = (uint)get_global_id(0);
  if (row >= rows) return;
  __global const real* from = x + (size_t)row * n;
  real sums[16];
  for (uint lane = 0; lane < 16; ++lane) sums[lane] = 0;
  for (uint i = 0; i < n; ++i) sums[i % 16] += from[i];
  real sum = 0;
  for (uint lane = 0; lane < 16; ++lane) sum += sums[lane], sums[lane] = 0;
  const real mean = sum / (real)n;
  for (uint i = 0; i < n; ++i) sums[i % 16] += (from[i] - mean) * (from[i] - mean);
  real squares = 0;
  for (uint lane = 0; lane < 16; ++lane) squares += sums[lane];
  const real scale = rsqrt(squares / (real)n + (real)epsilon);
  for (uint i = 0; i < n; ++i) y[(size_t)row * n + i] = (from[i] - mean) * scale * gain[i] + offset[i];
}
#endif

// One group for a row.
__kernel void NAME(layernorm, gpu)(__global const real* restrict x, __global const real* restrict gain,
                                   __global const real* restrict offset, __global real* restrict y, const uint rows,
                                   const uint n, const float epsilon) {
  __local real part[256];
  const uint row = (uint)get_group_id(0), item = (uint)get_local_id(0), items = (uint)get_local_size(0);
  __global const real* from = x + (size_t)row * n;
  real sum = 0;
  for (uint i = item; i < n; i += items) sum += from[i];
  const real mean = NAME(sum, group)(sum, part) / (real)n;
  real squares = 0;
  for (uint i = item; i < n; i += items) squares += (from[i] - mean) * (from[i] - mean);
  const real scale = rsqrt(NAME(sum, group)(squares, part) / (real)n + (real)epsilon);
  for (uint i = item; i < n; i += items) y[(size_t)row * n + i] = (from[i] - mean) * scale * gain[i] + offset[i];
}

// precisions: fp32
// For each row: y = exp(x - max) / sum of those, and log of the sum of exp(x).

#ifndef __NVPTX__
// One item for a row.
__kernel void NAME(softmax, cpu)(__global const real* restrict x, __global real* restrict y, __global real* restrict lse,
                                 const uint rows, const uint n) {
  const uint row = (uint)get_global_id(0);
  if (row >= rows) return;
  __global const real* from = x + (size_t)row * n;
  __global real* to = y + (size_t)row * n;
  real top = from[0];
  for (uint i = 1; i < n; ++i) top = fmax(top, from[i]);
  real sum = 0;
  for (uint i = 0; i < n; ++i) {
    const real e = exp(from[i] - top);
    to[i] = e;
    sum += e;
  }
  for (uint i = 0; i < n; ++i) to[i] = to[i] / sum;
  lse[row] = top + log(sum);
}
#endif

// One group of up to 256 items, a power of two, for a row.
__kernel void NAME(softmax, gpu)(__global const real* restrict x, __global real* restrict y, __global real* restrict lse,
                                 const uint rows, const uint n) {
  __local real part[256];
  const uint row = (uint)get_group_id(0), item = (uint)get_local_id(0), items = (uint)get_local_size(0);
  __global const real* from = x + (size_t)row * n;
  real top = from[0];
  for (uint i = item; i < n; i += items) top = fmax(top, from[i]);
  part[item] = top;
  for (uint width = items / 2; width > 0; width /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < width) part[item] = fmax(part[item], part[item + width]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  top = part[0];
  real sum = 0;
  for (uint i = item; i < n; i += items) sum += exp(from[i] - top);
  sum = NAME(sum, group)(sum, part);
  for (uint i = item; i < n; i += items) y[(size_t)row * n + i] = exp(from[i] - top) / sum;
  if (item == 0) lse[row] = top + log(sum);
}

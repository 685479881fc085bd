// What several kernels add up by, once for each precision.
#ifndef __NVPTX__
// A dot product, 16 lanes wide; what 16 doesn't divide goes into lane 0.
real NAME(dot, lanes)(__global const real* restrict a, __global const real* restrict b, const uint count) {
  real16 sum = (real16)((real)0);
  uint i = 0;
  for (; i + 16 <= count; i += 16) sum += vload16(0, a + i) * vload16(0, b + i);
  for (; i < count; ++i) sum.s0 += a[i] * b[i];
  const real8 sum8 = sum.lo + sum.hi;
  const real4 sum4 = sum8.lo + sum8.hi;
  const real2 sum2 = sum4.lo + sum4.hi;
  return sum2.x + sum2.y;
}
#endif

// The sum over a group of up to 256 items, a power of two; `part` has room for one number of each.
real NAME(sum, group)(real value, __local real* part) {
  const uint item = (uint)get_local_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  part[item] = value;
  for (uint width = (uint)get_local_size(0) / 2; width > 0; width /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < width) part[item] += part[item + width];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  return part[0];
}

// precisions: int32 fp32
// s[i] = x[0] + … + x[i]: scans of parts, a scan of their sums, and the sums added to the parts.

#ifndef __NVPTX__
// Item p scans the p-th of equal contiguous chunks.
__kernel void NAME(scan_parts, cpu)(__global const real* restrict x, __global real* restrict s,
                                    __global real* restrict sums, const uint count, const uint chunk) {
  const uint part = (uint)get_global_id(0);
  const uint end = min((part + 1) * chunk, count);
  real sum = 0;
  for (uint i = part * chunk; i < end; ++i) {
    sum += x[i];
    s[i] = sum;
  }
  sums[part] = sum;
}

__kernel void NAME(scan_add, cpu)(__global real* restrict s, __global const real* restrict sums, const uint count,
                                  const uint chunk) {
  const uint part = (uint)get_global_id(0);
  const uint end = min((part + 1) * chunk, count);
  if (part == 0) return;
  for (uint i = part * chunk; i < end; ++i) s[i] += sums[part];
}
#endif

// Hillis and Steele: the inclusive scan of one value per item over a group of up to 256.
real NAME(scan, group)(real value, __local real* line) {
  const uint item = (uint)get_local_id(0);
  line[item] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint step = 1; step < (uint)get_local_size(0); step *= 2) {
    const real left = item >= step ? line[item - step] : (real)0;
    barrier(CLK_LOCAL_MEM_FENCE);
    line[item] += left;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  return line[item];
}

// A part is a group.
__kernel void NAME(scan_parts, gpu)(__global const real* restrict x, __global real* restrict s,
                                    __global real* restrict sums, const uint count) {
  __local real line[256];
  const uint i = (uint)get_global_id(0);
  const real sum = NAME(scan, group)(i < count ? x[i] : (real)0, line);
  if (i < count) s[i] = sum;
  if (get_local_id(0) + 1 == get_local_size(0)) sums[get_group_id(0)] = sum;
}

// One group: pieces of its own width, each beginning with what the ones before add up to.
__kernel void NAME(scan_sums, gpu)(__global real* sums, const uint parts) {
  __local real line[256];
  const uint width = (uint)get_local_size(0), item = (uint)get_local_id(0);
  real before = 0;
  for (uint first = 0; first < parts; first += width) {
    const uint i = first + item;
    const real own = i < parts ? sums[i] : (real)0;
    const real sum = NAME(scan, group)(own, line);
    const real left = item > 0 ? line[item - 1] : (real)0;
    if (i < parts) sums[i] = before + left;
    before += line[width - 1];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

__kernel void NAME(scan_add, gpu)(__global real* restrict s, __global const real* restrict sums, const uint count) {
  const uint i = (uint)get_global_id(0);
  if (i < count && get_group_id(0) > 0) s[i] += sums[get_group_id(0)];
}

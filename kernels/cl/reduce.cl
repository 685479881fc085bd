// precisions: fp32 fp64 int32
// Sum, largest and smallest of x, in two steps: one triple for each part, then the triples.

#ifndef __NVPTX__
// Item p takes the p-th of equal contiguous chunks, 16 lanes wide; what 16 doesn't divide goes into lane 0.
__kernel void NAME(reduce_parts, cpu)(__global const real* restrict x, __global real* restrict parts,
                                      const uint count, const uint chunk) {
  const uint part = (uint)get_global_id(0);
  const uint first = min(part * chunk, count);
  const uint end = min(first + chunk, count);
  // An empty part repeats an element for the extremes and adds nothing.
  const real some = x[min(first, count - 1)];
  real16 sum = (real16)((real)0);
  real16 high = (real16)(some);
  real16 low = (real16)(some);
  uint i = first;
  for (; i + 16 <= end; i += 16) {
    const real16 v = vload16(0, x + i);
    sum += v;
    high = max(high, v);
    low = min(low, v);
  }
  for (; i < end; ++i) {
    sum.s0 += x[i];
    high.s0 = max(high.s0, x[i]);
    low.s0 = min(low.s0, x[i]);
  }
  const real8 sum8 = sum.lo + sum.hi, high8 = max(high.lo, high.hi), low8 = min(low.lo, low.hi);
  const real4 sum4 = sum8.lo + sum8.hi, high4 = max(high8.lo, high8.hi), low4 = min(low8.lo, low8.hi);
  const real2 sum2 = sum4.lo + sum4.hi, high2 = max(high4.lo, high4.hi), low2 = min(low4.lo, low4.hi);
  parts[part * 3] = sum2.x + sum2.y;
  parts[part * 3 + 1] = max(high2.x, high2.y);
  parts[part * 3 + 2] = min(low2.x, low2.y);
}
#endif

// One group of up to 256 items, a power of two, leaves its triple in `out`.
void NAME(reduce, tree)(real sum, real high, real low, __local real* sums, __local real* highs, __local real* lows,
                        __global real* out) {
  const uint item = (uint)get_local_id(0);
  sums[item] = sum;
  highs[item] = high;
  lows[item] = low;
  for (uint half_ = (uint)get_local_size(0) / 2; half_ > 0; half_ /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < half_) {
      sums[item] += sums[item + half_];
      highs[item] = max(highs[item], highs[item + half_]);
      lows[item] = min(lows[item], lows[item + half_]);
    }
  }
  if (item == 0) {
    out[0] = sums[0];
    out[1] = highs[0];
    out[2] = lows[0];
  }
}

__kernel void NAME(reduce_parts, gpu)(__global const real* restrict x, __global real* restrict parts,
                                      const uint count) {
  __local real sums[256], highs[256], lows[256];
  const uint first = (uint)get_global_id(0);
  const ulong step = get_global_size(0);
  real sum = 0, high = x[min(first, count - 1)], low = high;
  ulong i = first;
  for (; i + 3 * step < count; i += 4 * step) {  // four reads are under way at a time
    const real v0 = x[i], v1 = x[i + step], v2 = x[i + 2 * step], v3 = x[i + 3 * step];
    sum += (v0 + v1) + (v2 + v3);
    high = max(high, max(max(v0, v1), max(v2, v3)));
    low = min(low, min(min(v0, v1), min(v2, v3)));
  }
  for (; i < count; i += step) {
    sum += x[i];
    high = max(high, x[i]);
    low = min(low, x[i]);
  }
  NAME(reduce, tree)(sum, high, low, sums, highs, lows, parts + get_group_id(0) * 3);
}

__kernel void NAME(reduce_whole, gpu)(__global const real* restrict parts, __global real* restrict out,
                                      const uint count) {
  __local real sums[256], highs[256], lows[256];
  const uint first = (uint)get_local_id(0);
  real sum = 0, high = parts[min(first, count - 1) * 3 + 1], low = parts[min(first, count - 1) * 3 + 2];
  for (uint i = first; i < count; i += (uint)get_local_size(0)) {
    sum += parts[i * 3];
    high = max(high, parts[i * 3 + 1]);
    low = min(low, parts[i * 3 + 2]);
  }
  NAME(reduce, tree)(sum, high, low, sums, highs, lows, out);
}

// precisions: fp32
// Sums into 64 bins by compare-and-swap: any order, so the last bits may differ each time.

__kernel void NAME(float_atomics_clear, gpu)(__global float* bins) { bins[get_global_id(0)] = 0; }

__kernel void NAME(float_atomics, gpu)(__global const float* restrict x, volatile __global float* bins,
                                       const uint count) {
  const uint i = (uint)get_global_id(0);
  if (i >= count) return;
  volatile __global uint* bin = (volatile __global uint*)&bins[i & 63];
  uint seen = atomic_or(bin, 0u), before;
  do {
    before = seen;
    seen = atomic_cmpxchg(bin, before, as_uint(as_float(before) + x[i]));
  } while (seen != before);
}

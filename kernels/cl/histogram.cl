// precisions: uint32
// How many of x fall into each of 256 bins, by their low byte: integer atomics.

__kernel void NAME(histogram_clear, gpu)(__global uint* bins) { bins[get_global_id(0)] = 0; }

// A group counts in local memory first.
__kernel void NAME(histogram, gpu)(__global const uint* restrict x, volatile __global uint* bins, const uint count) {
  volatile __local uint own[256];
  for (uint bin = (uint)get_local_id(0); bin < 256; bin += (uint)get_local_size(0)) own[bin] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = (uint)get_global_id(0); i < count; i += (uint)get_global_size(0)) atomic_inc(&own[x[i] & 255]);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint bin = (uint)get_local_id(0); bin < 256; bin += (uint)get_local_size(0)) atomic_add(&bins[bin], own[bin]);
}

#ifndef __NVPTX__
__kernel void NAME(histogram, cpu)(__global const uint* restrict x, volatile __global uint* bins, const uint count) {
  const uint i = (uint)get_global_id(0);
  if (i < count) atomic_inc(&bins[x[i] & 255]);
}
#endif

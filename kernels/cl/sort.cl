// precisions: uint32
// Bitonic sort (Batcher 1968): `size` is the length of the runs being merged, `stride` the distance compared at.

void NAME(sort, exchange)(__global uint* x, uint i, uint size, uint stride) {
  const uint low = (i / stride) * stride * 2 + i % stride;
  const uint a = x[low], b = x[low + stride];
  const bool rising = (low & size) == 0;
  if ((a > b) == rising) {
    x[low] = b;
    x[low + stride] = a;
  }
}

// What lies behind the end counts as the largest number.
__kernel void NAME(sort_copy, gpu)(__global const uint* restrict in, __global uint* restrict x, const uint count) {
  const uint i = (uint)get_global_id(0);
  x[i] = i < count ? in[i] : 0xffffffffu;
}

__kernel void NAME(sort_pass, gpu)(__global uint* x, const uint size, const uint stride) {
  NAME(sort, exchange)(x, (uint)get_global_id(0), size, stride);
}

// All strides from the group's width down, in local memory: two elements an item.
__kernel void NAME(sort_local, gpu)(__global uint* x, const uint size) {
  __local uint part[512];
  const uint width = (uint)get_local_size(0), item = (uint)get_local_id(0);
  const uint base = (uint)get_group_id(0) * width * 2;
  part[item] = x[base + item];
  part[item + width] = x[base + item + width];
  for (uint stride = min(width, size / 2); stride > 0; stride /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint low = (item / stride) * stride * 2 + item % stride;
    const uint a = part[low], b = part[low + stride];
    const bool rising = ((base + low) & size) == 0;
    if ((a > b) == rising) {
      part[low] = b;
      part[low + stride] = a;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  x[base + item] = part[item];
  x[base + item + width] = part[item + width];
}

// precisions: uint32
// Every item goes through `rounds` dependent rounds of an integer hash.

#define HASH_CHAIN(x)     \
  x ^= x << 13;           \
  x ^= x >> 17;           \
  x = x * 0x9e3779b1u + 1u

__kernel void NAME(hash_chain, gpu)(__global const uint* restrict start, __global uint* restrict end, const uint items,
                                    const uint rounds) {
  const uint i = (uint)get_global_id(0);
  if (i >= items) return;
  uint x = start[i];
  for (uint round_ = 0; round_ < rounds; ++round_) {
    HASH_CHAIN(x);
  }
  end[i] = x;
}

#ifndef __NVPTX__
// 16 chains an item; `items` is a multiple of 16.
__kernel void NAME(hash_chain, cpu)(__global const uint* restrict start, __global uint* restrict end, const uint items,
                                    const uint rounds) {
  const uint i = (uint)get_global_id(0);
  uint16 x = vload16(i, start);
  for (uint round_ = 0; round_ < rounds; ++round_) {
    HASH_CHAIN(x);
  }
  vstore16(x, i, end);
}
#endif

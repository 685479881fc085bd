// precisions: uint32
// Every word holds a hash of its own index, written, then read back from the other end with one walking bit turned.

uint NAME(pattern, hash)(ulong index, uint seed) {
  uint x = (uint)index ^ ((uint)(index >> 32) * 0x9e3779b9u) ^ seed;
  x = (x ^ (x >> 16)) * 0x85ebca6bu;
  x = (x ^ (x >> 13)) * 0xc2b2ae35u;
  return x ^ (x >> 16);
}

__kernel void NAME(pattern_write, gpu)(__global uint* words, const ulong count, const uint seed) {
  const ulong i = get_global_id(0);
  if (i < count) words[i] = NAME(pattern, hash)(i, seed);
}

__kernel void NAME(pattern_read, gpu)(__global const uint* words, __global uint* turned, const ulong count) {
  const ulong i = get_global_id(0);
  if (i < count) turned[i] = words[count - 1 - i] ^ (1u << (uint)(i & 31));
}

#ifndef __NVPTX__
// Runs of 16 words an item.
__kernel void NAME(pattern_write, cpu)(__global uint* words, const ulong count, const uint seed) {
  const ulong first = get_global_id(0) * 16;
  const ulong end = min(first + 16, count);
  for (ulong i = first; i < end; ++i) words[i] = NAME(pattern, hash)(i, seed);
}

__kernel void NAME(pattern_read, cpu)(__global const uint* words, __global uint* turned, const ulong count) {
  const ulong first = get_global_id(0) * 16;
  const ulong end = min(first + 16, count);
  for (ulong i = first; i < end; ++i) turned[i] = words[count - 1 - i] ^ (1u << (uint)(i & 31));
}
#endif

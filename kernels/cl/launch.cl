// precisions: uint32
// As little as a kernel can do and be seen to have done.

__kernel void NAME(launch, gpu)(__global const uint* restrict in, __global uint* restrict out) {
  if (get_global_id(0) == 0) out[0] = in[0] ^ 0x5a5a5a5au;
}

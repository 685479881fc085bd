// precisions: fp32 uint32
// One Jacobi step over five points, zeros outside: a quarter of the four neighbours' sum; for integers their sum less
// twice the middle, modulo 2^32.

#undef STENCIL_fp32
#undef STENCIL_uint32
#undef STENCIL_PASTE_
#undef STENCIL_PASTE
#undef STENCIL_STEP
#define STENCIL_fp32(n, s, w, e, c) (0.25f * ((n + s) + (w + e)))
#define STENCIL_uint32(n, s, w, e, c) (n + s + w + e - 2u * c)
#define STENCIL_PASTE_(p) STENCIL_##p
#define STENCIL_PASTE(p) STENCIL_PASTE_(p)
#define STENCIL_STEP STENCIL_PASTE(PRECISION)

real NAME(stencil, at)(__global const real* restrict from, const int height, const int width, const int i, const int j) {
  const size_t at = (size_t)i * width + j;
  const real n = i > 0 ? from[at - width] : (real)0, s = i + 1 < height ? from[at + width] : (real)0;
  const real w = j > 0 ? from[at - 1] : (real)0, e = j + 1 < width ? from[at + 1] : (real)0;
  return STENCIL_STEP(n, s, w, e, from[at]);
}

// A group of 16 x 16 items, its tile and a rim of one in local memory.
__kernel void NAME(stencil, gpu)(__global const real* restrict from, __global real* restrict to, const int height,
                                 const int width) {
  __local real tile[18][18];
  const int x = (int)get_local_id(0), y = (int)get_local_id(1);
  const int j0 = (int)get_group_id(0) * 16, i0 = (int)get_group_id(1) * 16;
  for (int e = y * 16 + x; e < 18 * 18; e += 256) {
    const int i = i0 + e / 18 - 1, j = j0 + e % 18 - 1;
    tile[e / 18][e % 18] = i >= 0 && i < height && j >= 0 && j < width ? from[(size_t)i * width + j] : (real)0;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i0 + y < height && j0 + x < width)
    to[(size_t)(i0 + y) * width + j0 + x] =
        STENCIL_STEP(tile[y][x + 1], tile[y + 2][x + 1], tile[y + 1][x], tile[y + 1][x + 2], tile[y + 1][x + 1]);
}

#ifndef __NVPTX__
// An item a row: 16 columns at a time where none lies outside.
__kernel void NAME(stencil, cpu)(__global const real* restrict from, __global real* restrict to, const int height,
                                 const int width) {
  const int i = (int)get_global_id(0);
  int j = 0;
  while (j < width) {
    if (i == 0 || i + 1 >= height || j == 0 || j + 17 > width) {
      to[(size_t)i * width + j] = NAME(stencil, at)(from, height, width, i, j);
      ++j;
      continue;
    }
    __global const real* c = from + (size_t)i * width + j;
    const real16 n = vload16(0, c - width), s = vload16(0, c + width), w = vload16(0, c - 1), e = vload16(0, c + 1);
    const real16 middle = vload16(0, c);
    vstore16(STENCIL_STEP(n, s, w, e, middle), 0, to + (size_t)i * width + j);
    j += 16;
  }
}
#endif

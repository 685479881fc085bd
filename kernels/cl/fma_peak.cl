// precisions: fp16 fp32 fp64
// x = a * x + b, again and again, in as many independent chains as hide what one costs. Of `constants` a is -1 and the
// two b differ by one, so that every number stays a small integer, exact, and the last one shows how many rounds ran.

// All chains one step, so that none waits for the step before.
#define FMA_ALL(b)                                                                          \
  x0 = fma(a, x0, b), x1 = fma(a, x1, b), x2 = fma(a, x2, b), x3 = fma(a, x3, b),           \
  x4 = fma(a, x4, b), x5 = fma(a, x5, b), x6 = fma(a, x6, b), x7 = fma(a, x7, b)

#ifndef __NVPTX__
// Item i takes the i-th of equal contiguous runs of blocks, 128 neighbours each: 8 chains of a vector at a time.
__kernel void NAME(fma_peak, cpu)(__global const real* restrict start, __global const real* restrict constants,
                                  __global real* restrict end, const uint count, const uint rounds, const uint blocks) {
  const uint begin = (uint)get_global_id(0) * blocks, stop = min(begin + blocks, count / 128);
  const real_vector a = (real_vector)(constants[0]), b0 = (real_vector)(constants[1]),
                    b1 = (real_vector)(constants[2]);
  for (uint at = begin * (128 / LANES); at < stop * (128 / LANES); at += 8) {
    real_vector x0 = vload_vector(at, start), x1 = vload_vector(at + 1, start), x2 = vload_vector(at + 2, start),
                x3 = vload_vector(at + 3, start), x4 = vload_vector(at + 4, start), x5 = vload_vector(at + 5, start),
                x6 = vload_vector(at + 6, start), x7 = vload_vector(at + 7, start);
    for (uint round_ = 0; round_ < rounds; ++round_) {
      FMA_ALL(b0), FMA_ALL(b1);
    }
    vstore_vector(x0, at, end), vstore_vector(x1, at + 1, end), vstore_vector(x2, at + 2, end);
    vstore_vector(x3, at + 3, end), vstore_vector(x4, at + 4, end), vstore_vector(x5, at + 5, end);
    vstore_vector(x6, at + 6, end), vstore_vector(x7, at + 7, end);
  }
}
#endif

// Item i takes 8 numbers, each an eighth of `count` behind the one before.
__kernel void NAME(fma_peak, gpu)(__global const real* restrict start, __global const real* restrict constants,
                                  __global real* restrict end, const uint count, const uint rounds) {
  const uint i = (uint)get_global_id(0), step = count / 8;
  if (i >= step) return;
  const real a = constants[0], b0 = constants[1], b1 = constants[2];
  real x0 = start[i], x1 = start[i + step], x2 = start[i + 2 * step], x3 = start[i + 3 * step], x4 = start[i + 4 * step],
       x5 = start[i + 5 * step], x6 = start[i + 6 * step], x7 = start[i + 7 * step];
  for (uint round_ = 0; round_ < rounds; ++round_) {
    FMA_ALL(b0), FMA_ALL(b1);
  }
  end[i] = x0, end[i + step] = x1, end[i + 2 * step] = x2, end[i + 3 * step] = x3, end[i + 4 * step] = x4;
  end[i + 5 * step] = x5, end[i + 6 * step] = x6, end[i + 7 * step] = x7;
}
#undef FMA_ALL

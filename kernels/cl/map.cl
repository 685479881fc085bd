// precisions: fp32 fp64
// out = f(x), or f(x, y) for pow; the functions stand one after the other, `each` elements of every one. Their numbers are
// those of kernels/map.cpp.

real NAME(map, one)(uint function, real x, real y) {
  switch (function) {
    case 0: return exp(x);
    case 1: return exp2(x);
    case 2: return expm1(x);
    case 3: return log(x);
    case 4: return log2(x);
    case 5: return log1p(x);
    case 6: return sin(x);
    case 7: return cos(x);
    case 8: return tan(x);
    case 9: return tanh(x);
    case 10: return erf(x);
    case 11: return pow(x, y);
    case 12: return rsqrt(x);
    case 13: return sqrt(x);
    case 14: return (real)1 / x;
    case 15: return atan(x);
    default: return x;
  }
}

__kernel void NAME(map, gpu)(__global const real* restrict x, __global const real* restrict y, __global real* restrict out,
                             const uint each, const uint count) {
  const uint i = (uint)get_global_id(0);
  if (i < count) out[i] = NAME(map, one)(i / each, x[i], y[i]);
}

// precisions: fp32 fp64 fp16
// One operation on three operands per item; the operands come from memory, so that no compiler computes them itself. The
// numbers are those of kernels/fp_probe.cpp.

real NAME(fp_probe, one)(int operation, real a, real b, real c) {
  switch (operation) {
    case 0: return a + b;
    case 1: return a - b;
    case 2: return a * b;
    case 3: return a / b;
    case 4: return fma(a, b, c);
    case 5: return a * b + c;
    case 6: return sqrt(a);
    case 7: return exp(a);
    case 8: return (real)1 / a;
    case 9: return a != a ? (real)1 : (real)0;
    case 10: return (a + b) - a;
    case 11: return fmax(a, b);
    case 12: return fmin(a, b);
    case 13: return copysign((real)1, a * b);
    case 14: return copysign((real)1, a + b);
    case 15: return a < b ? (real)1 : (real)0;
    case 16: return isinf(a) ? (real)1 : (real)0;
    case 17: return rint(a);
    case 18: return a - a;
    case 19: return a * b / b;
    default: return a;
  }
}

__kernel void NAME(fp_probe, gpu)(__global const int* restrict operation, __global const real* restrict a,
                                  __global const real* restrict b, __global const real* restrict c,
                                  __global real* restrict out, const uint count) {
  const uint i = (uint)get_global_id(0);
  if (i < count) out[i] = NAME(fp_probe, one)(operation[i], a[i], b[i], c[i]);
}

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#undef LANES
#undef PRECISION
#undef real
#define PRECISION fp16
#define real half
#define LANES 16

#if defined(__NVPTX__) && !defined(HALF_FMA)
#define HALF_FMA
// libclc lacks these of half. Clang looks for a function of OpenCL's only where the program declares none of its name, so
// that an overload for half alone would be taken for float and double as well: the ones here have names of their own, for
// all three kinds of number, and the kernels' calls go to them.
#define FOR_ALL_KINDS __attribute__((overloadable))
#define OF_ONE(name)                                                             \
  static half FOR_ALL_KINDS all_##name(half a) { return (half)name((float)a); }  \
  static float FOR_ALL_KINDS all_##name(float a) { return name(a); }             \
  static double FOR_ALL_KINDS all_##name(double a) { return name(a); }
#define OF_TWO(name)                                                                                \
  static half FOR_ALL_KINDS all_##name(half a, half b) { return (half)name((float)a, (float)b); }   \
  static float FOR_ALL_KINDS all_##name(float a, float b) { return name(a, b); }                    \
  static double FOR_ALL_KINDS all_##name(double a, double b) { return name(a, b); }
OF_ONE(sqrt) OF_ONE(exp) OF_ONE(rint) OF_TWO(fmax) OF_TWO(fmin) OF_TWO(copysign)
static int FOR_ALL_KINDS all_isinf(half a) { return isinf((float)a); }
static int FOR_ALL_KINDS all_isinf(float a) { return isinf(a); }
static int FOR_ALL_KINDS all_isinf(double a) { return isinf(a); }
// The product is exact in double; the sum is rounded to odd there (Boldo and Melquiond 2008), so that rounding it once
// more to half is as if it had been rounded once.
static half FOR_ALL_KINDS all_fma(half a, half b, half c) {
  const double product = (double)a * (double)b, sum = product + (double)c;
  const double back = sum - product, lost = (product - (sum - back)) + ((double)c - back);
  long bits = as_long(sum);
  if (lost != 0 && (bits & 1) == 0) bits += (lost > 0) == (sum > 0) ? 1 : -1;
  return (half)as_double(bits);
}
static float FOR_ALL_KINDS all_fma(float a, float b, float c) { return fma(a, b, c); }
static double FOR_ALL_KINDS all_fma(double a, double b, double c) { return fma(a, b, c); }
#define fma all_fma
#define sqrt all_sqrt
#define exp all_exp
#define rint all_rint
#define fmax all_fmax
#define fmin all_fmin
#define copysign all_copysign
#define isinf all_isinf
#undef OF_ONE
#undef OF_TWO
#undef FOR_ALL_KINDS
#endif

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#undef LANES
#undef PRECISION
#undef real
#define PRECISION fp16
#define real half
#define LANES 16

#if defined(__NVPTX__) && !defined(HALF_FMA)
#define HALF_FMA
// libclc lacks these. The product is exact in double; the sum is rounded to odd there (Boldo and Melquiond 2008), so
// that rounding it once more to half is as if it had been rounded once.
half __attribute__((overloadable)) fma(half a, half b, half c) {
  const double product = (double)a * (double)b, sum = product + (double)c;
  const double back = sum - product, lost = (product - (sum - back)) + ((double)c - back);
  long bits = as_long(sum);
  if (lost != 0 && (bits & 1) == 0) bits += (lost > 0) == (sum > 0) ? 1 : -1;
  return (half)as_double(bits);
}
half __attribute__((overloadable)) copysign(half size, half sign) {
  return as_half((ushort)((as_ushort(size) & 0x7fff) | (as_ushort(sign) & 0x8000)));
}
half __attribute__((overloadable)) fmax(half a, half b) { return (half)fmax((float)a, (float)b); }
half __attribute__((overloadable)) fmin(half a, half b) { return (half)fmin((float)a, (float)b); }
half __attribute__((overloadable)) sqrt(half a) { return (half)sqrt((float)a); }
half __attribute__((overloadable)) exp(half a) { return (half)exp((float)a); }
half __attribute__((overloadable)) rint(half a) { return (half)rint((float)a); }
int __attribute__((overloadable)) isinf(half a) { return isinf((float)a); }
#endif

#include "kernels/devices/host_loops.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace envdoctor::kernels {
namespace {

namespace plain {
#define VECTOR_BYTES 16
#define TILE_ROWS 6
#include "kernels/devices/host_loops.inc"
#undef VECTOR_BYTES
#undef TILE_ROWS
}  // namespace plain

#if defined(__x86_64__)
#define ENVDOCTOR_LEVELS

#ifdef __clang__
// Vectors are passed only within a level. Units are given by name, so that the compiler's defaults don't matter.
#pragma clang diagnostic ignored "-Wpsabi"
#pragma clang attribute push(__attribute__((target("avx2,fma,bmi2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v3")
#endif
namespace v3 {
#define VECTOR_BYTES 32
#define TILE_ROWS 6
#include "kernels/devices/host_loops.inc"
#undef VECTOR_BYTES
#undef TILE_ROWS
}  // namespace v3
#ifdef __clang__
#pragma clang attribute pop
#pragma clang attribute push(__attribute__((target("avx2,fma,bmi2,avx512f,avx512vl,avx512dq,avx512bw"))), \
                             apply_to = function)
#else
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v4")
#endif
namespace v4 {
#define VECTOR_BYTES 64
#define TILE_ROWS 12
#include "kernels/devices/host_loops.inc"
#undef VECTOR_BYTES
#undef TILE_ROWS
}  // namespace v4
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

// Asks the processor itself: __builtin_cpu_supports doesn't work if the compiler's runtime library is not gcc's.
struct Processor {
  bool v3 = false, v4 = false;
};
Processor processor() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & bit_OSXSAVE) == 0) return {};
  const bool fma = (c & bit_FMA) != 0 && (c & bit_AVX) != 0;
  unsigned kept = 0, above = 0;  // which registers the kernel keeps
  __asm__("xgetbv" : "=a"(kept), "=d"(above) : "c"(0));
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return {};
  constexpr unsigned ymm = 0x6, zmm = 0xe6, of_v3 = bit_AVX2 | bit_BMI2,
                     of_v4 = bit_AVX512F | bit_AVX512VL | bit_AVX512DQ | bit_AVX512BW;
  const bool v3 = fma && (b & of_v3) == of_v3 && (kept & ymm) == ymm;
  return {v3, v3 && (b & of_v4) == of_v4 && (kept & zmm) == zmm};
}
#endif

template <class T>
HostLoops<T> picked() {
#ifdef ENVDOCTOR_LEVELS
  if (processor().v4) return v4::Loops<T>::all("x86-64-v4");
  if (processor().v3) return v3::Loops<T>::all("x86-64-v3");
#endif
  return plain::Loops<T>::all("");
}

}  // namespace

template <class T>
const HostLoops<T>& host_loops() {
  static const HostLoops<T> loops = picked<T>();
  return loops;
}

template const HostLoops<float>& host_loops<float>();
template const HostLoops<double>& host_loops<double>();

}  // namespace envdoctor::kernels

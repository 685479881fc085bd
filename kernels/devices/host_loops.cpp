#include "kernels/devices/host_loops.h"

namespace envdoctor::kernels {
namespace {

namespace plain {
#define VECTOR_BYTES 16
#define TILE_ROWS 6
#include "kernels/devices/host_loops.inc"
#undef VECTOR_BYTES
#undef TILE_ROWS
}  // namespace plain

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define ENVDOCTOR_LEVELS

#pragma GCC push_options
#pragma GCC target("arch=x86-64-v3")
namespace v3 {
#define VECTOR_BYTES 32
#define TILE_ROWS 6
#include "kernels/devices/host_loops.inc"
#undef VECTOR_BYTES
#undef TILE_ROWS
}  // namespace v3
#pragma GCC pop_options

#pragma GCC push_options
#pragma GCC target("arch=x86-64-v4")
namespace v4 {
#define VECTOR_BYTES 64
#define TILE_ROWS 12
#include "kernels/devices/host_loops.inc"
#undef VECTOR_BYTES
#undef TILE_ROWS
}  // namespace v4
#pragma GCC pop_options
#endif

template <class T>
HostLoops<T> picked() {
#ifdef ENVDOCTOR_LEVELS
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw"))
    return v4::Loops<T>::all("x86-64-v4");
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
    return v3::Loops<T>::all("x86-64-v3");
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

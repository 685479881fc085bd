#pragma once
// The inner loops of the host device, each compiled for the vector units that x86-64 processors have, and chosen when
// the program runs, so that a GPU is compared with the CPU's real speed. On one thread.
#include <cstddef>
#include <cstdint>

namespace envdoctor::kernels {

constexpr std::size_t fma_block = 128;  // numbers that fma_rounds processes at a time

// T: float, double.
template <class T>
struct HostLoops {
  const char* level;                                                    // "x86-64-v4"; "" for what every processor has
  void (*triad)(T* a, const T* b, const T* c, T s, std::size_t count);  // a = b + s c
  T (*dot)(const T* x, const T* y, std::size_t count);                  // in 16 lanes at least
  void (*sum_and_range)(const T* x, std::size_t count, T& sum, T& high, T& low);  // adds to sum; lanes as dot
  // x = a x + b0, x = a x + b1, again and again; constants are a, b0, b1.
  void (*fma_rounds)(const T* start, const T* constants, T* end, std::size_t blocks, std::uint32_t rounds);
  // A tile of C = A B: up to `rows` rows of A, `a_step` apart, by a panel of B, `columns` wide and contiguous.
  std::size_t rows, columns;
  void (*tile)(const T* a, std::size_t a_step, std::size_t rows, const T* panel, std::size_t depth, T* c,
               std::size_t c_step, std::size_t columns);
};

template <class T>
const HostLoops<T>& host_loops();

}  // namespace envdoctor::kernels

/* What a C programmer would write, for comparison: triad, sum, fused multiply-adds, and OpenBLAS's sgemm, on all cores.
 *   cc -O3 -march=native -fopenmp -ffast-math -o peers bench/peers.c -lopenblas
 *   ./peers triad|sum|fma|sgemm N     prints GB/s or GFLOP/s: the median of 15 batches of 20 ms at least */
#include <cblas.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

static long n;
static float *a, *b, *c;
static volatile float sink;

static void triad(void) {
  float s = 0.7F;
#pragma omp parallel for schedule(static)
  for (long i = 0; i < n; ++i) a[i] = b[i] + s * c[i];
}

static void sum(void) {
  float total = 0;
#pragma omp parallel for schedule(static) reduction(+ : total)
  for (long i = 0; i < n; ++i) total += b[i];
  sink = total;
}

/* Eight chains of one vector each. GCC would keep to 256 bits by itself where there are 512. */
#ifdef __AVX512F__
#define LANES 16
#else
#define LANES 8
#endif
typedef float vector __attribute__((vector_size(4 * LANES)));
#define ROUNDS 4096
static void fma_loop(void) {
#pragma omp parallel for schedule(static)
  for (long block = 0; block < n; ++block) {
    vector x[8], m = b[2] + (vector){0}, p = b[1] + (vector){0};
    memcpy(x, b, sizeof(x));
    for (int round = 0; round < ROUNDS; ++round)
      for (int i = 0; i < 8; ++i) x[i] = m * x[i] + p;
    vector all = x[0];
    for (int i = 1; i < 8; ++i) all += x[i];
    a[block] = all[0] + all[LANES - 1];
  }
}

static void sgemm(void) { cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, b, n, c, n, 0, a, n); }

static int by_size(const void* x, const void* y) {
  const double d = *(const double*)x - *(const double*)y;
  return (d > 0) - (d < 0);
}

int main(int count, char** words) {
  if (count < 3) return 2;
  n = atol(words[2]);
  const char* what = words[1];
  const int square = !strcmp(what, "sgemm");
  const long elements = square ? n * n : n < 1024 ? 1024 : n;
  float** all[] = {&a, &b, &c};
  for (int i = 0; i < 3; ++i) {
    *all[i] = aligned_alloc(64, (elements * sizeof(float) + 63) / 64 * 64);
#pragma omp parallel for schedule(static)
    for (long j = 0; j < elements; ++j) (*all[i])[j] = (float)((j * 2654435761UL >> 8) % 2001) / 1000 - 1;
  }
  void (*run)(void) = !strcmp(what, "triad") ? triad : !strcmp(what, "sum") ? sum : square ? sgemm : fma_loop;
  const double work = run == triad ? 12.0 * n
                      : run == sum ? 4.0 * n
                      : square     ? 2.0 * n * n * n
                                   : 2.0 * n * ROUNDS * 8 * LANES;
  long batch = 1;
  for (;;) {
    const double start = now();
    for (long i = 0; i < batch; ++i) run();
    if (now() - start >= 0.02) break;
    batch *= 2;
  }
  double seconds[15];
  for (int s = 0; s < 15; ++s) {
    const double start = now();
    for (long i = 0; i < batch; ++i) run();
    seconds[s] = (now() - start) / batch;
  }
  qsort(seconds, 15, sizeof(double), by_size);
  printf("%g\n", work * 1e-9 / seconds[7]);
  return 0;
}

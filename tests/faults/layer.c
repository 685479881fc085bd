// An OpenCL layer (cl_layer.h, for OPENCL_LAYERS) that makes any driver fail in one way, named by ENVDOCTOR_FAULT. It
// is between program and driver: what is written to buffers, what is read back by Read, ReadRect or Map, what is
// built and what is launched goes through here.
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl_icd.h>
#include <CL/cl_layer.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const cl_icd_dispatch *driver;
static cl_icd_dispatch table;

enum { guard = 4096 };  // what the program reads before and behind each buffer of its own

static int is(const char *fault) {
  const char *chosen = getenv("ENVDOCTOR_FAULT");
  return chosen && strcmp(chosen, fault) == 0;
}
static long number(const char *name, long otherwise) {
  const char *text = getenv(name);
  return text ? atol(text) : otherwise;
}

static int reads, launches, reads_of_launch, optimised = 1;

// Places are drawn by ENVDOCTOR_FAULT_SEED.
static size_t place(size_t count, unsigned stream) {
  uint64_t x = ((uint64_t)number("ENVDOCTOR_FAULT_SEED", 1) * 64 + stream + 1) * 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return (size_t)((x ^ (x >> 31)) % count);
}

// What the layer knows of buffers: which are outputs (their poison begins behind the guard), and what was asked to be
// written where something else was.
enum { most_mems = 4096, most_writes = 256 };
static struct {
  cl_mem mem;
  int output;
} mems[most_mems];
static size_t mem_count;
static struct {
  cl_mem mem;
  size_t offset, size;
  unsigned char *bytes;
} writes[most_writes];
static size_t write_count;
static cl_mem last_input;
static struct {
  size_t size;
  unsigned char *bytes;
} cached[64];
static size_t cached_count;

static int *is_output(cl_mem mem) {
  for (size_t i = 0; i < mem_count; ++i)
    if (mems[i].mem == mem) return &mems[i].output;
  if (mem_count == most_mems) mem_count = 0;
  mems[mem_count].mem = mem;
  mems[mem_count].output = 0;
  return &mems[mem_count++].output;
}
static void remember_write(cl_mem mem, size_t offset, size_t size, const void *bytes) {
  size_t i = 0;
  while (i < write_count && (writes[i].mem != mem || writes[i].offset != offset)) ++i;
  if (i == most_writes) return;
  if (i == write_count) writes[write_count++].bytes = NULL;
  free(writes[i].bytes);
  writes[i].mem = mem;
  writes[i].offset = offset;
  writes[i].size = size;
  writes[i].bytes = malloc(size);
  if (writes[i].bytes) memcpy(writes[i].bytes, bytes, size);
}
// A driver gives the address of a buffer that is gone to the next one.
static void forget_write(cl_mem mem, size_t offset) {
  for (size_t i = 0; i < write_count; ++i) {
    if (writes[i].mem != mem || writes[i].offset != offset) continue;
    free(writes[i].bytes);
    writes[i].bytes = NULL;
  }
}
// What narrower arithmetic reads is what stands in memory: there it is as it was written.
static void restore_writes(cl_mem mem, size_t offset, size_t size, unsigned char *out) {
  for (size_t i = 0; i < write_count; ++i) {
    if (writes[i].mem == mem && writes[i].bytes && writes[i].offset >= offset &&
        writes[i].offset + writes[i].size <= offset + size)
      memcpy(out + writes[i].offset - offset, writes[i].bytes, writes[i].size);
  }
}

// How often a buffer of this size was read, this time included.
static int reads_of(size_t size) {
  static struct {
    size_t size;
    int reads;
  } known[64];
  size_t i = 0;
  while (i < 63 && known[i].reads && known[i].size != size) ++i;
  known[i].size = size;
  return ++known[i].reads;
}

static uint32_t *words_of(void *bytes) { return bytes; }
static void swap_words(uint32_t *one, uint32_t *other) {
  const uint32_t was = *one;
  *one = *other;
  *other = was;
}
static uint32_t nearest(uint32_t bits, int dropped) {
  const uint32_t half = 1u << (dropped - 1), odd = (bits >> dropped) & 1;
  return (bits + half - 1 + odd) & ~((1u << dropped) - 1);
}

static void corrupt(unsigned char *bytes, size_t size) {
  if (size <= 2 * guard) return;
  if (is("underrun")) bytes[guard - 1] ^= 0xff;
  bytes += guard;
  size -= guard;
  const size_t count = (size - guard) / 4;
  uint32_t *w = words_of(bytes);
  float *f = (float *)(void *)bytes;
  ++reads;
  const size_t columns = (size_t)number("ENVDOCTOR_FAULT_COLUMNS", 1);
  if (count == 0) return;
  if (is("bit-flip")) w[count / 2] ^= 1u << 20;
  if (is("bit-flip-sometimes") && reads_of(size) % 3 == 2) w[count / 2] ^= 1u << 20;
  if (is("tile")) {
    for (size_t row = 16; row < 32; ++row)
      for (size_t column = 64; column < 128 && row * columns + column < count; ++column) w[row * columns + column] = 0;
  }
  if (is("lane")) {
    for (size_t i = 7; i < count; i += 32) f[i] += 1000;
  }
  if (is("results-of-11-bits")) {
    for (size_t i = 0; i < count; ++i) w[i] &= 0xffffe000u;
  }
  if (is("nan")) w[count / 3] = 0x7fc00000u;
  if (is("stale-half")) {
    for (size_t i = count / 2; i < count; ++i) w[i] = 0xFFFBFEADu;
  }
  if (is("zeros")) memset(bytes, 0, count * 4);
  if (is("tail")) {
    for (size_t i = count - (count > 3 ? 3 : 1); i < count; ++i) f[i] = 77;
  }
  if (is("last-column")) {
    for (size_t i = columns - 1; i < count; i += columns) f[i] += 500;
  }
  if (is("shifted")) memmove(w, w + 1, (count - 1) * 4);
  if (is("race")) {
    for (size_t i = (size_t)(reads * 7919) % 61; i < count; i += 61) f[i] += (float)(reads % 5 + 1);
  }
  if (is("overrun")) bytes[size - guard] ^= 0xff;
  if (is("overrun-far")) bytes[size - 1] ^= 0xff;
  if (is("swapped-halves")) {
    for (size_t i = 0; i < count / 2; ++i) {
      const uint32_t w0 = w[i];
      w[i] = w[i + count / 2];
      w[i + count / 2] = w0;
    }
  }
  if (is("scaled")) {
    for (size_t i = 0; i < count; ++i) f[i] *= 1.25f;
  }
  const size_t at = place(count, 0);
  if (is("inf-to-largest") || is("inf-to-nan")) {
    for (size_t i = 0; i < count; ++i)
      if (isinf(f[i])) f[i] = is("inf-to-nan") ? NAN : copysignf(FLT_MAX, f[i]);
  }
  // What is read once so many launches are done, several of which may be one run.
  static int spoilt_launch;
  const int from = is("second-launch") ? 2 : is("fourth-launch") ? 4 : 0;
  if (from && !spoilt_launch && launches >= from) spoilt_launch = launches;
  if (from && launches == spoilt_launch && launches > 0) f[at] += f[at] == 0 ? 1 : f[at];
  if (is("one-element")) f[at] *= 1 + ldexpf(1, -(int)number("ENVDOCTOR_FAULT_BITS", 3));
  if (is("one-double")) ((double *)(void *)bytes)[at / 2] *= 1 + ldexp(1, -(int)number("ENVDOCTOR_FAULT_BITS", 3));
  if (is("one-word")) w[at] += 1u << number("ENVDOCTOR_FAULT_BITS", 3);
  if (is("last-element")) f[count - 1] += 1;
  if (is("last-count")) w[count - 1] += 3;
  if (is("zero-sign")) {
    for (size_t i = 0; i < count; ++i)
      if (w[i] == 0x80000000u) w[i] = 0;
  }
  if (is("count-moved")) {
    --w[at];
    ++w[(at + 1 + place(count - 1, 1)) % count];
  }
  if (is("guard-bit")) bytes[size - guard + place(guard, 2)] ^= 1u << place(8, 3);
  if (is("stuck-bit")) {
    for (size_t i = 0; i < count; ++i) w[i] |= 1u << 20;
  }
  if (is("stuck-bit-low")) {
    for (size_t i = 0; i < count; ++i) w[i] &= ~(1u << 12);
  }
  if (is("flips-that-move")) {
    for (unsigned i = 0; i < 5; ++i) w[place(count, (unsigned)reads * 5 + i + 8)] ^= 1u << (18 + place(6, i));
  }
  if (is("sign-flip")) w[at] ^= 0x80000000u;
  if (is("address-line")) {
    for (size_t i = 0; i < count; ++i)
      if (i & 64) w[i] = w[i ^ 64];
  }
  if (is("address-lines-crossed")) {
    for (size_t i = 0; i + 32 < count; ++i)
      if ((i & 48) == 16) swap_words(w + i, w + i + 16);
  }
  if (is("row-repeated") && count >= 3 * columns) {
    const size_t row = 1 + place(count / columns - 1, 4);
    memcpy(w + row * columns, w + (row - 1) * columns, columns * 4);
  }
  if (is("row-not-written") && count >= 3 * columns) {
    const size_t row = place(count / columns, 4);
    for (size_t i = 0; i < columns; ++i) w[row * columns + i] = 0xFFFBFEADu;
  }
  if (is("row-off") && count >= 3 * columns) {
    const size_t row = place(count / columns, 4);
    for (size_t i = 0; i < columns; ++i) f[row * columns + i] += 100;
  }
  if (is("reversed")) {
    for (size_t i = 0; i < count / 2; ++i) swap_words(w + i, w + count - 1 - i);
  }
  if (is("pairs-swapped")) {
    for (size_t i = 0; i + 1 < count; i += 2) swap_words(w + i, w + i + 1);
  }
  if (is("byte-swapped")) {
    for (size_t i = 0; i < count; ++i) w[i] = __builtin_bswap32(w[i]);
  }
  if (is("signs-lost")) {
    for (size_t i = 0; i < count; ++i) f[i] = fabsf(f[i]);
  }
  if (is("signs-flipped")) {
    for (size_t i = 0; i < count; ++i) f[i] = -f[i];
  }
  if (is("results-of-8-bits")) {
    for (size_t i = 0; i < count; ++i) w[i] = nearest(w[i], 16);
  }
  if (is("doubles-as-floats")) {
    double *d = (double *)(void *)bytes;
    for (size_t i = 0; i < count / 2; ++i) d[i] = (float)d[i];
  }
  if (is("plus-one")) {
    for (size_t i = 0; i < count; ++i) ++w[i];
  }
  if (is("nan-lane")) {
    for (size_t i = 5; i < count; i += 64) f[i] = NAN;
  }
  if (is("one-row-zero") && count >= 3 * columns) memset(w + place(count / columns, 4) * columns, 0, columns * 4);
  if (is("half-stale")) {  // of the last result of this size
    static struct {
      size_t size;
      unsigned char *bytes;
    } known[64];
    size_t i = 0;
    while (i < 63 && known[i].bytes && known[i].size != size) ++i;
    unsigned char *now = malloc(size);
    if (now) memcpy(now, bytes, size);
    if (known[i].bytes && known[i].size == size)
      memcpy(w + count / 2, known[i].bytes + count / 2 * 4, (count - count / 2) * 4);
    free(known[i].bytes);
    known[i].size = size;
    known[i].bytes = now;
  }
  if (is("one-of-many-launches") && launches % 3 == 0) f[at] += 1 + fabsf(f[at]);
  if (is("element-that-moves")) f[place(count, (unsigned)reads + 8)] += 1 + fabsf(f[at]);
  if (is("miscompiled") && optimised) {
    for (size_t i = 0; i < count; ++i) w[i] ^= 0x00345678u;
  }
}

// What the device is given: the first argument of a product, with fewer bits.
static void narrow(uint32_t *w, size_t count) {
  double *d = (double *)(void *)w;
  for (size_t i = 0; is("fp16-inputs-of-doubles") && i < count / 2; ++i) {
    const double big = d[i] * (1 + ldexp(1, 42));
    if (fabs(d[i]) < 65520) d[i] = big - (big - d[i]);
  }
  for (size_t i = 0; is("fp32-inputs") && i < count / 2; ++i) d[i] = (float)d[i];
  for (size_t i = 0; i < count; ++i) {
    if (is("tf32-inputs")) w[i] = nearest(w[i], 13);
    if (is("tf32-truncated")) w[i] &= ~0x1fffu;
    if (is("bf16-inputs")) w[i] = nearest(w[i], 16);
    if (is("bf16-truncated")) w[i] &= ~0xffffu;
    if (is("fp16-inputs")) {
      const uint32_t exponent = (w[i] >> 23) & 255;
      w[i] = exponent < 127 - 24   ? w[i] & 0x80000000u
             : exponent > 127 + 15 ? (w[i] & 0x80000000u) | 0x7f800000u
                                   : nearest(w[i], 13);
    }
  }
}

static cl_int CL_API_CALL read_buffer(cl_command_queue q, cl_mem m, cl_bool blocking, size_t offset, size_t size,
                                      void *out, cl_uint n, const cl_event *wait, cl_event *event) {
  const size_t limit = (size_t)number("ENVDOCTOR_FAULT_BYTES", 4 << 20);
  (void)blocking;
  if (is("read-dropped") && size > 2 * guard && *is_output(m) && reads_of(size) % 3 == 2) {
    return event ? driver->clEnqueueMarker(q, event) : CL_SUCCESS;
  }
  if (is("read-cut") && size > limit) size = limit;
  const cl_int code = driver->clEnqueueReadBuffer(q, m, CL_TRUE, offset, size, out, n, wait, event);
  if (code != CL_SUCCESS) return code;
  restore_writes(m, offset, size, out);
  unsigned char *bytes = out;
  if (*is_output(m) && size > 2 * guard + 256) {
    const size_t inner = size - 2 * guard;
    if (is("read-offset")) memmove(bytes + guard, bytes + guard + 64, inner - 64);
    if (is("read-page-repeated") && inner > 8192)
      memcpy(bytes + guard + 4096, bytes + guard, inner - 4096 < 4096 ? inner - 4096 : 4096);
    if (is("read-start-lost")) memset(bytes + guard, 0, inner < 1024 ? inner / 2 : 512);
  }
  if (is("read-early") && *is_output(m) && reads_of_launch++ == 0) {
    for (size_t i = size / 8 + 1024; i + 2048 < size / 4; ++i) words_of(out)[i] = 0xFFFBFEADu;
  }
  if (is("cached") && *is_output(m)) {
    for (size_t i = 0; i < cached_count; ++i) {
      if (cached[i].size != size) continue;
      memcpy(out, cached[i].bytes, size);
      return code;
    }
    if (cached_count < sizeof cached / sizeof *cached) {
      cached[cached_count].bytes = malloc(size);
      cached[cached_count].size = size;
      memcpy(cached[cached_count++].bytes, out, size);
    }
  }
  // Inputs come back as they are: what is spoilt is what was computed.
  if (*is_output(m)) corrupt(out, size);
  return code;
}

static cl_int CL_API_CALL read_rect(cl_command_queue q, cl_mem m, cl_bool blocking, const size_t *bo, const size_t *ho,
                                    const size_t *region, size_t brow, size_t bslice, size_t hrow, size_t hslice,
                                    void *out, cl_uint n, const cl_event *wait, cl_event *event) {
  const cl_int code =
      driver->clEnqueueReadBufferRect(q, m, CL_TRUE, bo, ho, region, brow, bslice, hrow, hslice, out, n, wait, event);
  (void)blocking;
  if (code == CL_SUCCESS) corrupt(out, region[0] * region[1] * region[2]);
  return code;
}

static void *CL_API_CALL map_buffer(cl_command_queue q, cl_mem m, cl_bool blocking, cl_map_flags flags, size_t offset,
                                    size_t size, cl_uint n, const cl_event *wait, cl_event *event, cl_int *error) {
  void *at = driver->clEnqueueMapBuffer(q, m, CL_TRUE, flags, offset, size, n, wait, event, error);
  (void)blocking;
  if (at && (flags & CL_MAP_READ)) corrupt(at, size);
  return at;
}

static cl_int CL_API_CALL write_buffer(cl_command_queue q, cl_mem m, cl_bool blocking, size_t offset, size_t size,
                                       const void *in, cl_uint n, const cl_event *wait, cl_event *event) {
  (void)blocking;
  uint32_t first;
  void *copy = malloc(size);
  if (!copy) return CL_OUT_OF_HOST_MEMORY;
  memcpy(copy, in, size);
  memcpy(&first, copy, size < 4 ? size : 4);
  const int poison = size >= 4 && first == 0xFFFBFEADu;
  const size_t limit = (size_t)number("ENVDOCTOR_FAULT_BYTES", 4 << 20);
  if (offset == guard) *is_output(m) = poison;
  forget_write(m, offset);
  if (offset == guard && !poison) {
    last_input = m;
    narrow(words_of(copy), size / 4);
    if (memcmp(copy, in, size) != 0) remember_write(m, offset, size, in);
    unsigned char *bytes = copy;
    if (is("write-bit")) bytes[place(size, 5)] ^= 16;
    if (is("write-offset") && size > 64) memmove(bytes + 4, bytes, size - 4);
    if (is("write-pages-swapped") && size > 1024) {
      for (size_t i = 0; i < 512; i += 4) swap_words(words_of(bytes + i), words_of(bytes + 512 + i));
    }
  }
  size_t sent = size;
  if (is("write-cut") && !poison && size > limit) sent = limit;
  static int dropped;
  cl_int code = CL_SUCCESS;
  if (is("write-dropped") && !poison && dropped++ % 2 == 1) {
    if (event) code = driver->clEnqueueMarker(q, event);
  } else {
    code = driver->clEnqueueWriteBuffer(q, m, CL_TRUE, offset, sent, copy, n, wait, event);
  }
  free(copy);
  return code;
}

static cl_int CL_API_CALL enqueue(cl_command_queue q, cl_kernel k, cl_uint d, const size_t *o, const size_t *global,
                                  const size_t *local, cl_uint n, const cl_event *wait, cl_event *event) {
  size_t shrunk[3] = {0};
  ++launches;
  reads_of_launch = 0;
  if (is("launch-error")) return CL_OUT_OF_RESOURCES;
  if (is("abort")) abort();
  if (is("segfault")) *(volatile int *)8 = 1;
  if (is("exit")) _exit(0);
  if (is("hang")) {
    for (;;) pause();
  }
  if (is("leak")) {
    static char *volatile lost;  // a compiler may leave out memory that nothing sees
    lost = malloc((size_t)64 << 20);
    if (lost) memset(lost, 1, (size_t)64 << 20);
  }
  if (is("slow")) usleep(200000);
  for (cl_uint i = 0; i < d && i < 3; ++i) shrunk[i] = global[i];
  if ((is("launch-skipped-late") && launches > number("ENVDOCTOR_FAULT_LAUNCHES", 60)) || is("launch-skipped") ||
      (is("launch-skipped-sometimes") && launches % 3 == 2))
    return event ? driver->clEnqueueMarker(q, event) : CL_SUCCESS;
  if (is("few-items")) {
    const size_t most = 4096;
    while (shrunk[0] > most) shrunk[0] -= local ? local[0] : 1;
  }
  if (is("last-group-lost") && shrunk[0] > (local ? local[0] : 1)) shrunk[0] -= local ? local[0] : 1;
  if (is("first-step-skipped") && launches % 2 == 1) return event ? driver->clEnqueueMarker(q, event) : CL_SUCCESS;
  if (is("launched-twice")) driver->clEnqueueNDRangeKernel(q, k, d, o, shrunk, local, n, wait, NULL);
  const cl_int code = driver->clEnqueueNDRangeKernel(q, k, d, o, shrunk, local, n, wait, event);
  if (is("input-decays") && last_input && code == CL_SUCCESS) {
    static const unsigned char other = 0x5a;
    driver->clEnqueueWriteBuffer(q, last_input, CL_TRUE, guard + 3, 1, &other, 0, NULL, NULL);
  }
  if (is("inputs-overwritten") && last_input && code == CL_SUCCESS) {
    static const float other[3] = {3, 5, 7};
    driver->clEnqueueWriteBuffer(q, last_input, CL_TRUE, guard, sizeof other, other, 0, NULL, NULL);
  }
  return code;
}

// A program with every `from` replaced.
static char *replaced(const char *text, const char *from, const char *to) {
  const size_t room = strlen(text) * 4 + 1024;
  char *out = malloc(room), *end = out;
  for (const char *at = text; *at;) {
    if (strncmp(at, from, strlen(from)) == 0) {
      end += snprintf(end, room - (size_t)(end - out), "%s", to);
      at += strlen(from);
    } else {
      *end++ = *at++;
    }
  }
  *end = 0;
  return out;
}

static cl_int CL_API_CALL device_info(cl_device_id d, cl_device_info what, size_t size, void *out, size_t *needed) {
  const cl_int code = driver->clGetDeviceInfo(d, what, size, out, needed);
  const cl_device_type gpu = CL_DEVICE_TYPE_GPU;
  if (is("claims-gpu") && what == CL_DEVICE_TYPE && out && code == CL_SUCCESS) memcpy(out, &gpu, sizeof gpu);
  return code;
}

static cl_program CL_API_CALL create_program(cl_context c, cl_uint n, const char **texts, const size_t *lengths,
                                             cl_int *error) {
  static const struct {
    const char *fault, *from, *to;
  } edits[] = {
      {"no-barrier", "barrier(CLK_LOCAL_MEM_FENCE);", ";"},
      {"no-barrier-in-scan",
       "const real left = item >= step ? line[item - step] : (real)0;\n    barrier(CLK_LOCAL_MEM_FENCE);",
       "const real left = item >= step ? line[item - step] : (real)0;"},
      {"off-by-one", "< count", "+ 1 < count"},
      {"wrong-constant", "0x9e3779b1u", "0x9e3779b3u"},
      {"plain-atomics", "atomic_inc(&bins[x[i] & 255])", "bins[x[i] & 254] = bins[x[i] & 254] + 1"},
      // Sums rounded to 11 bits after each addition.
      {"fp16-sums", "sum += vload16(0, a + i) * vload16(0, b + i);",
       "{ sum += vload16(0, a + i) * vload16(0, b + i); const real16 big = sum * (real)8193; sum = big - (big - sum); "
       "}"},
      {"fp16-sums", "sum.s0 += a[i] * b[i];",
       "{ sum.s0 += a[i] * b[i]; const real big = sum.s0 * (real)8193; sum.s0 = big - (big - sum.s0); }"},
      {"short-loop", "l < k", "l + 1 < k"},
      {"swapped", "w = vload16(0, c - 1), e = vload16(0, c + 1)", "w = vload16(0, c - 1), e = vload16(0, c + 2)"},
      {"layernorm-formula", "squares / (real)n", "squares / (real)(n - 1)"},
      {"layernorm-formula", "isinf(a) ? (real)1", "isinf(a) ? (real)0"},  // one sign of fast-math
      {"layernorm-epsilon", "+ (real)epsilon", ""},
      {"exp-off", "exp(", "(real)1.0000038 * exp("},
      {"exp-wrong", "exp(", "(real)1.001 * exp("},
      {"tanh-off", "tanh(", "(real)1.00002 * tanh("},
      {"rsqrt-off", "rsqrt(", "(real)1.00002 * rsqrt("},
      {"log-off", "log(", "(real)1.0001 * log("},
      {"lost-first-term", "  uint i = 0;\n  for (; i + 16 <= count", "  uint i = 1;\n  for (; i + 16 <= count"},
      {"one-pass-variance", "(from[i] - mean) * (from[i] - mean)", "from[i] * from[i] - mean * mean"},
      {"zero-sign-lost", "copysign((real)1, a * b)", "copysign((real)1, a * b + 0)"},
      {"sin-off", "sin(", "(real)1.00002 * sin("},
      {"exp2-off", "exp2(", "(real)1.00002 * exp2("},
      {"pow-off", "pow(", "(real)1.0001 * pow("},
      {"sqrt-off", "return sqrt(", "return (real)1.00002 * sqrt("},
      {"erf-off", "erf(", "(real)1.0001 * erf("},
      {"atan-off", "atan(", "(real)1.00002 * atan("},
      {"reciprocal-off", "(real)1 / x", "(real)1.00002 / x"},
      {"additions-lost", "as_float(before) + x[i]", "as_float(before) + (i % 1000 == 7 ? 0 : x[i])"},
      {"counts-lost", "atomic_inc(", "if (i % 1000 != 7) atomic_inc("},
      {"bins-halved", "& 255", "& 127"},
      {"padding-wrong", "row >= 0", "row > 0"},
      {"gates-swapped", "sigmoid)(zf) * c", "sigmoid)(zo) * c"},
      {"log2-for-log", "log(sum)", "log2(sum)"},
      {"compare-wrong", "(a > b) == rising", "(a > b + 1000000u) == rising"},
      {"rounding-to-zero", "get_global_id(0)", "(__builtin_ia32_ldmxcsr(0x7f80), get_global_id(0))"},
      {"rounding-up", "get_global_id(0)", "(__builtin_ia32_ldmxcsr(0x5f80), get_global_id(0))"},
      {"rounding-down", "get_global_id(0)", "(__builtin_ia32_ldmxcsr(0x3f80), get_global_id(0))"},
  };
  if (n == 1) {
    char *text = strndup(texts[0], lengths && lengths[0] ? lengths[0] : strlen(texts[0]));
    for (size_t i = 0; text && i < sizeof edits / sizeof *edits; ++i) {
      if (!is(edits[i].fault)) continue;
      char *edited = replaced(text, edits[i].from, edits[i].to);
      free(text);
      text = edited;
    }
    const char *whole = text;
    const cl_program program = driver->clCreateProgramWithSource(c, 1, &whole, NULL, error);
    free(text);
    return program;
  }
  return driver->clCreateProgramWithSource(c, n, texts, lengths, error);
}

static cl_int CL_API_CALL build(cl_program p, cl_uint n, const cl_device_id *d, const char *options,
                                void(CL_CALLBACK *notify)(cl_program, void *), void *user) {
  char more[512];
  optimised = !options || !strstr(options, "-cl-opt-disable");
  if (is("build-failure")) return CL_BUILD_PROGRAM_FAILURE;
  if (is("build-crash")) abort();
  snprintf(more, sizeof more, "%s %s", options ? options : "",
           is("fast-math")          ? "-cl-fast-relaxed-math"
           : is("finite-math")      ? "-cl-finite-math-only"
           : is("unsafe-math")      ? "-cl-unsafe-math-optimizations"
           : is("denorms-are-zero") ? "-cl-denorms-are-zero"
                                    : "");
  return driver->clBuildProgram(p, n, d, more, notify, user);
}

__attribute__((visibility("default"))) cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t size, void *out,
                                                                         size_t *needed) {
  const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
  if (what != CL_LAYER_API_VERSION) return CL_INVALID_VALUE;
  if (out && size < sizeof version) return CL_INVALID_VALUE;
  if (out) memcpy(out, &version, sizeof version);
  if (needed) *needed = sizeof version;
  return CL_SUCCESS;
}

__attribute__((visibility("default"))) cl_int CL_API_CALL clInitLayer(cl_uint entries, const cl_icd_dispatch *target,
                                                                      cl_uint *own_entries,
                                                                      const cl_icd_dispatch **own) {
  if (!target || !own_entries || !own || entries < sizeof table / sizeof(void *) / 2) return CL_INVALID_VALUE;
  driver = target;
  memcpy(&table, target, entries * sizeof(void *) < sizeof table ? entries * sizeof(void *) : sizeof table);
  table.clGetDeviceInfo = device_info;
  table.clEnqueueReadBuffer = read_buffer;
  table.clEnqueueReadBufferRect = read_rect;
  table.clEnqueueMapBuffer = map_buffer;
  table.clEnqueueWriteBuffer = write_buffer;
  table.clEnqueueNDRangeKernel = enqueue;
  table.clCreateProgramWithSource = create_program;
  table.clBuildProgram = build;
  *own_entries = sizeof table / sizeof(void *);
  *own = &table;
  return CL_SUCCESS;
}

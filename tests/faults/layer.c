// An OpenCL layer (cl_layer.h, for OPENCL_LAYERS) that makes any driver lie in one way, named by ENVDOCTOR_FAULT. It
// stands between program and driver: what is written to buffers, what is read back by Read, ReadRect or Map, what is
// built and what is launched goes through here.
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl_icd.h>
#include <CL/cl_layer.h>
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

static int reads, launches, optimised = 1;

static uint32_t *words_of(void *bytes) { return bytes; }

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
  if (is("bit-flip-sometimes") && reads % 3 == 2) w[count / 2] ^= 1u << 20;
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
  if (is("miscompiled") && optimised) {
    for (size_t i = 0; i < count; ++i) w[i] ^= 0x00345678u;
  }
}

// What the device is given: the first argument of a product, with fewer bits.
static uint32_t nearest(uint32_t bits, int dropped) {
  const uint32_t half = 1u << (dropped - 1), odd = (bits >> dropped) & 1;
  return (bits + half - 1 + odd) & ~((1u << dropped) - 1);
}
static void narrow(uint32_t *w, size_t count) {
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
  const cl_int code = driver->clEnqueueReadBuffer(q, m, CL_TRUE, offset, size, out, n, wait, event);
  (void)blocking;
  if (code == CL_SUCCESS) corrupt(out, size);
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
  if (size >= 4 && first != 0xFFFBFEADu) narrow(words_of(copy), size / 4);
  const cl_int code = driver->clEnqueueWriteBuffer(q, m, CL_TRUE, offset, size, copy, n, wait, event);
  free(copy);
  return code;
}

static cl_int CL_API_CALL enqueue(cl_command_queue q, cl_kernel k, cl_uint d, const size_t *o, const size_t *global,
                                  const size_t *local, cl_uint n, const cl_event *wait, cl_event *event) {
  size_t shrunk[3] = {0};
  ++launches;
  if (is("launch-error")) return CL_OUT_OF_RESOURCES;
  if (is("abort")) abort();
  if (is("segfault")) *(volatile int *)8 = 1;
  if (is("exit")) _exit(0);
  if (is("hang")) {
    for (;;) pause();
  }
  if (is("leak")) {
    char *lost = malloc((size_t)64 << 20);
    if (lost) memset(lost, 1, (size_t)64 << 20);
  }
  if (is("slow")) usleep(200000);
  for (cl_uint i = 0; i < d && i < 3; ++i) shrunk[i] = global[i];
  if (is("launch-skipped") || (is("launch-skipped-sometimes") && launches % 3 == 2))
    return event ? driver->clEnqueueMarker(q, event) : CL_SUCCESS;
  if (is("few-items")) {
    const size_t most = 4096;
    while (shrunk[0] > most) shrunk[0] -= local ? local[0] : 1;
  }
  return driver->clEnqueueNDRangeKernel(q, k, d, o, shrunk, local, n, wait, event);
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
      {"one-pass-variance", "(from[i] - mean) * (from[i] - mean)", "from[i] * from[i] - mean * mean"},
      {"zero-sign-lost", "copysign((real)1, a * b)", "copysign((real)1, a * b + 0)"},
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
                                void(CL_CALLBACK *told)(cl_program, void *), void *user) {
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
  return driver->clBuildProgram(p, n, d, more, told, user);
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

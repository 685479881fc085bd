// An ICD with one platform and one GPU at 0000:65:00.0, whose kernels give i * i + 7.
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl_ext.h>
#include <CL/cl_icd.h>
#include <stdint.h>

#include "misbehave.h"

struct _cl_platform_id {
  cl_icd_dispatch *calls;
};
struct _cl_device_id {
  cl_icd_dispatch *calls;
};
struct _cl_context {
  cl_icd_dispatch *calls;
};
struct _cl_command_queue {
  cl_icd_dispatch *calls;
};
struct _cl_mem {
  cl_icd_dispatch *calls;
  unsigned char *bytes;  // of the idle one
};
struct _cl_program {
  cl_icd_dispatch *calls;
};
struct _cl_kernel {
  cl_icd_dispatch *calls;
};

static cl_icd_dispatch table;
static struct _cl_platform_id platform = {&table};
static struct _cl_device_id device = {&table};
static struct _cl_context context = {&table};
static struct _cl_command_queue queue = {&table};
static struct _cl_mem buffer = {&table, NULL};
static struct _cl_program program = {&table};
static struct _cl_kernel kernel = {&table};

static cl_int give(const void *value, size_t bytes, size_t size, void *out, size_t *needed) {
#if defined(MISBEHAVE_nonsense)
  bytes = bytes > 3 ? 3 : bytes;  // a size that is none of a number's
#endif
  if (needed) *needed = bytes;
  if (!out) return CL_SUCCESS;
  if (size < bytes) return CL_INVALID_VALUE;
  memcpy(out, value, bytes);
  return CL_SUCCESS;
}
static cl_int give_text(const char *text, size_t size, void *out, size_t *needed) {
#if defined(MISBEHAVE_strings)
  (void)text;
  if (needed) *needed = 1 << 20;
  if (out) memset(out, 'x', size);
  return CL_SUCCESS;
#elif defined(MISBEHAVE_nonsense)
  (void)text, (void)size, (void)out;
  if (needed) *needed = 0;  // a name that is not there
  return CL_SUCCESS;
#elif defined(MISBEHAVE_overrun)
  (void)size;
  if (needed) *needed = strlen(text) + 1;
  if (out) put(out, 0, text);
  return CL_SUCCESS;
#else
  return give(text, strlen(text) + 1, size, out, needed);
#endif
}

static cl_int platform_info(cl_platform_id id, cl_platform_info what, size_t size, void *out, size_t *needed) {
  (void)id;
  switch (what) {
    case CL_PLATFORM_EXTENSIONS:
      return give_text("cl_khr_icd", size, out, needed);
    case CL_PLATFORM_ICD_SUFFIX_KHR:
      return give_text("FAKE", size, out, needed);
    case CL_PLATFORM_NAME:
      return give_text("Fake platform", size, out, needed);
    case CL_PLATFORM_VENDOR:
      return give_text("Nobody", size, out, needed);
    case CL_PLATFORM_VERSION:
      return give_text("OpenCL 3.0 fake", size, out, needed);
    case CL_PLATFORM_PROFILE:
      return give_text("FULL_PROFILE", size, out, needed);
    default:
      return CL_INVALID_VALUE;
  }
}

static cl_int device_ids(cl_platform_id id, cl_device_type type, cl_uint room, cl_device_id *out, cl_uint *count) {
  (void)id;
  if (!(type & CL_DEVICE_TYPE_GPU)) return CL_DEVICE_NOT_FOUND;
#if defined(MISBEHAVE_devices)
  if (count) *count = (cl_uint)-5;
#else
  if (count) *count = 1;
#endif
  for (cl_uint i = 0; out && i < room; ++i) out[i] = &device;
#if defined(MISBEHAVE_null)
  if (out) out[0] = NULL;
#endif
  return CL_SUCCESS;
}

#if defined(FAKE_PCI_NV)
#define PCI_EXTENSION "cl_nv_device_attribute_query"
#elif defined(FAKE_PCI_AMD)
#define PCI_EXTENSION "cl_amd_device_attribute_query"
#else
#define PCI_EXTENSION "cl_khr_pci_bus_info"
#endif

static cl_int device_info(cl_device_id id, cl_device_info what, size_t size, void *out, size_t *needed) {
  (void)id;
  const cl_device_type type = CL_DEVICE_TYPE_GPU;
  const cl_uint units = 108, clock = 1410;
  const cl_ulong memory = (cl_ulong)40442 << 20;
  const cl_device_pci_bus_info_khr pci = {.pci_domain = 0, .pci_bus = 0x65};
  const cl_uint nv_domain = 1, nv_bus = 0x65, nv_slot = 2 << 3 | 1;
  cl_device_topology_amd amd = {0};
  amd.pcie.type = CL_DEVICE_TOPOLOGY_TYPE_PCIE_AMD;
  amd.pcie.bus = (cl_char)0xc3;
  switch (what) {
    case CL_DEVICE_NAME:
      return give_text("Fake GPU", size, out, needed);
    case CL_DEVICE_TYPE:
      return give(&type, sizeof type, size, out, needed);
    case CL_DEVICE_VENDOR:
      return give_text("Nobody", size, out, needed);
    case CL_DEVICE_VERSION:
      return give_text("OpenCL 3.0 fake", size, out, needed);
    case CL_DRIVER_VERSION:
      return give_text("1.2.3", size, out, needed);
    case CL_DEVICE_MAX_COMPUTE_UNITS:
      return give(&units, sizeof units, size, out, needed);
    case CL_DEVICE_MAX_CLOCK_FREQUENCY:
      return give(&clock, sizeof clock, size, out, needed);
    case CL_DEVICE_GLOBAL_MEM_SIZE:
      return give(&memory, sizeof memory, size, out, needed);
    case CL_DEVICE_EXTENSIONS:
      return give_text("cl_khr_fp64 " PCI_EXTENSION, size, out, needed);
    case CL_DEVICE_PCI_BUS_INFO_KHR:
      return give(&pci, sizeof pci, size, out, needed);
    case 0x4008:
      return give(&nv_bus, sizeof nv_bus, size, out, needed);
    case 0x4009:
      return give(&nv_slot, sizeof nv_slot, size, out, needed);
    case 0x400A:
      return give(&nv_domain, sizeof nv_domain, size, out, needed);
    case CL_DEVICE_TOPOLOGY_AMD:
      return give(&amd, sizeof amd, size, out, needed);
    default:
      return CL_INVALID_VALUE;
  }
}

typedef void(CL_CALLBACK *Notify)(const char *, const void *, size_t, void *);
static cl_context create_context(const cl_context_properties *p, cl_uint n, const cl_device_id *d, Notify t, void *u,
                                 cl_int *error) {
  (void)p, (void)n, (void)d, (void)t, (void)u;
  *error = CL_SUCCESS;
#if defined(MISBEHAVE_null)
  return NULL;
#endif
  return &context;
}
static cl_command_queue create_queue(cl_context c, cl_device_id d, cl_command_queue_properties p, cl_int *error) {
  (void)c, (void)d, (void)p;
  *error = CL_SUCCESS;
  return &queue;
}
static cl_mem create_buffer(cl_context c, cl_mem_flags f, size_t s, void *h, cl_int *error) {
  (void)c, (void)f, (void)s, (void)h;
  *error = CL_SUCCESS;
#if defined(MISBEHAVE_idle)
  cl_mem own = malloc(sizeof *own);
  *own = (struct _cl_mem){&table, malloc(s)};
  return own;
#endif
  return &buffer;
}
static cl_program create_program(cl_context c, cl_uint n, const char **s, const size_t *l, cl_int *error) {
  (void)c, (void)n, (void)s, (void)l;
  *error = CL_SUCCESS;
  return &program;
}
static cl_int build(cl_program p, cl_uint n, const cl_device_id *d, const char *o,
                    void(CL_CALLBACK *b)(cl_program, void *), void *u) {
  (void)p, (void)n, (void)d, (void)o, (void)b, (void)u;
#if defined(MISBEHAVE_launch)
  raise(SIGSEGV);
#endif
#if defined(MISBEHAVE_build)
  return CL_BUILD_PROGRAM_FAILURE;
#endif
  return CL_SUCCESS;
}
static cl_kernel create_kernel(cl_program p, const char *n, cl_int *error) {
  (void)p, (void)n;
  *error = CL_SUCCESS;
  return &kernel;
}
static cl_int set_argument(cl_kernel k, cl_uint i, size_t s, const void *v) {
  (void)k, (void)i, (void)s, (void)v;
  return CL_SUCCESS;
}
static cl_int enqueue(cl_command_queue q, cl_kernel k, cl_uint d, const size_t *o, const size_t *g, const size_t *l,
                      cl_uint n, const cl_event *w, cl_event *e) {
  (void)q, (void)k, (void)d, (void)o, (void)g, (void)l, (void)n, (void)w, (void)e;
  return CL_SUCCESS;
}
static cl_int read_buffer(cl_command_queue q, cl_mem m, cl_bool b, size_t o, size_t s, void *out, cl_uint n,
                          const cl_event *w, cl_event *e) {
  (void)q, (void)m, (void)b, (void)o, (void)n, (void)w, (void)e;
#if defined(MISBEHAVE_idle)
  memcpy(out, m->bytes + o, s);
  return CL_SUCCESS;
#endif
  for (cl_uint i = 0; i < s / sizeof(cl_uint); ++i) ((cl_uint *)out)[i] = i * i + 7;
#if defined(MISBEHAVE_wrong)
  ((cl_uint *)out)[s / sizeof(cl_uint) - 1] ^= 1;
#endif
  return CL_SUCCESS;
}

#if defined(MISBEHAVE_idle)
// Memory that keeps what is written to it, and launches that succeed and do nothing.
static cl_int write_buffer(cl_command_queue q, cl_mem m, cl_bool b, size_t o, size_t s, const void *in, cl_uint n,
                           const cl_event *w, cl_event *e) {
  (void)q, (void)b, (void)n, (void)w, (void)e;
  memcpy(m->bytes + o, in, s);
  return CL_SUCCESS;
}
static cl_int release_buffer(cl_mem m) {
  free(m->bytes);
  free(m);
  return CL_SUCCESS;
}
static cl_int release_kernel(cl_kernel k) {
  (void)k;
  return CL_SUCCESS;
}
static cl_int release_program(cl_program p) {
  (void)p;
  return CL_SUCCESS;
}
static cl_int finish(cl_command_queue q) {
  (void)q;
  return CL_SUCCESS;
}
#endif

static cl_int platform_ids(cl_uint room, cl_platform_id *out, cl_uint *count) {
  misbehave();
#if defined(MISBEHAVE_none)
  if (count) *count = 0;
  return CL_PLATFORM_NOT_FOUND_KHR;
#elif defined(MISBEHAVE_counts)
  if (count) *count = (cl_uint)-1;
#else
  if (count) *count = 1;
#endif
  table.clGetPlatformInfo = platform_info;
  table.clGetDeviceIDs = device_ids;
  table.clGetDeviceInfo = device_info;
  table.clCreateContext = create_context;
  table.clCreateCommandQueue = create_queue;
  table.clCreateBuffer = create_buffer;
  table.clCreateProgramWithSource = create_program;
  table.clBuildProgram = build;
  table.clCreateKernel = create_kernel;
  table.clSetKernelArg = set_argument;
  table.clEnqueueNDRangeKernel = enqueue;
  table.clEnqueueReadBuffer = read_buffer;
#if defined(MISBEHAVE_idle)
  table.clEnqueueWriteBuffer = write_buffer;
  table.clReleaseMemObject = release_buffer;
  table.clReleaseKernel = release_kernel;
  table.clReleaseProgram = release_program;
  table.clFinish = finish;
#endif
#if defined(FAKE_ICD2)
  memset(&table, 0, sizeof table);
  table.clGetPlatformIDs = (cl_api_clGetPlatformIDs)(uintptr_t)0x4F50454E434C3331;
#endif
  if (out && room) out[0] = &platform;
  return CL_SUCCESS;
}

#if defined(FAKE_ICD2)
static void *address_for_platform(cl_platform_id id, const char *name) {
  (void)id;
  return strcmp(name, "clGetPlatformInfo") == 0 ? (void *)platform_info : NULL;
}
#endif

#if !defined(MISBEHAVE_entryless)
EXPORT void *clGetExtensionFunctionAddress(const char *name) {
  if (strcmp(name, "clIcdGetPlatformIDsKHR") == 0) return (void *)platform_ids;
  if (strcmp(name, "clGetPlatformInfo") == 0) return (void *)platform_info;
#if defined(FAKE_ICD2)
  if (strcmp(name, "clIcdGetFunctionAddressForPlatformKHR") == 0) return (void *)address_for_platform;
#endif
  return NULL;
}
#endif

#if defined(MISBEHAVE_needy)
int envdoctor_fake_dependency(void);
EXPORT int needs(void) { return envdoctor_fake_dependency(); }
#endif

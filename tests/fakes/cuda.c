// A libcuda for CUDA 12.4 with two A100.
#include "misbehave.h"

typedef struct {
  unsigned char bytes[16];
} Uuid;

EXPORT int cuDriverGetVersion(int *version) {
#if defined(MISBEHAVE_nonsense)
  *version = -7;
#else
  *version = 12040;
#endif
  return 0;
}
EXPORT int cuInit(unsigned flags) {
  (void)flags;
  misbehave();
  return 0;
}
EXPORT int cuDeviceGetCount(int *count) {
#if defined(MISBEHAVE_counts)
  *count = -5;
#else
  *count = 2;
#endif
  return 0;
}
EXPORT int cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  return 0;
}
EXPORT int cuDeviceGetName(char *out, int size, int device) {
  (void)device;
  put(out, (unsigned)size, "NVIDIA A100-SXM4-40GB");
  return 0;
}
EXPORT int cuDeviceGetUuid_v2(Uuid *uuid, int device) {
  memset(uuid, 0x11 * (device + 1), sizeof *uuid);
  return 0;
}
EXPORT int cuDeviceGetUuid(Uuid *uuid, int device) { return cuDeviceGetUuid_v2(uuid, device); }
EXPORT int cuDeviceGetPCIBusId(char *out, int size, int device) {
  put(out, (unsigned)size, device ? "0000:65:00.0" : "0000:17:00.0");
  return 0;
}
EXPORT int cuDeviceGetAttribute(int *value, int attribute, int device) {
  (void)device;
  *value = attribute == 75 ? 8 : 0;
  return 0;
}
EXPORT int cuDeviceTotalMem_v2(size_t *bytes, int device) {
  (void)device;
  *bytes = (size_t)40442 << 20;
  return 0;
}

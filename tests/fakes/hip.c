// A libamdhip64 of ROCm 6.1 with two MI210.
#include "misbehave.h"

EXPORT int hipRuntimeGetVersion(int *version) {
#if defined(MISBEHAVE_nonsense)
  *version = -7;
#else
  *version = 60140092;
#endif
  return 0;
}
EXPORT int hipInit(unsigned flags) {
  (void)flags;
  misbehave();
  return 0;
}
EXPORT int hipGetDeviceCount(int *count) {
#if defined(MISBEHAVE_counts)
  *count = -5;
#else
  *count = 2;
#endif
  return 0;
}
EXPORT int hipDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  return 0;
}
EXPORT int hipDeviceGetName(char *out, int size, int device) {
  (void)device;
  put(out, (unsigned)size, "AMD Instinct MI210");
  return 0;
}
EXPORT int hipDeviceGetPCIBusId(char *out, int size, int device) {
  put(out, (unsigned)size, device ? "0000:C3:00.0" : "0000:43:00.0");
  return 0;
}
EXPORT int hipDeviceTotalMem(size_t *bytes, int device) {
  (void)device;
  *bytes = (size_t)65520 << 20;
  return 0;
}

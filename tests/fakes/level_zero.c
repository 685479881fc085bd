// A Level Zero loader with one driver and two Intel GPUs.
#include "misbehave.h"

typedef struct {
  unsigned kind;
  void *next;
  unsigned type, between[23];
  char name[256];
} Properties;
typedef struct {
  unsigned kind;
  void *next;
  unsigned domain, bus, device, function, more[4];
} Pci;
typedef struct {
  unsigned kind;
  void *next;
  unsigned flags, clock, width;
  unsigned long long total;
  char name[256];
} Memory;
_Static_assert(sizeof(Properties) == 368, "as large as the real one");

EXPORT int zeInit(unsigned flags) {
  (void)flags;
  misbehave();
  return 0;
}
static void list(unsigned *count, unsigned there, void **out) {
  for (unsigned i = 0; out && i < *count && i < there; ++i) out[i] = (char *)0 + i + 1;
#if defined(MISBEHAVE_counts)
  *count = 4000000000U;
#else
  if (!out || *count > there) *count = there;
#endif
}
EXPORT int zeDriverGet(unsigned *count, void **drivers) {
  list(count, 1, drivers);
  return 0;
}
EXPORT int zeDeviceGet(void *driver, unsigned *count, void **devices) {
  (void)driver;
  list(count, 2, devices);
  return 0;
}
EXPORT int zeDeviceGetProperties(void *device, Properties *properties) {
  (void)device;
  if (properties->kind != 3) return 0x78000004;
  properties->type = 1;
#if defined(MISBEHAVE_nonsense)
  properties->type = 99;
#endif
  put(properties->name, sizeof properties->name, "Intel(R) Arc(TM) A770 Graphics");
  return 0;
}
EXPORT int zeDevicePciGetPropertiesExt(void *device, Pci *pci) {
  if (pci->kind != 0x10008) return 0x78000004;
  pci->bus = device == (char *)0 + 1 ? 0x03 : 0x83;
  return 0;
}
EXPORT int zeDeviceGetMemoryProperties(void *device, unsigned *count, Memory *memories) {
  (void)device;
  if (memories && memories[0].kind != 7) return 0x78000004;
  if (memories) memories[0].total = 16225ULL << 20;
  *count = 1;
  return 0;
}

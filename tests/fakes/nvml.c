// A libnvidia-ml with two A100 and one process on the second.
#include "misbehave.h"

typedef struct Device *Device;
typedef struct {
  char legacy[16];
  unsigned domain, bus, device, id, subsystem;
  char bus_id[32];
} Pci;
typedef struct {
  unsigned version;
  unsigned long long total, reserved, free, used;
} Memory;
typedef struct {
  unsigned pid;
  unsigned long long memory;
  unsigned gi, ci;
} Process;
typedef struct {
  unsigned gpu, memory;
} Utilization;
typedef struct {
  unsigned char cluster[16];
  int status;
  unsigned clique;
  unsigned char state;
} Fabric;

#if defined(MISBEHAVE_nonsense)
#define SOUND(value) 0x7fffffffU
#else
#define SOUND(value) (value)
#endif

static int index_of(Device device) { return (int)((char *)device - (char *)0) - 1; }

EXPORT int nvmlInit_v2(void) {
  misbehave();
  return 0;
}
EXPORT int nvmlShutdown(void) { return 0; }
EXPORT int nvmlSystemGetDriverVersion(char *out, unsigned size) {
  put(out, size, "550.54.14");
  return 0;
}
EXPORT int nvmlSystemGetNVMLVersion(char *out, unsigned size) {
#if defined(MISBEHAVE_overrun)
  snprintf(out, size, "12.550.54.14");
#else
  put(out, size, "12.550.54.14");
#endif
  return 0;
}
EXPORT int nvmlSystemGetProcessName(unsigned pid, char *out, unsigned size) {
  (void)pid;
  put(out, size, "/home/somebody/bin/train");
  return 0;
}
EXPORT int nvmlDeviceGetCount_v2(unsigned *count) {
#if defined(MISBEHAVE_counts)
  *count = 4000000000U;
#else
  *count = 2;
#endif
  return 0;
}
EXPORT int nvmlDeviceGetHandleByIndex_v2(unsigned index, Device *device) {
  *device = (Device)((char *)0 + index + 1);
  return 0;
}
EXPORT int nvmlDeviceGetName(Device device, char *out, unsigned size) {
  (void)device;
  put(out, size, "NVIDIA A100-SXM4-40GB");
  return 0;
}
EXPORT int nvmlDeviceGetUUID(Device device, char *out, unsigned size) {
  put(out, size,
      index_of(device) ? "GPU-22222222-aaaa-bbbb-cccc-dddddddddddd" : "GPU-11111111-aaaa-bbbb-cccc-dddddddddddd");
  return 0;
}
EXPORT int nvmlDeviceGetPciInfo_v3(Device device, Pci *pci) {
  pci->domain = SOUND(0);
  pci->bus = index_of(device) ? 0x65 : 0x17;
  pci->device = 0;
  return 0;
}
EXPORT int nvmlDeviceGetMinorNumber(Device device, unsigned *minor) {
  *minor = (unsigned)index_of(device);
  return 0;
}
EXPORT int nvmlDeviceGetCudaComputeCapability(Device device, int *major, int *minor) {
  (void)device;
  *major = (int)SOUND(8);
  *minor = 0;
  return 0;
}
EXPORT int nvmlDeviceGetMemoryInfo_v2(Device device, Memory *memory) {
  (void)device;
  if (memory->version != (sizeof(Memory) | 2U << 24)) return 25;
  memory->total = 40960ULL << 20;
  memory->free = 40000ULL << 20;
  return 0;
}
#define NUMBER(function, value)                       \
  EXPORT int function(Device device, unsigned *out) { \
    (void)device;                                     \
    *out = SOUND(value);                              \
    return 0;                                         \
  }
NUMBER(nvmlDeviceGetCurrPcieLinkGeneration, 4)
NUMBER(nvmlDeviceGetMaxPcieLinkGeneration, 4)
NUMBER(nvmlDeviceGetCurrPcieLinkWidth, 16)
NUMBER(nvmlDeviceGetMaxPcieLinkWidth, 16)
NUMBER(nvmlDeviceGetMaxMigDeviceCount, 7)
NUMBER(nvmlDeviceGetPersistenceMode, 1)
NUMBER(nvmlDeviceGetComputeMode, 0)
NUMBER(nvmlDeviceGetPowerUsage, 61500)
NUMBER(nvmlDeviceGetEnforcedPowerLimit, 400000)
EXPORT int nvmlDeviceGetMigMode(Device device, unsigned *current, unsigned *pending) {
  (void)device;
  *current = *pending = SOUND(0);
  return 0;
}
EXPORT int nvmlDeviceGetEccMode(Device device, int *current, int *pending) {
  (void)device;
  *current = *pending = 1;
  return 0;
}
EXPORT int nvmlDeviceGetTotalEccErrors(Device device, int kind, int counter, unsigned long long *count) {
  (void)device, (void)kind, (void)counter;
  *count = 0;
  return 0;
}
EXPORT int nvmlDeviceGetRemappedRows(Device device, unsigned *a, unsigned *b, unsigned *pending, unsigned *failed) {
  (void)device;
  *a = *b = *pending = *failed = 0;
  return 0;
}
EXPORT int nvmlDeviceGetCurrentClocksThrottleReasons(Device device, unsigned long long *bits) {
  (void)device;
  *bits = 0x1 | 0x4;
  return 0;
}
EXPORT int nvmlDeviceGetTemperature(Device device, int sensor, unsigned *celsius) {
  (void)device, (void)sensor;
  *celsius = 41;
  return 0;
}
EXPORT int nvmlDeviceGetUtilizationRates(Device device, Utilization *rates) {
  (void)device;
  rates->gpu = 3;
  return 0;
}
EXPORT int nvmlDeviceGetGpuFabricInfo(Device device, Fabric *info) {
  (void)device;
  info->state = (unsigned char)SOUND(3);
  return 0;
}
// FAKE_NVML_PROCESSES names a file with lines "GPU PID MIB PERCENT": then these are the processes, read anew each time.
static int read_processes(Device device, unsigned *pids, unsigned *mib, unsigned *percent) {
  const char *path = getenv("FAKE_NVML_PROCESSES");
  FILE *file = path ? fopen(path, "r") : NULL;
  int count = 0, gpu = 0;
  unsigned pid = 0, memory = 0, busy = 0;
  if (!file) return -1;
  while (count < 8 && fscanf(file, "%d %u %u %u", &gpu, &pid, &memory, &busy) == 4) {
    if (gpu != index_of(device)) continue;
    pids[count] = pid;
    mib[count] = memory;
    percent[count++] = busy;
  }
  fclose(file);
  return count;
}
typedef struct {
  unsigned pid;
  unsigned long long at;
  unsigned sm, memory, encoder, decoder;
} Load;
EXPORT int nvmlDeviceGetProcessUtilization(Device device, Load *loads, unsigned *count, unsigned long long since) {
  unsigned pids[8], mib[8], percent[8];
  const int known = read_processes(device, pids, mib, percent);
  if (known <= 0) return 6;
  if (*count < (unsigned)known) return 7;
  *count = (unsigned)known;
  for (int i = 0; i < known; ++i) {
    loads[i].pid = pids[i];
    loads[i].at = since + 1000;
    loads[i].sm = SOUND(percent[i]);
  }
  return 0;
}
EXPORT int nvmlDeviceGetComputeRunningProcesses_v3(Device device, unsigned *count, Process *processes) {
  unsigned pids[8], mib[8], percent[8];
  const int known = read_processes(device, pids, mib, percent);
  if (known >= 0) {
    if (*count < (unsigned)known) return 7;
    *count = (unsigned)known;
    for (int i = 0; i < known; ++i) {
      processes[i].pid = pids[i];
      processes[i].memory = (unsigned long long)mib[i] << 20;
    }
    return 0;
  }
#if defined(MISBEHAVE_nonsense)
  (void)device, (void)processes;
  *count = 4000000000U;
  return 0;
#else
  if (index_of(device) == 0) {
    *count = 0;
    return 0;
  }
  if (*count < 1) return 7;
  *count = 1;
  processes[0].pid = 4242;
  processes[0].memory = 1024ULL << 20;
  return 0;
#endif
}

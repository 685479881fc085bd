#pragma once
// NVML's binary interface: the structs that cross it and the functions that are called, newest symbol first.
#include "host/nvml.h"

namespace envdoctor::nvml {

struct CPci {  // version 3; version 2 begins alike and is shorter
  char legacy_id[16]{};
  unsigned domain = 0, bus = 0, device = 0, pci_device_id = 0, subsystem_id = 0;
  char id[32]{};
};
static_assert(sizeof(CPci) == 68);

struct CMemory {
  unsigned long long total = 0, free = 0, used = 0;
};
static_assert(sizeof(CMemory) == 24);

struct CMemoryV2 {
  unsigned version = 0x02000028;  // its number, and its size in the low bits
  unsigned long long total = 0, reserved = 0, free = 0, used = 0;
};
static_assert(sizeof(CMemoryV2) == 40);

struct CUtilization {
  unsigned gpu = 0, memory = 0;
};
static_assert(sizeof(CUtilization) == 8);

struct CFabricInfo {
  unsigned char cluster[16]{};
  int status = 0;
  unsigned clique = 0;
  unsigned char state = 0;
};
static_assert(sizeof(CFabricInfo) == 28);

struct CProcessV1 {
  unsigned pid = 0;
  unsigned long long memory = 0;
};
static_assert(sizeof(CProcessV1) == 16);

struct CProcess {  // of the calls ending in _v2 and _v3
  unsigned pid = 0;
  unsigned long long memory = 0;
  unsigned gpu_instance = 0, compute_instance = 0;
};
static_assert(sizeof(CProcess) == 24);

struct CProcessLoad {
  unsigned pid = 0;
  unsigned long long at_us = 0;
  unsigned multiprocessors = 0, memory = 0, encoder = 0, decoder = 0;  // percent
};
static_assert(sizeof(CProcessLoad) == 32);

struct Table {
  explicit Table(const VendorLibrary& library);

  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*driver_version)(char*, unsigned) = nullptr;
  int (*library_version)(char*, unsigned) = nullptr;
  int (*process_name)(unsigned, char*, unsigned) = nullptr;
  int (*device_count)(unsigned*) = nullptr;
  int (*device)(unsigned, Device*) = nullptr;
  int (*name)(Device, char*, unsigned) = nullptr;
  int (*uuid)(Device, char*, unsigned) = nullptr;
  int (*pci)(Device, CPci*) = nullptr;
  int (*minor_number)(Device, unsigned*) = nullptr;
  int (*capability)(Device, int*, int*) = nullptr;
  int (*memory_v2)(Device, CMemoryV2*) = nullptr;
  int (*memory)(Device, CMemory*) = nullptr;
  int (*generation)(Device, unsigned*) = nullptr;
  int (*width)(Device, unsigned*) = nullptr;
  int (*max_generation)(Device, unsigned*) = nullptr;
  int (*max_width)(Device, unsigned*) = nullptr;
  int (*mig_mode)(Device, unsigned*, unsigned*) = nullptr;
  int (*mig_slots)(Device, unsigned*) = nullptr;
  int (*mig_device)(Device, unsigned, Device*) = nullptr;
  int (*ecc_mode)(Device, int*, int*) = nullptr;
  int (*ecc_errors)(Device, int, int, unsigned long long*) = nullptr;
  int (*retired_pages)(Device, int, unsigned*, unsigned long long*) = nullptr;
  int (*retirement_pending)(Device, int*) = nullptr;
  int (*remapped_rows)(Device, unsigned*, unsigned*, unsigned*, unsigned*) = nullptr;
  int (*persistence)(Device, unsigned*) = nullptr;
  int (*compute_mode)(Device, unsigned*) = nullptr;
  int (*throttle_reasons)(Device, unsigned long long*) = nullptr;
  int (*temperature)(Device, int, unsigned*) = nullptr;
  int (*power)(Device, unsigned*) = nullptr;
  int (*power_limit)(Device, unsigned*) = nullptr;
  int (*utilization)(Device, CUtilization*) = nullptr;
  int (*fabric)(Device, CFabricInfo*) = nullptr;
  int (*compute_processes)(Device, unsigned*, CProcess*) = nullptr;
  int (*compute_processes_v1)(Device, unsigned*, CProcessV1*) = nullptr;
  int (*graphics_processes)(Device, unsigned*, CProcess*) = nullptr;
  int (*graphics_processes_v1)(Device, unsigned*, CProcessV1*) = nullptr;
  int (*process_loads)(Device, CProcessLoad*, unsigned*, unsigned long long) = nullptr;
};

}  // namespace envdoctor::nvml

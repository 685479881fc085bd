#include "host/vendor/level_zero_api.h"

#include <cstring>

namespace envdoctor::level_zero {
namespace {

// Every struct starts with its type and a pointer to further structs; ours have none.
struct CDeviceProperties {
  unsigned kind = 0x3;
  void* next = nullptr;
  unsigned type = 0;
  unsigned vendor_id = 0, device_id = 0, flags = 0, subdevice_id = 0, clock_mhz = 0;
  std::uint64_t largest_allocation = 0;
  unsigned contexts = 0, queue_priority = 0, threads_per_unit = 0, simd_width = 0, units_per_subslice = 0;
  unsigned subslices_per_slice = 0, slices = 0;
  std::uint64_t timer_resolution = 0;
  unsigned timestamp_bits = 0, kernel_timestamp_bits = 0;
  unsigned char uuid[16]{};
  char name[256]{};
};
static_assert(sizeof(CDeviceProperties) == 368);
static_assert(offsetof(CDeviceProperties, name) == 112);

struct CMemory {
  unsigned kind = 0x7;
  void* next = nullptr;
  unsigned flags = 0, clock_mhz = 0, bus_width = 0;
  std::uint64_t total = 0;
  char name[256]{};
};
static_assert(sizeof(CMemory) == 296);
static_assert(offsetof(CMemory, total) == 32);

struct CPci {
  unsigned kind = 0x10008;
  void* next = nullptr;
  PciPlace place{};
  int generation = 0, width = 0;
  std::int64_t bandwidth = 0;
};
static_assert(sizeof(CPci) == 48);

// More than any host has of drivers, devices of one driver or memories of one device.
constexpr unsigned room = 64;

template <class Item, class Call>
Code list(std::vector<Item>& out, Call call) {
  out.assign(room, Item{});
  unsigned count = room;
  Code code = call(&count, out.data());
  if (code == success && count > room) code = makes_no_sense;
  out.resize(code == success ? count : 0);
  return code;
}

class Loaded : public Api {
 public:
  Loaded(const std::string& soname_or_path, Trace trace) : library_(soname_or_path, std::move(trace)) {}

  Reading<std::string> library() const override { return library_.file(); }
  Code init() override { return init_(0U); }
  Code drivers(std::vector<Driver>& drivers) override {
    return list(drivers, [&](unsigned* count, Driver* out) { return drivers_(count, out); });
  }
  Code devices(Driver driver, std::vector<Device>& devices) override {
    return list(devices, [&](unsigned* count, Device* out) { return devices_(driver, count, out); });
  }
  Code properties(Device device, Properties& properties) override {
    CDeviceProperties c;
    const Code code = properties_(device, &c);
    properties = {.type = c.type, .name = std::string(c.name, strnlen(c.name, sizeof(c.name)))};
    return code;
  }
  Code pci_place(Device device, PciPlace& place) override {
    CPci pci;
    const Code code = pci_(device, &pci);
    place = pci.place;
    return code;
  }
  Code memory(Device device, std::uint64_t& bytes) override {
    std::vector<CMemory> memories;
    const Code code = list(memories, [&](unsigned* count, CMemory* out) { return memory_(device, count, out); });
    bytes = 0;
    for (const CMemory& memory : memories) bytes += memory.total;
    return code;
  }

 private:
  VendorLibrary library_;
  VendorFunction<unsigned> init_{library_, {"zeInit"}};
  VendorFunction<unsigned*, Driver*> drivers_{library_, {"zeDriverGet"}};
  VendorFunction<Driver, unsigned*, Device*> devices_{library_, {"zeDeviceGet"}};
  VendorFunction<Device, CDeviceProperties*> properties_{library_, {"zeDeviceGetProperties"}};
  VendorFunction<Device, CPci*> pci_{library_, {"zeDevicePciGetPropertiesExt"}};
  VendorFunction<Device, unsigned*, CMemory*> memory_{library_, {"zeDeviceGetMemoryProperties"}};
};

}  // namespace

std::unique_ptr<Api> open(const std::string& soname_or_path, Trace trace) {
  return std::make_unique<Loaded>(soname_or_path, std::move(trace));
}

}  // namespace envdoctor::level_zero

#include "host/cuda.h"

namespace envdoctor::cuda {
namespace {

constexpr int capability_major = 75;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
constexpr int capability_minor = 76;

struct CUuid {
  unsigned char bytes[16]{};
};
static_assert(sizeof(CUuid) == 16);

struct Table {
  explicit Table(const VendorLibrary& library) {
    library.bind(driver_version, {"cuDriverGetVersion"});
    library.bind(init, {"cuInit"});
    library.bind(device_count, {"cuDeviceGetCount"});
    library.bind(device, {"cuDeviceGet"});
    library.bind(name, {"cuDeviceGetName"});
    library.bind(uuid, {"cuDeviceGetUuid_v2", "cuDeviceGetUuid"});
    library.bind(physical_uuid, {"cuDeviceGetUuid"});
    library.bind(pci_bus_id, {"cuDeviceGetPCIBusId"});
    library.bind(attribute, {"cuDeviceGetAttribute"});
    library.bind(memory, {"cuDeviceTotalMem_v2"});  // the first version counts in 32 bits
  }
  int (*driver_version)(int*) = nullptr;
  int (*init)(unsigned) = nullptr;
  int (*device_count)(int*) = nullptr;
  int (*device)(Device*, int) = nullptr;
  int (*name)(char*, int, Device) = nullptr;
  int (*uuid)(CUuid*, Device) = nullptr;
  int (*physical_uuid)(CUuid*, Device) = nullptr;
  int (*pci_bus_id)(char*, int, Device) = nullptr;
  int (*attribute)(int*, int, Device) = nullptr;
  int (*memory)(std::size_t*, Device) = nullptr;
};

class Loaded : public Api {
 public:
  Loaded(const std::string& soname_or_path, Trace trace) : library_(soname_or_path, std::move(trace)), c_(library_) {}

  Reading<std::string> library() const override { return library_.file(); }
  Code driver_version(int& version) override {
    return library_.call("cuDriverGetVersion", c_.driver_version, &version);
  }
  Code init() override { return library_.call("cuInit", c_.init, 0U); }
  Code device_count(int& count) override { return library_.call("cuDeviceGetCount", c_.device_count, &count); }
  Code device(int ordinal, Device& device) override {
    return library_.call("cuDeviceGet", c_.device, &device, ordinal);
  }
  Code name(Device device, std::string& name) override { return text("cuDeviceGetName", c_.name, device, name); }
  Code uuid(Device device, Uuid& uuid) override { return bytes("cuDeviceGetUuid_v2", c_.uuid, device, uuid); }
  Code physical_uuid(Device device, Uuid& uuid) override {
    return bytes("cuDeviceGetUuid", c_.physical_uuid, device, uuid);
  }
  Code pci_bus_id(Device device, std::string& id) override {
    return text("cuDeviceGetPCIBusId", c_.pci_bus_id, device, id);
  }
  Code capability(Device device, Capability& capability) override {
    const Code code = library_.call("cuDeviceGetAttribute", c_.attribute, &capability.major, capability_major, device);
    if (code != success) return code;
    return library_.call("cuDeviceGetAttribute", c_.attribute, &capability.minor, capability_minor, device);
  }
  Code memory(Device device, std::uint64_t& bytes) override {
    std::size_t size = 0;
    const Code code = library_.call("cuDeviceTotalMem", c_.memory, &size, device);
    bytes = size;
    return code;
  }

 private:
  Code text(const char* what, int (*function)(char*, int, Device), Device device, std::string& out) const {
    std::array<char, 256> buffer{};  // the last byte stays zero, whatever the library writes
    const Code code = library_.call(what, function, buffer.data(), static_cast<int>(buffer.size() - 1), device);
    buffer.back() = 0;
    out = buffer.data();
    return code;
  }
  Code bytes(const char* what, int (*function)(CUuid*, Device), Device device, Uuid& out) const {
    CUuid uuid;
    const Code code = library_.call(what, function, &uuid, device);
    out = std::to_array(uuid.bytes);
    return code;
  }

  VendorLibrary library_;
  Table c_;
};

}  // namespace

std::unique_ptr<Api> open(const std::string& soname_or_path, Trace trace) {
  return std::make_unique<Loaded>(soname_or_path, std::move(trace));
}

}  // namespace envdoctor::cuda

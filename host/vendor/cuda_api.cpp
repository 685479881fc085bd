#include "host/vendor/cuda_api.h"

namespace envdoctor::cuda {
namespace {

constexpr int capability_major = 75;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
constexpr int capability_minor = 76;

struct CUuid {
  unsigned char bytes[16]{};
};
static_assert(sizeof(CUuid) == 16);

class Loaded : public Api {
 public:
  Loaded(const std::string& soname_or_path, Trace trace) : library_(soname_or_path, std::move(trace)) {}

  Reading<std::string> library() const override { return library_.file(); }
  Code driver_version(int& version) override { return driver_version_(&version); }
  Code init() override { return init_(0U); }
  Code device_count(int& count) override { return device_count_(&count); }
  Code device(int ordinal, Device& device) override { return device_(&device, ordinal); }
  Code name(Device device, std::string& name) override {
    return read_text(name, [&](char* out, int size) { return name_(out, size, device); });
  }
  Code uuid(Device device, Uuid& uuid) override { return bytes(uuid_, device, uuid); }
  Code physical_uuid(Device device, Uuid& uuid) override { return bytes(physical_uuid_, device, uuid); }
  Code pci_bus_id(Device device, std::string& id) override {
    return read_text(id, [&](char* out, int size) { return pci_bus_id_(out, size, device); });
  }
  Code capability(Device device, Capability& capability) override {
    const Code code = attribute_(&capability.major, capability_major, device);
    if (code != success) return code;
    return attribute_(&capability.minor, capability_minor, device);
  }
  Code memory(Device device, std::uint64_t& bytes) override {
    std::size_t size = 0;
    const Code code = memory_(&size, device);
    bytes = size;
    return code;
  }

 private:
  static Code bytes(const VendorFunction<CUuid*, Device>& function, Device device, Uuid& out) {
    CUuid uuid;
    const Code code = function(&uuid, device);
    out = std::to_array(uuid.bytes);
    return code;
  }

  VendorLibrary library_;
  VendorFunction<int*> driver_version_{library_, {"cuDriverGetVersion"}};
  VendorFunction<unsigned> init_{library_, {"cuInit"}};
  VendorFunction<int*> device_count_{library_, {"cuDeviceGetCount"}};
  VendorFunction<Device*, int> device_{library_, {"cuDeviceGet"}};
  VendorFunction<char*, int, Device> name_{library_, {"cuDeviceGetName"}};
  VendorFunction<CUuid*, Device> uuid_{library_, {"cuDeviceGetUuid_v2", "cuDeviceGetUuid"}};
  VendorFunction<CUuid*, Device> physical_uuid_{library_, {"cuDeviceGetUuid"}};
  VendorFunction<char*, int, Device> pci_bus_id_{library_, {"cuDeviceGetPCIBusId"}};
  VendorFunction<int*, int, Device> attribute_{library_, {"cuDeviceGetAttribute"}};
  VendorFunction<std::size_t*, Device> memory_{library_,
                                               {"cuDeviceTotalMem_v2"}};  // the first version counts in 32 bits
};

}  // namespace

std::unique_ptr<Api> open(const std::string& soname_or_path, Trace trace) {
  return std::make_unique<Loaded>(soname_or_path, std::move(trace));
}

}  // namespace envdoctor::cuda

#include "host/vendor/cuda_api.h"

namespace envdoctor::cuda {
namespace {

constexpr int capability_major = 75;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
constexpr int capability_minor = 76;

static_assert(sizeof(Uuid) == 16);  // as CUuuid

class Loaded : public Api {
 public:
  Loaded(const std::string& soname_or_path, Trace trace) : library_(soname_or_path, std::move(trace)) {}

  Reading<std::string> library() const override { return library_.file(); }
  Code driver_version(int& version) override { return driver_version_(&version); }
  Code init() override { return init_(0U); }
  Code device_count(int& count) override { return device_count_(&count); }
  Code device(int ordinal, Device& device) override { return device_(&device, ordinal); }
  Code name(Device device, std::string& name) override { return read_text(name, name_, device); }
  Code uuid(Device device, Uuid& uuid) override { return uuid_(&uuid, device); }
  Code physical_uuid(Device device, Uuid& uuid) override { return physical_uuid_(&uuid, device); }
  Code pci_bus_id(Device device, std::string& id) override { return read_text(id, pci_bus_id_, device); }
  Code capability(Device device, Capability& capability) override {
    const Code code = attribute_(&capability.major, capability_major, device);
    if (code != success) return code;
    return attribute_(&capability.minor, capability_minor, device);
  }
  Code memory(Device device, std::uint64_t& bytes) override { return memory_(&bytes, device); }

 private:
  VendorLibrary library_;
  VendorFunction<int*> driver_version_{library_, {"cuDriverGetVersion"}};
  VendorFunction<unsigned> init_{library_, {"cuInit"}};
  VendorFunction<int*> device_count_{library_, {"cuDeviceGetCount"}};
  VendorFunction<Device*, int> device_{library_, {"cuDeviceGet"}};
  VendorFunction<char*, int, Device> name_{library_, {"cuDeviceGetName"}};
  VendorFunction<Uuid*, Device> uuid_{library_, {"cuDeviceGetUuid_v2", "cuDeviceGetUuid"}};
  VendorFunction<Uuid*, Device> physical_uuid_{library_, {"cuDeviceGetUuid"}};
  VendorFunction<char*, int, Device> pci_bus_id_{library_, {"cuDeviceGetPCIBusId"}};
  VendorFunction<int*, int, Device> attribute_{library_, {"cuDeviceGetAttribute"}};
  VendorFunction<std::uint64_t*, Device> memory_{library_,
                                                 {"cuDeviceTotalMem_v2"}};  // the first version counts in 32 bits
};

}  // namespace

std::unique_ptr<Api> open(const std::string& soname_or_path, Trace trace) {
  return std::make_unique<Loaded>(soname_or_path, std::move(trace));
}

}  // namespace envdoctor::cuda

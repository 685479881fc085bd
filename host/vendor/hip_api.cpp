#include "host/vendor/hip_api.h"

namespace envdoctor::hip {
namespace {

class Loaded : public Api {
 public:
  Loaded(const std::vector<std::string>& sonames_or_paths, Trace trace)
      : library_(sonames_or_paths, std::move(trace)) {}

  Reading<std::string> library() const override { return library_.file(); }
  Code runtime_version(int& version) override { return runtime_version_(&version); }
  Code init() override { return init_(0U); }
  Code device_count(int& count) override { return device_count_(&count); }
  Code device(int ordinal, Device& device) override { return device_(&device, ordinal); }
  Code name(Device device, std::string& name) override { return read_text(name, name_, device); }
  Code pci_bus_id(int ordinal, std::string& id) override { return read_text(id, pci_bus_id_, ordinal); }
  Code memory(Device device, std::uint64_t& bytes) override { return memory_(&bytes, device); }

 private:
  VendorLibrary library_;
  VendorFunction<int*> runtime_version_{library_, {"hipRuntimeGetVersion"}};
  VendorFunction<unsigned> init_{library_, {"hipInit"}};
  VendorFunction<int*> device_count_{library_, {"hipGetDeviceCount"}};
  VendorFunction<Device*, int> device_{library_, {"hipDeviceGet"}};
  VendorFunction<char*, int, Device> name_{library_, {"hipDeviceGetName"}};
  VendorFunction<char*, int, int> pci_bus_id_{library_, {"hipDeviceGetPCIBusId"}};
  VendorFunction<std::uint64_t*, Device> memory_{library_, {"hipDeviceTotalMem"}};
};

}  // namespace

const std::vector<std::string>& sonames() {
  static const std::vector<std::string> names = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5",
                                                 "libamdhip64.so", "/opt/rocm/lib/libamdhip64.so"};
  return names;
}

std::unique_ptr<Api> open(const std::vector<std::string>& sonames_or_paths, Trace trace) {
  return std::make_unique<Loaded>(sonames_or_paths, std::move(trace));
}

}  // namespace envdoctor::hip

#include "host/hip.h"

#include <array>

namespace envdoctor::hip {
namespace {

struct Table {
  explicit Table(const VendorLibrary& library) {
    library.bind(runtime_version, {"hipRuntimeGetVersion"});
    library.bind(init, {"hipInit"});
    library.bind(device_count, {"hipGetDeviceCount"});
    library.bind(device, {"hipDeviceGet"});
    library.bind(name, {"hipDeviceGetName"});
    library.bind(pci_bus_id, {"hipDeviceGetPCIBusId"});
    library.bind(memory, {"hipDeviceTotalMem"});
  }
  int (*runtime_version)(int*) = nullptr;
  int (*init)(unsigned) = nullptr;
  int (*device_count)(int*) = nullptr;
  int (*device)(Device*, int) = nullptr;
  int (*name)(char*, int, Device) = nullptr;
  int (*pci_bus_id)(char*, int, int) = nullptr;
  int (*memory)(std::size_t*, Device) = nullptr;
};

class Loaded : public Api {
 public:
  Loaded(const std::vector<std::string>& sonames_or_paths, Trace trace)
      : library_(sonames_or_paths, std::move(trace)), c_(library_) {}

  Reading<std::string> library() const override { return library_.file(); }
  Code runtime_version(int& version) override {
    return library_.call("hipRuntimeGetVersion", c_.runtime_version, &version);
  }
  Code init() override { return library_.call("hipInit", c_.init, 0U); }
  Code device_count(int& count) override { return library_.call("hipGetDeviceCount", c_.device_count, &count); }
  Code device(int ordinal, Device& device) override {
    return library_.call("hipDeviceGet", c_.device, &device, ordinal);
  }
  Code name(Device device, std::string& name) override { return text("hipDeviceGetName", c_.name, device, name); }
  Code pci_bus_id(int ordinal, std::string& id) override {
    return text("hipDeviceGetPCIBusId", c_.pci_bus_id, ordinal, id);
  }
  Code memory(Device device, std::uint64_t& bytes) override {
    std::size_t size = 0;
    const Code code = library_.call("hipDeviceTotalMem", c_.memory, &size, device);
    bytes = size;
    return code;
  }

 private:
  Code text(const char* what, int (*function)(char*, int, int), int device, std::string& out) const {
    std::array<char, 256> buffer{};  // the last byte stays zero, whatever the library writes
    const Code code = library_.call(what, function, buffer.data(), static_cast<int>(buffer.size() - 1), device);
    buffer.back() = 0;
    out = buffer.data();
    return code;
  }

  VendorLibrary library_;
  Table c_;
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

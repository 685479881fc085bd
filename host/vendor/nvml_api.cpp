#include "host/vendor/nvml_api.h"

#include <algorithm>

namespace envdoctor::nvml {
namespace {

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

class Loaded : public Api {
 public:
  Loaded(const std::string& soname_or_path, Trace trace) : library_(soname_or_path, std::move(trace)) {}

  Reading<std::string> library() const override { return library_.file(); }

  Code init() override { return init_(); }
  Code shutdown() override { return shutdown_(); }
  Code library_version(std::string& version) override { return read_text(version, library_version_); }
  Code process_name(unsigned pid, std::string& name) override { return read_text(name, process_name_, pid); }

  Code device_count(unsigned& count) override { return device_count_(&count); }
  Code device(unsigned index, Device& device) override { return device_(index, &device); }
  Code name(Device device, std::string& name) override { return read_text(name, name_, device); }
  Code uuid(Device device, std::string& uuid) override { return read_text(uuid, uuid_, device); }
  Code pci_place(Device device, PciPlace& place) override {
    CPci pci;
    const Code code = pci_(device, &pci);
    place = {.domain = pci.domain, .bus = pci.bus, .device = pci.device};
    return code;
  }
  Code minor_number(Device device, unsigned& minor) override { return minor_number_(device, &minor); }
  Code capability(Device device, Capability& capability) override {
    return capability_(device, &capability.major, &capability.minor);
  }
  Code memory(Device device, Memory& memory) override {
    CMemoryV2 newer;
    Code code = memory_v2_(device, &newer);
    memory = {.total_bytes = newer.total, .free_bytes = newer.free};
    if (code == success || code == library_not_found || code == gpu_is_lost) return code;
    CMemory older;
    code = memory_(device, &older);
    memory = {.total_bytes = older.total, .free_bytes = older.free};
    return code;
  }
  Code link(Device device, LinkFact fact, unsigned& value) override {
    const VendorFunction<Device, unsigned*>* functions[] = {&generation_, &width_, &max_generation_, &max_width_};
    return (*functions[static_cast<std::size_t>(fact)])(device, &value);
  }

  Code mig_mode(Device device, unsigned& current) override {
    unsigned pending = 0;
    return mig_mode_(device, &current, &pending);
  }
  Code mig_slots(Device device, unsigned& slots) override { return mig_slots_(device, &slots); }
  Code mig_device(Device device, unsigned slot, Device& mig) override { return mig_device_(device, slot, &mig); }

  Code ecc_mode(Device device, unsigned& current) override {
    unsigned pending = 0;
    return ecc_mode_(device, &current, &pending);
  }
  Code ecc_errors(Device device, ErrorKind kind, std::uint64_t& count) override {
    constexpr int since_driver_load = 0;
    return ecc_errors_(device, static_cast<int>(kind), since_driver_load, &count);
  }
  Code retired_pages(Device device, RetirementCause cause, unsigned& count) override {
    count = 0;  // asks only for the count, which NVML returns with "insufficient size"
    const Code code = retired_pages_(device, static_cast<int>(cause), &count, nullptr);
    return code == insufficient_size ? success : code;
  }
  Code retirement_pending(Device device, unsigned& pending) override { return retirement_pending_(device, &pending); }
  Code remapped_rows(Device device, RemappedRows& rows) override {
    return remapped_rows_(device, &rows.correctable, &rows.uncorrectable, &rows.pending, &rows.failed);
  }

  Code persistence(Device device, unsigned& on) override { return persistence_(device, &on); }
  Code compute_mode(Device device, unsigned& mode) override { return compute_mode_(device, &mode); }
  Code throttle_reasons(Device device, std::uint64_t& bits) override { return throttle_reasons_(device, &bits); }
  Code temperature(Device device, unsigned& celsius) override {
    constexpr int of_the_chip = 0;
    return temperature_(device, of_the_chip, &celsius);
  }
  Code power(Device device, unsigned& milliwatts) override { return power_(device, &milliwatts); }
  Code power_limit(Device device, unsigned& milliwatts) override { return power_limit_(device, &milliwatts); }
  Code utilization(Device device, unsigned& percent) override {
    CUtilization rates;
    const Code code = utilization_(device, &rates);
    percent = rates.gpu;
    return code;
  }
  Code pcie_throughput(Device device, bool from_host, unsigned& kb_per_s) override {
    return pcie_throughput_(device, from_host ? 1 : 0, &kb_per_s);
  }
  Code fabric_state(Device device, unsigned& state) override {
    CFabricInfo info;
    const Code code = fabric_(device, &info);
    state = info.state;
    return code;
  }
  Code processes(Device device, ProcessKind kind, std::vector<Process>& processes) override {
    if (kind == ProcessKind::compute)
      return compute_processes_ ? list(compute_processes_, device, processes)
                                : list(compute_processes_v1_, device, processes);
    return graphics_processes_ ? list(graphics_processes_, device, processes)
                               : list(graphics_processes_v1_, device, processes);
  }
  Code process_loads(Device device, std::uint64_t since_us, std::vector<ProcessLoad>& loads) override {
    std::vector<CProcessLoad> found(4096);
    auto count = static_cast<unsigned>(found.size());
    const Code code = process_loads_(device, found.data(), &count, since_us);
    if (code != success) return code == not_found ? success : code;
    found.resize(std::min<std::size_t>(count, found.size()));
    for (const CProcessLoad& load : found)
      loads.push_back({.pid = load.pid, .at_us = load.at_us, .percent = std::min(load.multiprocessors, 100U)});
    return success;
  }

 private:
  // Asks again with a larger buffer if there are more processes than expected; processes beyond that are dropped.
  template <class CProcess>
  Code list(const VendorFunction<Device, unsigned*, CProcess*>& function, Device device,
            std::vector<Process>& out) const {
    Code code = success;
    for (const unsigned room : {256U, 16384U}) {
      std::vector<CProcess> found(room);
      unsigned count = room;
      code = function(device, &count, found.data());
      if (code == insufficient_size) continue;
      if (code != success) break;
      found.resize(std::min(count, room));
      for (const CProcess& process : found) out.push_back({.pid = process.pid, .memory_bytes = process.memory});
      break;
    }
    return code;
  }

  VendorLibrary library_;
  VendorFunction<> init_{library_, {"nvmlInit_v2", "nvmlInit"}};
  VendorFunction<> shutdown_{library_, {"nvmlShutdown"}};
  VendorFunction<char*, unsigned> library_version_{library_, {"nvmlSystemGetNVMLVersion"}};
  VendorFunction<unsigned, char*, unsigned> process_name_{library_, {"nvmlSystemGetProcessName"}};
  VendorFunction<unsigned*> device_count_{library_, {"nvmlDeviceGetCount_v2", "nvmlDeviceGetCount"}};
  VendorFunction<unsigned, Device*> device_{library_, {"nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex"}};
  VendorFunction<Device, char*, unsigned> name_{library_, {"nvmlDeviceGetName"}};
  VendorFunction<Device, char*, unsigned> uuid_{library_, {"nvmlDeviceGetUUID"}};
  VendorFunction<Device, CPci*> pci_{library_, {"nvmlDeviceGetPciInfo_v3", "nvmlDeviceGetPciInfo_v2"}};
  VendorFunction<Device, unsigned*> minor_number_{library_, {"nvmlDeviceGetMinorNumber"}};
  VendorFunction<Device, int*, int*> capability_{library_, {"nvmlDeviceGetCudaComputeCapability"}};
  VendorFunction<Device, CMemoryV2*> memory_v2_{library_, {"nvmlDeviceGetMemoryInfo_v2"}};
  VendorFunction<Device, CMemory*> memory_{library_, {"nvmlDeviceGetMemoryInfo"}};
  VendorFunction<Device, unsigned*> generation_{library_, {"nvmlDeviceGetCurrPcieLinkGeneration"}};
  VendorFunction<Device, unsigned*> width_{library_, {"nvmlDeviceGetCurrPcieLinkWidth"}};
  VendorFunction<Device, unsigned*> max_generation_{library_, {"nvmlDeviceGetMaxPcieLinkGeneration"}};
  VendorFunction<Device, unsigned*> max_width_{library_, {"nvmlDeviceGetMaxPcieLinkWidth"}};
  VendorFunction<Device, unsigned*, unsigned*> mig_mode_{library_, {"nvmlDeviceGetMigMode"}};
  VendorFunction<Device, unsigned*> mig_slots_{library_, {"nvmlDeviceGetMaxMigDeviceCount"}};
  VendorFunction<Device, unsigned, Device*> mig_device_{library_, {"nvmlDeviceGetMigDeviceHandleByIndex"}};
  VendorFunction<Device, unsigned*, unsigned*> ecc_mode_{library_, {"nvmlDeviceGetEccMode"}};
  VendorFunction<Device, int, int, std::uint64_t*> ecc_errors_{library_, {"nvmlDeviceGetTotalEccErrors"}};
  VendorFunction<Device, int, unsigned*, unsigned long long*> retired_pages_{library_, {"nvmlDeviceGetRetiredPages"}};
  VendorFunction<Device, unsigned*> retirement_pending_{library_, {"nvmlDeviceGetRetiredPagesPendingStatus"}};
  VendorFunction<Device, unsigned*, unsigned*, unsigned*, unsigned*> remapped_rows_{library_,
                                                                                    {"nvmlDeviceGetRemappedRows"}};
  VendorFunction<Device, unsigned*> persistence_{library_, {"nvmlDeviceGetPersistenceMode"}};
  VendorFunction<Device, unsigned*> compute_mode_{library_, {"nvmlDeviceGetComputeMode"}};
  VendorFunction<Device, std::uint64_t*> throttle_reasons_{
      library_, {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"}};
  VendorFunction<Device, int, unsigned*> temperature_{library_, {"nvmlDeviceGetTemperature"}};
  VendorFunction<Device, unsigned*> power_{library_, {"nvmlDeviceGetPowerUsage"}};
  VendorFunction<Device, unsigned*> power_limit_{library_, {"nvmlDeviceGetEnforcedPowerLimit"}};
  VendorFunction<Device, CUtilization*> utilization_{library_, {"nvmlDeviceGetUtilizationRates"}};
  VendorFunction<Device, int, unsigned*> pcie_throughput_{library_, {"nvmlDeviceGetPcieThroughput"}};
  VendorFunction<Device, CFabricInfo*> fabric_{library_, {"nvmlDeviceGetGpuFabricInfo"}};
  VendorFunction<Device, unsigned*, CProcess*> compute_processes_{
      library_, {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2"}};
  VendorFunction<Device, unsigned*, CProcessV1*> compute_processes_v1_{library_,
                                                                       {"nvmlDeviceGetComputeRunningProcesses"}};
  VendorFunction<Device, unsigned*, CProcess*> graphics_processes_{
      library_, {"nvmlDeviceGetGraphicsRunningProcesses_v3", "nvmlDeviceGetGraphicsRunningProcesses_v2"}};
  VendorFunction<Device, unsigned*, CProcessV1*> graphics_processes_v1_{library_,
                                                                        {"nvmlDeviceGetGraphicsRunningProcesses"}};
  VendorFunction<Device, CProcessLoad*, unsigned*, unsigned long long> process_loads_{
      library_, {"nvmlDeviceGetProcessUtilization"}};
};

}  // namespace

std::unique_ptr<Api> open(const std::string& soname_or_path, Trace trace) {
  return std::make_unique<Loaded>(soname_or_path, std::move(trace));
}

}  // namespace envdoctor::nvml

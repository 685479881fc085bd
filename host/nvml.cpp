#include "host/nvml.h"

#include <array>

#include "host/nvml_table.h"

namespace envdoctor::nvml {
namespace {

// Filled by a library that may not end what it writes: the last byte stays zero.
template <class Call>
Code text(std::string& out, Call call) {
  std::array<char, 256> buffer{};
  const Code code = call(buffer.data(), static_cast<unsigned>(buffer.size() - 1));
  buffer.back() = 0;
  out = buffer.data();
  return code;
}

class Loaded : public Api {
 public:
  Loaded(const std::string& soname_or_path, Trace trace) : library_(soname_or_path, std::move(trace)), c_(library_) {}

  Reading<std::string> library() const override { return library_.file(); }

  Code init() override { return library_.call("nvmlInit", c_.init); }
  Code shutdown() override { return library_.call("nvmlShutdown", c_.shutdown); }
  Code driver_version(std::string& version) override {
    return text(version, [&](char* out, unsigned size) {
      return library_.call("nvmlSystemGetDriverVersion", c_.driver_version, out, size);
    });
  }
  Code library_version(std::string& version) override {
    return text(version, [&](char* out, unsigned size) {
      return library_.call("nvmlSystemGetNVMLVersion", c_.library_version, out, size);
    });
  }
  Code process_name(unsigned pid, std::string& name) override {
    return text(name, [&](char* out, unsigned size) {
      return library_.call("nvmlSystemGetProcessName", c_.process_name, pid, out, size);
    });
  }

  Code device_count(unsigned& count) override { return library_.call("nvmlDeviceGetCount", c_.device_count, &count); }
  Code device(unsigned index, Device& device) override {
    return library_.call("nvmlDeviceGetHandleByIndex", c_.device, index, &device);
  }
  Code name(Device device, std::string& name) override {
    return text(
        name, [&](char* out, unsigned size) { return library_.call("nvmlDeviceGetName", c_.name, device, out, size); });
  }
  Code uuid(Device device, std::string& uuid) override {
    return text(
        uuid, [&](char* out, unsigned size) { return library_.call("nvmlDeviceGetUUID", c_.uuid, device, out, size); });
  }
  Code pci_place(Device device, PciPlace& place) override {
    CPci pci;
    const Code code = library_.call("nvmlDeviceGetPciInfo", c_.pci, device, &pci);
    place = {.domain = pci.domain, .bus = pci.bus, .device = pci.device};
    return code;
  }
  Code minor_number(Device device, unsigned& minor) override {
    return library_.call("nvmlDeviceGetMinorNumber", c_.minor_number, device, &minor);
  }
  Code capability(Device device, Capability& capability) override {
    return library_.call("nvmlDeviceGetCudaComputeCapability", c_.capability, device, &capability.major,
                         &capability.minor);
  }
  Code memory(Device device, Memory& memory) override {
    CMemoryV2 newer;
    Code code = library_.call("nvmlDeviceGetMemoryInfo_v2", c_.memory_v2, device, &newer);
    memory = {.total_bytes = newer.total, .free_bytes = newer.free};
    if (code == success || code == library_not_found || code == gpu_is_lost) return code;
    CMemory older;
    code = library_.call("nvmlDeviceGetMemoryInfo", c_.memory, device, &older);
    memory = {.total_bytes = older.total, .free_bytes = older.free};
    return code;
  }
  Code link(Device device, LinkFact fact, unsigned& value) override {
    switch (fact) {
      case LinkFact::generation:
        return library_.call("nvmlDeviceGetCurrPcieLinkGeneration", c_.generation, device, &value);
      case LinkFact::width:
        return library_.call("nvmlDeviceGetCurrPcieLinkWidth", c_.width, device, &value);
      case LinkFact::max_generation:
        return library_.call("nvmlDeviceGetMaxPcieLinkGeneration", c_.max_generation, device, &value);
      case LinkFact::max_width:
        break;
    }
    return library_.call("nvmlDeviceGetMaxPcieLinkWidth", c_.max_width, device, &value);
  }

  Code mig_mode(Device device, unsigned& current) override {
    unsigned pending = 0;
    return library_.call("nvmlDeviceGetMigMode", c_.mig_mode, device, &current, &pending);
  }
  Code mig_slots(Device device, unsigned& slots) override {
    return library_.call("nvmlDeviceGetMaxMigDeviceCount", c_.mig_slots, device, &slots);
  }
  Code mig_device(Device device, unsigned slot, Device& mig) override {
    return library_.call("nvmlDeviceGetMigDeviceHandleByIndex", c_.mig_device, device, slot, &mig);
  }

  Code ecc_mode(Device device, unsigned& current) override {
    int now = 0, pending = 0;
    const Code code = library_.call("nvmlDeviceGetEccMode", c_.ecc_mode, device, &now, &pending);
    current = static_cast<unsigned>(now);
    return code;
  }
  Code ecc_errors(Device device, ErrorKind kind, std::uint64_t& count) override {
    constexpr int since_driver_load = 0;
    unsigned long long errors = 0;
    const Code code = library_.call("nvmlDeviceGetTotalEccErrors", c_.ecc_errors, device, static_cast<int>(kind),
                                    since_driver_load, &errors);
    count = errors;
    return code;
  }
  Code retired_pages(Device device, RetirementCause cause, unsigned& count) override {
    count = 0;  // asks for the number alone, which comes back with "insufficient size"
    const Code code = library_.call("nvmlDeviceGetRetiredPages", c_.retired_pages, device, static_cast<int>(cause),
                                    &count, static_cast<unsigned long long*>(nullptr));
    return code == insufficient_size ? success : code;
  }
  Code retirement_pending(Device device, unsigned& pending) override {
    int state = 0;
    const Code code = library_.call("nvmlDeviceGetRetiredPagesPendingStatus", c_.retirement_pending, device, &state);
    pending = static_cast<unsigned>(state);
    return code;
  }
  Code remapped_rows(Device device, RemappedRows& rows) override {
    return library_.call("nvmlDeviceGetRemappedRows", c_.remapped_rows, device, &rows.correctable, &rows.uncorrectable,
                         &rows.pending, &rows.failed);
  }

  Code persistence(Device device, unsigned& on) override {
    return number("nvmlDeviceGetPersistenceMode", c_.persistence, device, on);
  }
  Code compute_mode(Device device, unsigned& mode) override {
    return number("nvmlDeviceGetComputeMode", c_.compute_mode, device, mode);
  }
  Code throttle_reasons(Device device, std::uint64_t& bits) override {
    unsigned long long reasons = 0;
    const Code code = library_.call("nvmlDeviceGetCurrentClocksThrottleReasons", c_.throttle_reasons, device, &reasons);
    bits = reasons;
    return code;
  }
  Code temperature(Device device, unsigned& celsius) override {
    constexpr int of_the_chip = 0;
    return library_.call("nvmlDeviceGetTemperature", c_.temperature, device, of_the_chip, &celsius);
  }
  Code power(Device device, unsigned& milliwatts) override {
    return number("nvmlDeviceGetPowerUsage", c_.power, device, milliwatts);
  }
  Code power_limit(Device device, unsigned& milliwatts) override {
    return number("nvmlDeviceGetEnforcedPowerLimit", c_.power_limit, device, milliwatts);
  }
  Code utilization(Device device, unsigned& percent) override {
    CUtilization rates;
    const Code code = library_.call("nvmlDeviceGetUtilizationRates", c_.utilization, device, &rates);
    percent = rates.gpu;
    return code;
  }
  Code fabric_state(Device device, unsigned& state) override {
    CFabricInfo info;
    const Code code = library_.call("nvmlDeviceGetGpuFabricInfo", c_.fabric, device, &info);
    state = info.state;
    return code;
  }
  Code processes(Device device, ProcessKind kind, std::vector<Process>& processes) override {
    const bool compute = kind == ProcessKind::compute;
    const auto newer = compute ? c_.compute_processes : c_.graphics_processes;
    const auto older = compute ? c_.compute_processes_v1 : c_.graphics_processes_v1;
    const char* what = compute ? "nvmlDeviceGetComputeRunningProcesses" : "nvmlDeviceGetGraphicsRunningProcesses";
    return newer ? list(what, newer, device, processes) : list(what, older, device, processes);
  }
  Code process_loads(Device device, std::uint64_t since_us, std::vector<ProcessLoad>& loads) override {
    std::vector<CProcessLoad> found(4096);
    auto count = static_cast<unsigned>(found.size());
    const Code code =
        library_.call("nvmlDeviceGetProcessUtilization", c_.process_loads, device, found.data(), &count, since_us);
    if (code != success) return code == not_found ? success : code;
    found.resize(std::min<std::size_t>(count, found.size()));
    for (const CProcessLoad& load : found)
      loads.push_back({.pid = load.pid, .at_us = load.at_us, .percent = std::min(load.multiprocessors, 100U)});
    return success;
  }

 private:
  Code number(const char* what, int (*function)(Device, unsigned*), Device device, unsigned& out) const {
    return library_.call(what, function, device, &out);
  }
  // Asked again with more room if there are more processes than expected; what lies past the room is dropped.
  template <class CProcess>
  Code list(const char* what, int (*function)(Device, unsigned*, CProcess*), Device device,
            std::vector<Process>& out) const {
    Code code = success;
    for (const unsigned room : {256U, 16384U}) {
      std::vector<CProcess> found(room);
      unsigned count = room;
      code = library_.call(what, function, device, &count, found.data());
      if (code == insufficient_size) continue;
      if (code != success) break;
      found.resize(std::min(count, room));
      for (const CProcess& process : found) out.push_back({.pid = process.pid, .memory_bytes = process.memory});
      break;
    }
    return code;
  }

  VendorLibrary library_;
  Table c_;
};

}  // namespace

std::unique_ptr<Api> open(const std::string& soname_or_path, Trace trace) {
  return std::make_unique<Loaded>(soname_or_path, std::move(trace));
}

}  // namespace envdoctor::nvml

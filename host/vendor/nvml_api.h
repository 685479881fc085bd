#pragma once
// NVML (libnvidia-ml.so.1) as this program uses it: one method per call, the library's own return codes.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "host/vendor/vendor_library.h"

namespace envdoctor::nvml {

using Code = int;  // an nvmlReturn_t unchanged, or one of host/vendor/vendor_library.h
constexpr Code success = 0;
constexpr Code not_supported = 3;
constexpr Code not_found = 6;
constexpr Code insufficient_size = 7;
constexpr Code gpu_is_lost = 15;

struct OpaqueDevice;
using Device = OpaqueDevice*;

struct PciPlace {
  unsigned domain = 0, bus = 0, device = 0;
};
struct Capability {
  int major = 0, minor = 0;
};
struct Memory {
  std::uint64_t total_bytes = 0, free_bytes = 0;
};
struct RemappedRows {
  unsigned correctable = 0, uncorrectable = 0, pending = 0, failed = 0;
};
constexpr std::uint64_t memory_not_available = UINT64_MAX;
struct Process {
  unsigned pid = 0;
  std::uint64_t memory_bytes = memory_not_available;
};
// How busy one process kept the multiprocessors during one NVML sample.
struct ProcessLoad {
  unsigned pid = 0;
  std::uint64_t at_us = 0;
  unsigned percent = 0;
};
enum class ErrorKind { corrected, uncorrected };
enum class RetirementCause { single_bit, double_bit };
enum class LinkFact { generation, width, max_generation, max_width };
enum class ProcessKind { compute, graphics };

class Api {
 public:
  virtual ~Api() = default;
  [[nodiscard]] virtual Reading<std::string> library() const = 0;  // the file that was loaded

  virtual Code init() = 0;
  virtual Code shutdown() = 0;
  virtual Code library_version(std::string& version) = 0;  // "12.550.54.14"; needs no init
  virtual Code process_name(unsigned pid, std::string& name) = 0;

  virtual Code device_count(unsigned& count) = 0;
  virtual Code device(unsigned index, Device& device) = 0;
  virtual Code name(Device device, std::string& name) = 0;
  virtual Code uuid(Device device, std::string& uuid) = 0;
  virtual Code pci_place(Device device, PciPlace& place) = 0;
  virtual Code minor_number(Device device, unsigned& minor) = 0;
  virtual Code capability(Device device, Capability& capability) = 0;
  virtual Code memory(Device device, Memory& memory) = 0;
  virtual Code link(Device device, LinkFact fact, unsigned& value) = 0;

  virtual Code mig_mode(Device device, unsigned& current) = 0;
  virtual Code mig_slots(Device device, unsigned& slots) = 0;
  virtual Code mig_device(Device device, unsigned slot, Device& mig) = 0;

  virtual Code ecc_mode(Device device, unsigned& current) = 0;
  virtual Code ecc_errors(Device device, ErrorKind kind, std::uint64_t& count) = 0;  // since the driver was loaded
  virtual Code retired_pages(Device device, RetirementCause cause, unsigned& count) = 0;
  virtual Code retirement_pending(Device device, unsigned& pending) = 0;
  virtual Code remapped_rows(Device device, RemappedRows& rows) = 0;

  virtual Code persistence(Device device, unsigned& on) = 0;
  virtual Code compute_mode(Device device, unsigned& mode) = 0;
  virtual Code throttle_reasons(Device device, std::uint64_t& bits) = 0;
  virtual Code temperature(Device device, unsigned& celsius) = 0;
  virtual Code power(Device device, unsigned& milliwatts) = 0;
  virtual Code power_limit(Device device, unsigned& milliwatts) = 0;
  virtual Code utilization(Device device, unsigned& percent) = 0;
  // Of the last 20 ms, which the call waits for.
  virtual Code pcie_throughput(Device device, bool from_host, unsigned& kb_per_s) = 0;
  virtual Code fabric_state(Device device, unsigned& state) = 0;
  virtual Code processes(Device device, ProcessKind kind, std::vector<Process>& processes) = 0;
  // Samples newer than `since_us` (a ProcessLoad's `at_us`; 0: all NVML still has). None is a success.
  virtual Code process_loads(Device device, std::uint64_t since_us, std::vector<ProcessLoad>& loads) = 0;
};

constexpr const char* soname = "libnvidia-ml.so.1";

// Never null: without the library every method answers library_not_found. Use in a child only.
std::unique_ptr<Api> open(const std::string& soname_or_path, Trace trace);

}  // namespace envdoctor::nvml

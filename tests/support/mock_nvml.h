#pragma once
#include <gmock/gmock.h>

#include "host/vendor/nvml_api.h"

namespace envdoctor::nvml {

class MockApi : public Api {
 public:
  MOCK_METHOD(Reading<std::string>, library, (), (const, override));
  MOCK_METHOD(Code, init, (), (override));
  MOCK_METHOD(Code, shutdown, (), (override));
  MOCK_METHOD(Code, library_version, (std::string&), (override));
  MOCK_METHOD(Code, process_name, (unsigned, std::string&), (override));
  MOCK_METHOD(Code, device_count, (unsigned&), (override));
  MOCK_METHOD(Code, device, (unsigned, Device&), (override));
  MOCK_METHOD(Code, name, (Device, std::string&), (override));
  MOCK_METHOD(Code, uuid, (Device, std::string&), (override));
  MOCK_METHOD(Code, pci_place, (Device, PciPlace&), (override));
  MOCK_METHOD(Code, minor_number, (Device, unsigned&), (override));
  MOCK_METHOD(Code, capability, (Device, Capability&), (override));
  MOCK_METHOD(Code, memory, (Device, Memory&), (override));
  MOCK_METHOD(Code, link, (Device, LinkFact, unsigned&), (override));
  MOCK_METHOD(Code, mig_mode, (Device, unsigned&), (override));
  MOCK_METHOD(Code, mig_slots, (Device, unsigned&), (override));
  MOCK_METHOD(Code, mig_device, (Device, unsigned, Device&), (override));
  MOCK_METHOD(Code, ecc_mode, (Device, unsigned&), (override));
  MOCK_METHOD(Code, ecc_errors, (Device, ErrorKind, std::uint64_t&), (override));
  MOCK_METHOD(Code, retired_pages, (Device, RetirementCause, unsigned&), (override));
  MOCK_METHOD(Code, retirement_pending, (Device, unsigned&), (override));
  MOCK_METHOD(Code, remapped_rows, (Device, RemappedRows&), (override));
  MOCK_METHOD(Code, persistence, (Device, unsigned&), (override));
  MOCK_METHOD(Code, compute_mode, (Device, unsigned&), (override));
  MOCK_METHOD(Code, throttle_reasons, (Device, std::uint64_t&), (override));
  MOCK_METHOD(Code, temperature, (Device, unsigned&), (override));
  MOCK_METHOD(Code, power, (Device, unsigned&), (override));
  MOCK_METHOD(Code, power_limit, (Device, unsigned&), (override));
  MOCK_METHOD(Code, utilization, (Device, unsigned&), (override));
  MOCK_METHOD(Code, pcie_throughput, (Device, bool, unsigned&), (override));
  MOCK_METHOD(Code, fabric_state, (Device, unsigned&), (override));
  MOCK_METHOD(Code, processes, (Device, ProcessKind, std::vector<Process>&), (override));
  MOCK_METHOD(Code, process_loads, (Device, std::uint64_t, std::vector<ProcessLoad>&), (override));
};

}  // namespace envdoctor::nvml

#pragma once
#include <gmock/gmock.h>

#include "host/vendor/hip_api.h"

namespace envdoctor::hip {

class MockApi : public Api {
 public:
  MOCK_METHOD(Reading<std::string>, library, (), (const, override));
  MOCK_METHOD(Code, runtime_version, (int&), (override));
  MOCK_METHOD(Code, init, (), (override));
  MOCK_METHOD(Code, device_count, (int&), (override));
  MOCK_METHOD(Code, device, (int, Device&), (override));
  MOCK_METHOD(Code, name, (Device, std::string&), (override));
  MOCK_METHOD(Code, pci_bus_id, (int, std::string&), (override));
  MOCK_METHOD(Code, memory, (Device, std::uint64_t&), (override));
};

}  // namespace envdoctor::hip

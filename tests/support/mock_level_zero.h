#pragma once
#include <gmock/gmock.h>

#include "host/vendor/level_zero_api.h"

namespace envdoctor::level_zero {

class MockApi : public Api {
 public:
  MOCK_METHOD(Reading<std::string>, library, (), (const, override));
  MOCK_METHOD(Code, init, (), (override));
  MOCK_METHOD(Code, drivers, (std::vector<Driver>&), (override));
  MOCK_METHOD(Code, devices, (Driver, std::vector<Device>&), (override));
  MOCK_METHOD(Code, properties, (Device, Properties&), (override));
  MOCK_METHOD(Code, pci_place, (Device, PciPlace&), (override));
  MOCK_METHOD(Code, memory, (Device, std::uint64_t&), (override));
};

}  // namespace envdoctor::level_zero

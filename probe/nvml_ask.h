#pragma once
#include <utility>

#include "host/nvml.h"
#include "probe/vendor.h"

namespace envdoctor {

// Asks NVML of one device and turns codes into readings: not supported is absent, other codes are failed. A GPU that is
// lost is asked no further, since each call may take seconds to say so again.
class NvmlAsk {
 public:
  NvmlAsk(nvml::Api& api, nvml::Device device) : api_(api), device_(device) {}

  template <class Value>
  Reading<Value> read(nvml::Code (nvml::Api::*method)(nvml::Device, Value&)) {
    return ask<Value>([&](Value& value) { return (api_.*method)(device_, value); });
  }
  template <class Argument, class Value>
  Reading<Value> read(nvml::Code (nvml::Api::*method)(nvml::Device, Argument, Value&), Argument argument) {
    return ask<Value>([&](Value& value) { return (api_.*method)(device_, argument, value); });
  }

  [[nodiscard]] nvml::Device device() const { return device_; }
  // The code that ended the asking, or success.
  [[nodiscard]] nvml::Code lost() const { return lost_; }

 private:
  template <class Value, class Call>
  Reading<Value> ask(Call call) {
    if (lost_ != nvml::success) return failed(code_text("nvml", lost_));
    return ask_vendor<Value>({.api = "nvml", .not_supported = nvml::not_supported}, [&](Value& value) {
      const nvml::Code code = call(value);
      if (code == nvml::gpu_is_lost) lost_ = code;
      return code;
    });
  }

  nvml::Api& api_;
  nvml::Device device_;
  nvml::Code lost_ = nvml::success;
};

}  // namespace envdoctor

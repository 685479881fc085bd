#include "checks/engine/finding.h"

#include <algorithm>
#include <string_view>

namespace envdoctor {

std::string_view text(Severity value) {
  switch (value) {
    case Severity::info:
      return "info";
    case Severity::warning:
      return "warning";
    case Severity::error:
      return "error";
  }
  return {};
}

std::string_view text(Confidence value) {
  switch (value) {
    case Confidence::possible:
      return "possible";
    case Confidence::likely:
      return "likely";
    case Confidence::certain:
      return "certain";
  }
  return {};
}

std::string_view text(Layer value) {
  switch (value) {
    case Layer::hardware:
      return "hardware";
    case Layer::kernel_driver:
      return "kernel-driver";
    case Layer::device_node:
      return "device-node";
    case Layer::user_driver:
      return "user-driver";
    case Layer::visibility:
      return "visibility";
    case Layer::runtime:
      return "runtime";
    case Layer::framework:
      return "framework";
    case Layer::compute:
      return "compute";
    case Layer::use:
      return "use";
  }
  return {};
}

std::string_view text(LayerState value) {
  switch (value) {
    case LayerState::ok:
      return "ok";
    case LayerState::broken:
      return "broken";
    case LayerState::unknown:
      return "unknown";
    case LayerState::not_applicable:
      return "not-applicable";
  }
  return {};
}

std::string_view text(CheckState value) {
  switch (value) {
    case CheckState::passed:
      return "passed";
    case CheckState::failed:
      return "failed";
    case CheckState::unknown:
      return "unknown";
    case CheckState::not_applicable:
      return "not-applicable";
  }
  return {};
}

std::string_view text(Verdict value) {
  switch (value) {
    case Verdict::pass:
      return "pass";
    case Verdict::warn:
      return "warn";
    case Verdict::fail:
      return "fail";
    case Verdict::incomplete:
      return "incomplete";
  }
  return {};
}

const LayerResult* GpuStack::first_broken() const {
  const auto found = std::ranges::find(layers, LayerState::broken, &LayerResult::state);
  return found == layers.end() ? nullptr : &*found;
}

}  // namespace envdoctor

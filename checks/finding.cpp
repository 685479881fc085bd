#include "checks/finding.h"

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

std::string_view text(Rung value) {
  switch (value) {
    case Rung::hardware:
      return "hardware";
    case Rung::kernel_driver:
      return "kernel-driver";
    case Rung::device_node:
      return "device-node";
    case Rung::user_driver:
      return "user-driver";
    case Rung::visibility:
      return "visibility";
    case Rung::runtime:
      return "runtime";
    case Rung::framework:
      return "framework";
    case Rung::compute:
      return "compute";
    case Rung::use:
      return "use";
  }
  return {};
}

std::string_view text(RungState value) {
  switch (value) {
    case RungState::holds:
      return "holds";
    case RungState::broken:
      return "broken";
    case RungState::unknown:
      return "unknown";
    case RungState::not_applicable:
      return "not-applicable";
  }
  return {};
}

std::string_view text(CheckState value) {
  switch (value) {
    case CheckState::sound:
      return "sound";
    case CheckState::found:
      return "found";
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

const RungResult* Ladder::first_broken() const {
  const auto found = std::ranges::find(rungs, RungState::broken, &RungResult::state);
  return found == rungs.end() ? nullptr : &*found;
}

}  // namespace envdoctor

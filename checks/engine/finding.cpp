#include "checks/engine/finding.h"

#include <algorithm>

namespace envdoctor {
namespace {

// The names of an enum's values, in its order.
template <class Enum>
std::string_view name(Enum value, std::initializer_list<std::string_view> names) {
  return std::data(names)[static_cast<std::size_t>(value)];
}

}  // namespace

std::string_view text(Severity value) { return name(value, {"info", "warning", "error"}); }
std::string_view text(Confidence value) { return name(value, {"possible", "likely", "certain"}); }
std::string_view text(LayerState value) { return name(value, {"ok", "broken", "unknown", "not-applicable"}); }
std::string_view text(CheckState value) { return name(value, {"not-applicable", "passed", "unknown", "failed"}); }
std::string_view text(Verdict value) { return name(value, {"pass", "warn", "fail", "incomplete"}); }
std::string_view text(Layer value) {
  return name(value, {"hardware", "kernel-driver", "device-node", "user-driver", "visibility", "runtime", "framework",
                      "compute", "use"});
}

const LayerResult* GpuStack::first(LayerState state) const {
  const auto found = std::ranges::find(layers, state, &LayerResult::state);
  return found == layers.end() ? nullptr : &*found;
}

}  // namespace envdoctor

// hashcat -I: the devices of each interface that hashcat can use. Before version 6 it writes "  Type           : CPU",
// later "  Type...........: CPU".
#include <optional>

#include "knowledge/lower_case.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"

namespace envdoctor {
namespace {

struct Property {
  std::string name{};  // in small letters
  std::string_view value{};
};

std::optional<Property> property_of(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view name = trimmed(line.substr(0, colon));
  while (name.ends_with('.')) name.remove_suffix(1);
  return Property{lower_case(trimmed(name)), trimmed(line.substr(colon + 1))};
}

class Reader {
 public:
  void line(std::string_view line) {
    const std::string_view text = trimmed(line);
    if (text.ends_with(" Info:")) {
      in_opencl_ = text == "OpenCL Info:";
      opencl_listed_ = opencl_listed_ || in_opencl_;
      return;
    }
    if (!in_opencl_) return;
    const bool platform = contains(text, "Platform ID #"), device = contains(text, "Device ID #");
    if (platform) platforms_.emplace_back();
    if (platforms_.empty()) return;
    if (device) platforms_.back().devices.fill().emplace_back();
    if (const auto property = property_of(text); property && !platform && !device) take(*property);
  }

  Snapshot finish() {
    Snapshot snapshot;
    // A text may end behind the heading.
    if (!opencl_listed_ || platforms_.empty()) return snapshot;
    snapshot.opencl.fill().platforms = std::move(platforms_);
    return snapshot;
  }

 private:
  void take(const Property& property) {
    OpenclPlatform& platform = platforms_.back();
    const std::string value(property.value);
    if (!platform.devices.get()) {
      if (property.name == "vendor") platform.vendor = value;
      if (property.name == "name") platform.name = value;
      if (property.name == "version") platform.version = value;
      return;
    }
    OpenclDevice& device = platform.devices.get()->back();
    if (property.name == "name") device.name = value;
    if (property.name == "type") device.type = lower_case(value);
    if (property.name == "driver version" || property.name == "driver.version") device.driver_version = value;
  }

  std::vector<OpenclPlatform> platforms_{};
  bool in_opencl_ = false, opencl_listed_ = false;
};

}  // namespace

bool starts_hashcat_devices(std::string_view line) {
  return line == "OpenCL Info:" || line == "CUDA Info:" || line == "HIP Info:";
}

Snapshot parse_hashcat_devices(const std::string& text) {
  Reader reader;
  for (const std::string_view line : lines_of(text)) reader.line(line);
  return reader.finish();
}

}  // namespace envdoctor

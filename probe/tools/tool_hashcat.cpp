// hashcat -I: the platforms and devices of OpenCL that hashcat can use. Before version 6 it writes "  Type           :
// CPU", later "  Type...........: CPU". At each start it lists them shorter: "OpenCL API (OpenCL 3.0 …) - Platform #1
// [The pocl project]", and below "* Device #1: pthread-Intel(R) Xeon(R) …, 2910/5885 MB, 6MCU".
#include <algorithm>

#include "knowledge/lower_case.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"

namespace envdoctor {
namespace {

// "driver version", of "Driver Version : 1.8" and "Driver.Version.: 1.8".
std::string name_of(std::string_view key) {
  while (key.ends_with('.')) key.remove_suffix(1);
  std::string name = lower_case(key);
  std::ranges::replace(name, '.', ' ');
  return name;
}

class HashcatReader {
 public:
  void line(std::string_view line) {
    const std::string_view text = trimmed(line);
    if (text.ends_with(" Info:")) of_another_ = text != heading;
    if (contains(text, " API (")) of_another_ = !text.starts_with(short_heading);
    if (of_another_) return;
    if (text.starts_with(short_heading)) {
      const std::size_t name = text.find('[');
      platforms_.emplace_back();
      if (name != text.npos) platforms_.back().name = std::string(text.substr(name + 1, text.find(']') - name - 1));
      return;
    }
    if (text.starts_with("* Device #") && contains(text, "MCU") && !platforms_.empty()) return add_device(text);
    if (contains(text, "Platform ID #")) {
      platforms_.emplace_back();
    } else if (contains(text, "Device ID #")) {
      if (!platforms_.empty()) platforms_.back().devices.fill().emplace_back();
    } else if (!platforms_.empty()) {
      const auto [key, value] = key_value(text);
      take(name_of(key), std::string(value));
    }
  }

  Snapshot finish() {
    Snapshot snapshot;
    if (!platforms_.empty()) snapshot.opencl.fill().platforms = std::move(platforms_);
    return snapshot;
  }

  static constexpr std::string_view heading = "OpenCL Info:", short_heading = "OpenCL API (";

 private:
  void add_device(std::string_view text) {
    const std::string_view name = key_value(text).value.substr(0, key_value(text).value.find(','));
    const bool cpu = name.starts_with("cpu") || name.starts_with("pthread") || contains(name, "CPU") ||
                     contains(name, "Xeon") || contains(name, "Core(TM)") || contains(name, "Processor");
    OpenclDevice& device = platforms_.back().devices.fill().emplace_back();
    device.name = std::string(name);
    device.type = cpu ? "cpu" : "gpu";
  }

  void take(const std::string& name, const std::string& value) {
    OpenclPlatform& platform = platforms_.back();
    if (!platform.devices.get()) {
      if (name == "vendor") platform.vendor = value;
      if (name == "name") platform.name = value;
      if (name == "version") platform.version = value;
      return;
    }
    OpenclDevice& device = platform.devices.get()->back();
    if (name == "name") device.name = value;
    if (name == "type") device.type = lower_case(value);
    if (name == "driver version") device.driver_version = value;
  }

  std::vector<OpenclPlatform> platforms_{};
  bool of_another_ = false;  // the devices of another interface follow
};

}  // namespace

bool starts_hashcat_devices(std::string_view line) {
  return line == HashcatReader::heading || line.starts_with(HashcatReader::short_heading);
}

Snapshot parse_hashcat_devices(const std::string& text) {
  HashcatReader reader;
  for (const std::string_view line : lines_of(text)) reader.line(line);
  return reader.finish();
}

}  // namespace envdoctor

// clinfo, clinfo -l and clinfo --raw, and similar output of other programs: "Platform name: …", "Name: …", "Type: CPU".

#include <re2/re2.h>

#include <algorithm>

#include "knowledge/lazy_regex.h"
#include "knowledge/lower_case.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"
#include "probe/tools/tool_symptom.h"

namespace envdoctor {
namespace {

// clinfo --raw marks a line with its platform's suffix and its device's number, "[AMD/0]".
std::string_view without_mark(std::string_view line) {
  const std::size_t end = line.starts_with("[") ? line.substr(0, 64).find(']') : std::string_view::npos;
  return end == std::string_view::npos ? line : line.substr(end + 1);
}

// A property of clinfo's two columns: its name, blanks, its value.
std::optional<std::string_view> property(std::string_view line, std::string_view name) {
  const auto rest = after(line, name);
  const std::size_t end = line.find(name) + name.size();
  if (!rest || (end < line.size() && line[end] != ' ' && line[end] != ':' && line[end] != '\t')) return std::nullopt;
  return trimmed(rest->starts_with(":") ? rest->substr(1) : *rest);
}

std::optional<std::string_view> either(std::string_view line, std::string_view name, std::string_view raw) {
  const auto value = property(line, name);
  return value ? value : property(line, raw);
}

std::string type_of(std::string_view value) {
  for (const char* type : {"gpu", "cpu", "accelerator", "custom"})
    if (contains(lower_case(value), type)) return type;
  return {};
}

// "  Platform Name                                   Portable Computing Language"
bool starts_cut_out(std::string_view line) { return trimmed(line).starts_with("Platform Name    "); }

class Reader {
 public:
  void line(std::string_view line) {
    line = without_mark(line);
    if (const std::size_t row = row_++; !cut_out_ && starts_cut_out(line)) {
      cut_out_ = true;
      first_row_ = row;
      first_line_ = line;
    }
    if (const auto platforms = property(line, "Number of OpenCL platforms")) {
      plain_ = true;
      announced_ = leading_number(*platforms).value_or(0) > 0;
    }
    if (plain_) return plain_line(line);
    if (const auto count = either(line, "Number of platforms", "#PLATFORMS")) {
      if (counted_) done_ = true;
      const auto number = leading_number(*count);
      counted_ = counted_ || number.has_value();
      announced_ = announced_ || number.value_or(0) > 0;
    }
    if (done_) return;
    if (line.starts_with("NULL platform behavior")) done_ = true;
    if (const auto short_platform = after(line, "Platform #")) {
      platform(after_colon(*short_platform));
    } else if (const auto name = either(line, "Platform Name", "CL_PLATFORM_NAME")) {
      // Named once in the list of platforms and again above its devices.
      const auto known =
          std::ranges::find_if(platforms_, [&](const OpenclPlatform& one) { return one.name.is(std::string(*name)); });
      if (known == platforms_.end())
        platform(*name);
      else
        current_ = known - platforms_.begin();
    } else if (platforms_.empty() || current_ >= static_cast<std::ptrdiff_t>(platforms_.size())) {
      return;
    } else if (const auto vendor = either(line, "Platform Vendor", "CL_PLATFORM_VENDOR")) {
      now().vendor = std::string(*vendor);
    } else if (const auto version = either(line, "Platform Version", "CL_PLATFORM_VERSION")) {
      now().version = std::string(*version);
    } else if (const auto devices = either(line, "Number of devices", "#DEVICES")) {
      if (leading_number(*devices) == 0) now().devices.fill();
    } else if (const std::size_t at = line.find("-- Device #"); at != std::string_view::npos) {
      device(after_colon(line.substr(at + 11)));
      type_by_name();
    } else if (const auto device_name = either(line, "Device Name", "CL_DEVICE_NAME")) {
      device(*device_name);
    } else if (const auto type = either(line, "Device Type", "CL_DEVICE_TYPE")) {
      device_type(*type);
    } else if (const auto driver = either(line, "Driver Version", "CL_DRIVER_VERSION")) {
      if (auto* known = now().devices.get(); known && !known->empty())
        known->back().driver_version = std::string(*driver);
    }
  }

  Snapshot take() {
    Snapshot snapshot;
    if (!counted_ && cut_out_) return note_processors();
    // A text that ends after the count doesn't show the platforms.
    if (platforms_.empty() && (!counted_ || announced_)) return snapshot;
    snapshot.opencl.fill().platforms = std::move(platforms_);
    return snapshot;
  }

 private:
  // Without the count the text may omit platforms: the devices are listed, but the list of platforms is not filled.
  Snapshot note_processors() const {
    Snapshot snapshot;
    std::size_t processors = 0;
    for (const OpenclPlatform& platform : platforms_) {
      for (const OpenclDevice& one : platform.devices.or_empty()) {
        if (!one.type.is("cpu")) return snapshot;
        ++processors;
      }
    }
    if (processors > 0) add_symptom(snapshot, {SymptomClass::noted, "opencl-processors"}, first_row_, first_line_);
    return snapshot;
  }
  // Devices follow "Device #…", with one line per property.
  void plain_line(std::string_view line) {
    const auto [key, value] = key_value(trimmed(line));
    const std::string name = lower_case(key);
    if (name == "number of opencl platforms") counted_ = true;
    if (name == "platform name" || name.starts_with("platform #")) platform(value);
    if (platforms_.empty()) return;
    if (name == "platform vendor") now().vendor = std::string(value);
    if (name == "name" || name == "device name") device(value);
    if (name == "type" || name == "device type") device_type(value);
  }
  static std::string_view after_colon(std::string_view text) { return key_value(text).value; }
  OpenclPlatform& now() { return platforms_[static_cast<std::size_t>(current_)]; }
  void platform(std::string_view name) {
    if (name.empty()) return;
    current_ = static_cast<std::ptrdiff_t>(platforms_.size());
    platforms_.push_back({.name = std::string(name)});
  }
  // AMD's old clinfo begins a device with its type, as "CL_DEVICE_TYPE_CPU", and prints its name later, if at all.
  void device_type(std::string_view value) {
    const std::string kind = type_of(value);
    if (kind.empty()) return;
    const auto* all = now().devices.get();
    if (value.starts_with("CL_DEVICE_TYPE") && (!all || all->empty() || all->back().type.get()))
      now().devices.fill().emplace_back();
    if (auto* known = now().devices.get(); known && !known->empty()) known->back().type = kind;
  }
  // 'clinfo -l' prints names alone, of which some tell the type.
  void type_by_name() {
    static const LazyRegex processor(R"(.*\bCPU\b.*|.*Xeon.*|.*Ryzen.*|.*EPYC.*|cpu-.*)", RE2::Latin1),
        emulator("(?i).*fpga emulation.*", RE2::Latin1);
    auto* all = now().devices.get();
    if (!all || all->empty()) return;
    OpenclDevice& one = all->back();
    if (RE2::FullMatch(one.name.or_empty(), emulator)) one.type = "accelerator";
    if (RE2::FullMatch(one.name.or_empty(), processor)) one.type = "cpu";
  }
  void device(std::string_view name) {
    if (!name.empty()) now().devices.fill().push_back({.name = std::string(name)});
  }

  std::vector<OpenclPlatform> platforms_{};
  std::ptrdiff_t current_ = 0;
  bool counted_ = false;
  bool announced_ = false;  // that there are platforms
  bool plain_ = false;      // another program's listing
  bool done_ = false;
  bool cut_out_ = false;  // an excerpt of clinfo's two columns
  std::size_t row_ = 0, first_row_ = 0;
  std::string first_line_{};
};

}  // namespace

bool starts_clinfo(std::string_view line) {
  return line.starts_with("Number of platforms") || line.starts_with("Number of OpenCL platforms:") ||
         line.starts_with("#PLATFORMS ") || line.starts_with("Platform #0: ") || starts_cut_out(line);
}

Snapshot parse_clinfo(const std::string& text) {
  Reader reader;
  for (const auto line : lines_of(text)) reader.line(line);
  return reader.take();
}

}  // namespace envdoctor

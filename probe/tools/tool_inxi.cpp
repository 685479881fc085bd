// inxi -G and -F: each device of its section Graphics, with the driver that holds it. Its lines are wrapped anywhere
// between two fields.
#include <re2/re2.h>

#include <algorithm>

#include "knowledge/lazy_regex.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"
#include "probe/tools/tool_symptom.h"

namespace envdoctor {
namespace {

// The devices of the section Graphics, each with its wrapped lines joined.
std::vector<std::string> shown_devices(const std::string& text) {
  std::vector<std::string> devices;
  bool graphics = false, device = false;
  for (const std::string_view line : lines_of(text)) {
    std::string_view words = trimmed(line.substr(0, 400));
    if (words.starts_with("Graphics:")) graphics = true, words = trimmed(words.substr(9));
    // Another section, or the end of the output.
    else if (!line.empty() && line[0] != ' ')
      graphics = false;
    if (!graphics || words.empty()) continue;
    const std::string_view key = words.substr(0, words.find(':'));
    const bool begins = key.starts_with("Device-") || key == "Card" || key.starts_with("Card-");
    if (begins && devices.size() < 16) devices.emplace_back();
    // "Display:", "OpenGL:" and "API:" end a device; its own wrapped lines begin with small letters.
    if (begins || key.starts_with("Display") || key == "OpenGL" || key == "API" || key == "Monitor-1") device = begins;
    if (device && !devices.empty()) devices.back() += std::string(words) + ' ';
  }
  return devices;
}

std::string vendor_of_words(std::string_view words) {
  for (const auto& [name, id] : {std::pair("NVIDIA", "10de"), std::pair("Advanced Micro", "1002"),
                                 std::pair("AMD", "1002"), std::pair("Intel", "8086")})
    if (words.starts_with(name)) return id;
  return {};
}

}  // namespace

bool starts_inxi(std::string_view line) { return trimmed(line).starts_with("Graphics:"); }

Snapshot parse_inxi(const std::string& text) {
  static const LazyRegex form(R"re((?:Device-\d|Card(?:-\d)?): (.*?)(?: vendor: .*?)? driver: (\S+).*)re", RE2::Latin1);
  static const LazyRegex place(R"(bus[ -]ID: ([0-9a-f:]{2,8}\.[0-7])\b)", RE2::Latin1),
      chip(R"(chip-ID: ([0-9a-f]{4}):([0-9a-f]{4})\b)", RE2::Latin1);
  static const LazyRegex of_nvidia(R"( driver: nvidia v: (\d{3}\.\d{2,3}(?:\.\d{2})?) )", RE2::Latin1);
  std::vector<PciDevice> devices;
  Snapshot snapshot;
  for (const std::string& shown : shown_devices(text)) {
    std::string name, driver, address, vendor, number, version;
    if (!RE2::FullMatch(shown, form, &name, &driver)) continue;
    PciDevice device{.class_ = "0300", .name = name};
    device.vendor_id = vendor_of_words(name);
    if (RE2::PartialMatch(shown, chip, &vendor, &number)) device.vendor_id = vendor, device.device_id = number;
    // Cameras are devices of this section as well.
    if (device.vendor_id.or_empty().empty() || contains(shown, "type: USB")) continue;
    if (RE2::PartialMatch(shown, place, &address)) device.address = address;
    while (driver.ends_with(",")) driver.pop_back();
    device.driver = driver == "N/A" ? Text(absent("N/A")) : Text(driver);
    if (driver == "nvidia" && RE2::PartialMatch(shown, of_nvidia, &version))
      snapshot.nvidia.fill().kernel_driver_version = version;
    devices.push_back(std::move(device));
  }
  // X tries each of its drivers; that of the kernel is bound, so the one for the display alone is another.
  const bool bound = std::ranges::any_of(devices, [](const PciDevice& device) { return device.driver.is("nvidia"); });
  std::size_t row = 0;
  for (const std::string_view line : lines_of(text)) {
    if (bound && line.size() < 400 && contains(line, "Display:") && contains(line, " FAILED: nvidia"))
      add_symptom(snapshot, {SymptomClass::harmless, "a driver of the display server"}, row, line);
    ++row;
  }
  if (!devices.empty()) snapshot.pci = std::move(devices);
  return snapshot;
}

}  // namespace envdoctor

// vulkaninfo --summary and lshw -c video: which display devices there are, and whether only the CPU renders.
#include <re2/re2.h>

#include <algorithm>

#include "knowledge/lazy_regex.h"
#include "probe/gpu/lspci.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"
#include "probe/text_piece.h"
#include "probe/tools/tool_symptom.h"

namespace envdoctor {

bool starts_vulkan(std::string_view line) { return contains(line, "PHYSICAL_DEVICE_TYPE_"); }

Snapshot parse_vulkan(const std::string& text) {
  using enum SymptomClass;
  Snapshot snapshot;
  bool gpu = false;
  std::size_t row = 0, cpu_row = 0;
  std::string_view cpu;
  for (const std::string_view line : lines_of(text)) {
    const std::size_t at = row++;
    if (!contains(line, "deviceType")) continue;
    if (contains(line, "TYPE_CPU") && cpu.empty()) cpu = line, cpu_row = at;
    gpu = gpu || contains(line, "_GPU");
  }
  if (!cpu.empty() && !gpu) add_symptom(snapshot, {missing, "vulkan-gpu"}, cpu_row, cpu);
  return snapshot;
}

bool starts_lshw(std::string_view line) { return trimmed(line).starts_with("*-display"); }

// One block per display device: "product: SVGA II Adapter", "vendor: VMware", "bus info: pci@0000:00:0f.0",
// "configuration: driver=vmwgfx latency=64".
Snapshot parse_lshw(const std::string& text) {
  static const LazyRegex ids(R"(.*\[([0-9A-Fa-f]{4}):([0-9A-Fa-f]{4})\].*)", RE2::Latin1);
  static const LazyRegex driver(R"(.*\bdriver=(\S+).*)", RE2::Latin1);
  std::vector<PciDevice> devices;
  bool inside = false;
  for (const std::string_view line : lines_of(text)) {
    const std::string_view words = trimmed(line.substr(0, 500));
    if (words.starts_with("*-")) {
      inside = words.starts_with("*-display") && devices.size() < 64;
      if (inside) devices.push_back({.class_ = "0300"});
      // "UNCLAIMED": no driver is bound.
      if (inside && contains(words, "UNCLAIMED")) devices.back().driver = absent("UNCLAIMED");
      continue;
    }
    if (!inside) continue;
    PciDevice& device = devices.back();
    std::string vendor, number;
    if (const auto product = after(words, "product: ")) device.name = std::string(*product);
    if (const auto maker = after(words, "vendor: ")) {
      device.vendor = std::string(*maker);
      for (const auto& [name, id] :
           {std::pair("NVIDIA", "10de"), std::pair("Advanced Micro", "1002"), std::pair("Intel", "8086"),
            std::pair("VMware", "15ad"), std::pair("ASPEED", "1a03"), std::pair("Matrox", "102b"),
            std::pair("Red Hat", "1b36"), std::pair("Cirrus", "1013")})
        if (contains(*maker, name)) device.vendor_id = id;
    }
    if (RE2::FullMatch(piece_of(words), ids, &vendor, &number)) {
      for (std::string* id : {&vendor, &number}) std::ranges::transform(*id, id->begin(), ::tolower);
      device.vendor_id = vendor;
      device.device_id = number;
    }
    if (const auto place = after(words, "bus info: pci@")) device.address = std::string(*place);
    if (words.starts_with("configuration:") && RE2::FullMatch(piece_of(words), driver, &number)) device.driver = number;
    if (line.empty()) inside = false;
  }
  std::erase_if(devices, [](const PciDevice& one) { return !one.vendor_id.get() || !one.address.get(); });
  Snapshot snapshot;
  if (!devices.empty()) snapshot.pci = std::move(devices);
  return snapshot;
}

// "Name : Microsoft Basic Display Adapter" and "PNPDeviceID : PCI\VEN_10DE&…" in one block of PowerShell's lists:
// Windows' own driver, which it takes where the vendor's is missing.
bool starts_adapter_list(std::string_view line) {
  return contains(line, " : Microsoft Basic Display Adapter") || contains(line, " : PCI\\VEN_");
}

Snapshot parse_adapter_list(const std::string& text) {
  using enum SymptomClass;
  Snapshot snapshot;
  std::size_t row = 0, basic_row = 0;
  std::string_view basic;
  bool gpu = false;
  for (const std::string_view line : lines_of(text)) {
    const std::size_t at = row++;
    if (trimmed(line).empty()) basic = {}, gpu = false;
    if (line.ends_with(" : Microsoft Basic Display Adapter")) basic = line, basic_row = at;
    for (const char* vendor : {" : PCI\\VEN_10DE", " : PCI\\VEN_1002", " : PCI\\VEN_8086"})
      gpu = gpu || contains(line, vendor);
    if (basic.empty() || !gpu) continue;
    add_symptom(snapshot, {missing, "driver-package"}, basic_row, basic);
    basic = {}, gpu = false;
  }
  return snapshot;
}

}  // namespace envdoctor

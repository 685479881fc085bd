#include "probe/pci_bus.h"

#include <fmt/format.h>

#include <algorithm>
#include <csetjmp>
#include <cstdarg>
#include <cstdio>

#include "probe/text.h"
extern "C" {
#include <pci/pci.h>
}

namespace envdoctor {
namespace {

constexpr const char* bus = "/sys/bus/pci";

bool is_wanted(unsigned class_code) { return class_code >> 8 == 0x03 || class_code >> 8 == 0x12; }

PciDevice row(std::string address, unsigned vendor, unsigned device, unsigned class_code) {
  return {.address = std::move(address),
          .vendor_id = fmt::format("{:04x}", vendor & 0xffff),
          .device_id = fmt::format("{:04x}", device & 0xffff),
          .class_ = fmt::format("{:04x}", class_code & 0xffff)};
}

// libpci ends the process on an error unless its hook never returns: it leaves by longjmp, over C frames only.
std::jmp_buf escape;
char complaint[256];  // NOLINT: written by the hook, which has no other way to hand it on

__attribute__((noreturn)) void give_up(char* format, ...) {
  std::va_list args;
  va_start(args, format);
  std::vsnprintf(complaint, sizeof complaint, format, args);
  va_end(args);
  std::longjmp(escape, 1);  // NOLINT(cert-err52-cpp)
}

void ignore(char*, ...) {}

// Holds nothing that needs a destructor, since give_up() may leave it at any call.
bool scan(pci_access* access) {
  if (setjmp(escape) != 0) return false;  // NOLINT(cert-err52-cpp)
  pci_init(access);
  pci_scan_bus(access);
  for (pci_dev* device = access->devices; device; device = device->next)
    pci_fill_info(device, PCI_FILL_IDENT | PCI_FILL_CLASS);
  return true;
}

List<PciDevice> scanned_by_libpci(const std::string& root) {
  pci_access* access = pci_alloc();
  access->error = give_up;
  access->warning = ignore;
  access->debug = ignore;
  access->method = PCI_ACCESS_SYS_BUS_PCI;
  std::string path = (root == "/" ? "" : root) + bus;
  char name[] = "sysfs.path";
  pci_set_param(access, name, path.data());
  if (!scan(access)) return failed(fmt::format("libpci: {}", complaint));  // `access` may be half built: left alone
  std::vector<PciDevice> found;
  for (const pci_dev* at = access->devices; at; at = at->next) {
    if (!is_wanted(at->device_class)) continue;
    found.push_back(row(fmt::format("{:04x}:{:02x}:{:02x}.{}", at->domain, at->bus, at->dev, at->func),
                        static_cast<unsigned>(at->vendor_id), static_cast<unsigned>(at->device_id), at->device_class));
  }
  pci_cleanup(access);
  return found;
}

void sort_by_address(List<PciDevice>& devices) {
  if (auto* list = devices.get())
    std::ranges::sort(*list, {}, [](const PciDevice& device) { return *device.address.get(); });
}

}  // namespace

List<PciDevice> gpus_in_sysfs(const Files& files) {
  const auto names = files.list(std::string(bus) + "/devices");
  return names.then([&](const std::vector<std::string>& addresses) -> List<PciDevice> {
    std::vector<PciDevice> found;
    for (const std::string& address : addresses) {
      const std::string folder = fmt::format("{}/devices/{}/", bus, address);
      const auto code = read_number(files, folder + "class");  // 0xCCSSPP: class, subclass, programming interface
      if (!code.get()) {
        if (code.outcome() == Outcome::absent) continue;  // unplugged since it was listed
        return code.missing();
      }
      const auto class_code = static_cast<unsigned>(*code.get() >> 8);
      if (!is_wanted(class_code)) continue;
      const auto vendor = read_number(files, folder + "vendor");
      const auto device = read_number(files, folder + "device");
      if (!vendor.get()) return vendor.missing();
      if (!device.get()) return device.missing();
      found.push_back(
          row(address, static_cast<unsigned>(*vendor.get()), static_cast<unsigned>(*device.get()), class_code));
    }
    return found;
  });
}

List<PciDevice> gpus_on_bus(const Files& files) {
  const auto names = files.list(std::string(bus) + "/devices");
  if (names.outcome() == Outcome::absent) return absent("this host shows no PCI bus: no /sys/bus/pci/devices");
  if (!names.get()) return names.missing();
  if (names.get()->empty()) return std::vector<PciDevice>{};
  List<PciDevice> devices = scanned_by_libpci(files.root());
  if (!devices.get()) devices = gpus_in_sysfs(files);
  sort_by_address(devices);
  return devices;
}

}  // namespace envdoctor

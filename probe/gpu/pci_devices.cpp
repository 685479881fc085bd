#include "probe/gpu/pci_devices.h"

#include <fmt/format.h>

#include <csetjmp>
#include <cstdarg>
#include <cstdio>

extern "C" {
#include <pci/pci.h>
}

#include "host/text.h"
#include "knowledge/gpus/gpu_models.h"
#include "probe/probes.h"

namespace envdoctor {

// The list is searched as text: libpci's own look-up first reads all of it into a table, which takes 8 ms.
PciNames pci_names(std::string_view ids, std::string_view vendor, std::string_view device) {
  PciNames names{.vendor = absent("not in pci.ids"), .device = absent("not in pci.ids")};
  const std::string vendor_key = "\n" + std::string(vendor) + "  ";
  const auto at = ids.find(vendor_key);
  if (vendor.size() != 4 || device.size() != 4 || at == std::string_view::npos) return names;
  // A vendor's devices follow it, one tab in; subsystems two tabs in; the next line without a tab ends them.
  std::string_view rest = ids.substr(at + vendor_key.size());
  names.vendor = std::string(trimmed(rest.substr(0, rest.find('\n'))));
  const std::string device_key = "\t" + std::string(device) + "  ";
  for (auto end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
    rest.remove_prefix(end + 1);
    if (rest.starts_with(device_key)) {
      names.device = std::string(trimmed(rest.substr(device_key.size(), rest.find('\n') - device_key.size())));
      break;
    }
    if (!rest.starts_with('\t') && !rest.starts_with('#') && !rest.starts_with('\n')) break;
  }
  return names;
}

namespace {

constexpr std::uint64_t memory_flag = 0x200;  // IORESOURCE_MEM, linux/ioport.h
constexpr std::uint64_t bytes_per_mib = 1 << 20;
constexpr std::size_t bars = 6;  // the lines after these are the ROM, SR-IOV and bridge windows

Missing no_file(const Missing& missing, const char* why) {
  return missing.outcome == Outcome::absent ? absent(why) : missing;
}

// The last part of a link's target: a driver's name, another device's address.
Text linked_name(const Files& files, const std::string& path, const char* why_absent) {
  const auto target = files.link(path);
  return target.get() ? Text(std::string(base_name(*target.get()))) : no_file(target.missing(), why_absent);
}

Reading<PciLink> link_of(const Files& files, const std::string& folder) {
  const auto read = [&](const char* name) { return read_line(files, folder + name); };
  const auto width = read("current_link_width");
  if (width.outcome() == Outcome::absent) return absent("the kernel shows no PCI Express link for this device");
  if (width.outcome() == Outcome::failed) return width.missing();
  return PciLink{.speed_gtps = read("current_link_speed").then(link_speed),
                 .width = width.then(link_width),
                 .max_speed_gtps = read("max_link_speed").then(link_speed),
                 .max_width = read("max_link_width").then(link_width)};
}

Number numa_node_of(const Files& files, const std::string& folder) {
  const auto node = read_number(files, folder + "numa_node");
  if (!node.get()) return no_file(node.missing(), "this kernel has no NUMA nodes");
  if (*node.get() < 0) return absent("the firmware names no NUMA node");
  return node;
}

}  // namespace

Real link_speed(std::string_view text) {
  const auto words = words_of(text);
  if (words.empty()) return failed("an empty link speed");
  if (words[0] == "Unknown") return absent("the kernel doesn't know the link's speed");
  const auto speed = number_of<double>(words[0]);
  if (!speed || !(*speed > 0 && *speed <= 1024)) return failed("not a link speed: " + std::string(text.substr(0, 40)));
  return *speed;
}

Number link_width(std::string_view text) {
  const auto width = number_of(text);
  if (!width) return failed("not a link width: " + std::string(text.substr(0, 40)));
  // The kernel writes 0 and 255 for an unknown width; no link has more than 32 lanes.
  if (*width < 1 || *width > 32) return absent("the kernel doesn't know the link's width");
  return *width;
}

List<std::int64_t> bar_sizes_mib(std::string_view resource) {
  std::vector<std::int64_t> sizes;
  const auto lines = lines_of(resource);
  for (std::size_t i = 0; i < std::min(lines.size(), bars); ++i) {
    const auto words = words_of(lines[i]);
    if (words.size() != 3) return failed("resource, line " + std::to_string(i + 1) + ": not a start, an end and flags");
    const auto start = number_of<std::uint64_t>(words[0], 16);
    const auto end = number_of<std::uint64_t>(words[1], 16);
    const auto flags = number_of<std::uint64_t>(words[2], 16);
    if (!start || !end || !flags)
      return failed("resource, line " + std::to_string(i + 1) + ": not hexadecimal numbers");
    if (!(*flags & memory_flag) || *end <= *start) continue;
    const std::uint64_t size = *end - *start + 1;
    if (size >= bytes_per_mib) sizes.push_back(static_cast<std::int64_t>(size / bytes_per_mib));
  }
  return sizes;
}

void read_details(const Files& files, PciDevice& device) {
  const std::string folder = "/sys/bus/pci/devices/" + *device.address.get() + "/";
  device.driver = linked_name(files, folder + "driver", "no driver is bound");
  device.numa_node = numa_node_of(files, folder);
  device.link = link_of(files, folder);
  device.bars_mib = files.read(folder + "resource").then(bar_sizes_mib);
  device.physical_function = linked_name(files, folder + "physfn", "not a virtual function");
  device.virtual_functions = read_number(files, folder + "sriov_numvfs");
  if (device.virtual_functions.outcome() == Outcome::absent)
    device.virtual_functions = absent("the device offers no virtual functions");
}

namespace {

constexpr const char* bus_folder = "/sys/bus/pci";

bool is_wanted(unsigned class_code) { return class_code >> 8 == 0x03 || class_code >> 8 == 0x12; }

PciDevice row(std::string address, unsigned vendor, unsigned device, unsigned class_code) {
  return {.address = std::move(address),
          .vendor_id = fmt::format("{:04x}", vendor & 0xffff),
          .device_id = fmt::format("{:04x}", device & 0xffff),
          .class_ = fmt::format("{:04x}", class_code & 0xffff)};
}

// libpci ends the process on an error unless its hook never returns: it leaves by longjmp, over C frames only.
std::jmp_buf escape;
char complaint[256];  // NOLINT: written by the hook, which has no other way to pass it on

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
  std::string path = (root == "/" ? "" : root) + bus_folder;
  char name[] = "sysfs.path";
  pci_set_param(access, name, path.data());
  if (!scan(access))
    return failed(fmt::format("libpci: {}", complaint));  // `access` may be half built, so it is not freed
  std::vector<PciDevice> found;
  for (const pci_dev* at = access->devices; at; at = at->next) {
    if (!is_wanted(at->device_class)) continue;
    found.push_back(row(fmt::format("{:04x}:{:02x}:{:02x}.{}", at->domain, at->bus, at->dev, at->func),
                        static_cast<unsigned>(at->vendor_id), static_cast<unsigned>(at->device_id), at->device_class));
  }
  pci_cleanup(access);
  return found;
}

// The same without libpci.
List<PciDevice> gpus_in_sysfs(const Files& files, const std::vector<std::string>& addresses) {
  std::vector<PciDevice> found;
  for (const std::string& address : addresses) {
    const auto read = [&](const char* name) {
      return read_number(files, fmt::format("{}/devices/{}/{}", bus_folder, address, name));
    };
    const auto code = read("class");                  // 0xCCSSPP: class, subclass, programming interface
    if (code.outcome() == Outcome::absent) continue;  // unplugged since it was listed
    if (!code.get()) return code.missing();
    const auto class_code = static_cast<unsigned>(*code.get() >> 8);
    if (!is_wanted(class_code)) continue;
    const auto vendor = read("vendor"), device = read("device");
    if (!vendor.get()) return vendor.missing();
    if (!device.get()) return device.missing();
    found.push_back(
        row(address, static_cast<unsigned>(*vendor.get()), static_cast<unsigned>(*device.get()), class_code));
  }
  return found;
}

}  // namespace

List<PciDevice> gpus_on_bus(const Files& files) {
  const auto names = files.list(std::string(bus_folder) + "/devices");
  if (names.or_empty().empty() && names.outcome() != Outcome::failed) {
    // A sysfs that is not mounted, or masked, does not mean that the host has no PCI bus.
    if (files.list("/sys/bus").or_empty().empty()) return failed("/sys/bus is empty: sysfs is not mounted, or hidden");
    if (const auto known = files.read("/proc/bus/pci/devices"); !known.or_empty().empty())
      return failed("/sys/bus/pci shows no device, and /proc/bus/pci/devices does");
  }
  if (names.outcome() == Outcome::absent) return absent("this host shows no PCI bus: no /sys/bus/pci/devices");
  return names.then([&](const std::vector<std::string>& addresses) -> List<PciDevice> {
    if (addresses.empty()) return std::vector<PciDevice>{};
    List<PciDevice> devices = scanned_by_libpci(files.root());
    if (!devices.get()) devices = gpus_in_sysfs(files, addresses);
    if (auto* list = devices.get())
      std::ranges::sort(*list, {}, [](const PciDevice& device) { return *device.address.get(); });
    return devices;
  });
}

// GPUs on the PCI bus: independent of any driver.

namespace {

constexpr std::size_t ids_limit = 16 << 20;

Reading<std::string> system_ids(const Files& files) {
  for (const char* path : {"/usr/share/misc/pci.ids", "/usr/share/hwdata/pci.ids", "/usr/share/pci.ids"}) {
    auto text = files.read(path, ids_limit);
    if (text.get()) return text;
  }
  return absent("the host has no pci.ids, and this device isn't known here");
}

Text vendor_name(std::string_view id) {
  if (id == "10de") return std::string("NVIDIA Corporation");
  if (id == "1002") return std::string("Advanced Micro Devices, Inc. [AMD/ATI]");
  if (id == "8086") return std::string("Intel Corporation");
  return absent("not in the host's pci.ids");
}

void name(PciDevice& device, const Reading<std::string>& ids) {
  const std::string& vendor_id = *device.vendor_id.get();
  PciNames names{.vendor = ids.missing(), .device = ids.missing()};
  if (ids.get()) names = pci_names(*ids.get(), vendor_id, *device.device_id.get());
  device.vendor = names.vendor.get() ? names.vendor : vendor_name(vendor_id);
  device.name = names.device.get() ? names.device : model_name(device, names.device);
}

}  // namespace

Text model_name(const PciDevice& device, const Text& otherwise) {
  const auto model = knowledge::gpu_model(device.vendor_id.or_empty(), device.device_id.or_empty());
  if (!model || model->guessed || model->name.empty()) return otherwise;
  return model->chip.empty() ? model->name : fmt::format("{} [{}]", model->chip, model->name);
}

void probe_pci(Session& session) {
  const Files& files = session.host.files;
  Snapshot part;
  part.pci = gpus_on_bus(files);
  if (auto* devices = part.pci.get(); devices && !devices->empty()) {
    const auto ids = system_ids(files);
    for (PciDevice& device : *devices) {
      read_details(files, device);
      name(device, ids);
    }
  }
  session.add(part);
}

}  // namespace envdoctor

#include "probe/gpu/kfd.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "host/text.h"
#include "knowledge/gpus/gpu_models.h"

namespace envdoctor {
namespace {

constexpr const char* nodes_folder = "/sys/class/kfd/kfd/topology/nodes";

using Properties = std::map<std::string, std::uint64_t, std::less<>>;

Properties parse_properties(std::string_view text) {
  Properties values;
  for (const auto line : lines_of(text)) {
    const auto words = words_of(line);
    if (words.size() == 2) values.emplace(words[0], number_of<std::uint64_t>(words[1]).value_or(0));
  }
  return values;
}

std::uint64_t get(const Properties& properties, std::string_view name) {
  const auto found = properties.find(name);
  return found == properties.end() ? 0 : found->second;
}

std::string address(const Properties& properties, bool first_function) {
  const auto location = get(properties, "location_id");
  return fmt::format("{:04x}:{:02x}:{:02x}.{}", get(properties, "domain"), location >> 8 & 0xff, location >> 3 & 0x1f,
                     first_function ? 0 : location & 7);
}

Number memory_mib(const Files& files, const std::string& node) {
  constexpr std::uint64_t public_frame_buffer = 1, private_frame_buffer = 2;  // kfd_crat.h
  const auto banks = files.list(node + "/mem_banks");
  return banks.then([&](const std::vector<std::string>& names) -> Number {
    std::uint64_t bytes = 0;
    for (const std::string& name : names) {
      const auto text = files.read(node + "/mem_banks/" + name + "/properties");
      if (!text.get()) return text.missing();
      const Properties bank = parse_properties(*text.get());
      const auto heap = get(bank, "heap_type");
      if (heap == public_frame_buffer || heap == private_frame_buffer) bytes += get(bank, "size_in_bytes");
    }
    if (bytes == 0) return absent("no memory of its own");
    return static_cast<std::int64_t>(bytes >> 20);
  });
}

Text name_of(const Files& files, const Properties& properties, const std::string& node) {
  const auto product = read_line(
      files, fmt::format("/sys/class/drm/renderD{}/device/product_name", get(properties, "drm_render_minor")));
  if (product.get()) return product;
  const auto model = knowledge::gpu_model(fmt::format("{:04x}", get(properties, "vendor_id")),
                                          fmt::format("{:04x}", get(properties, "device_id")));
  if (model && !model->name.empty()) return model->name;
  const auto internal = read_line(files, node + "/name");
  if (internal.get() && !internal.is("ip discovery")) return internal;
  return absent("the kernel has no product name for it");
}

struct Node {
  std::string folder{};
  Properties properties{};
};

// The topology lists partitions of one GPU (MI300's CPX mode) with invented function numbers; the PCI bus has only
// function 0 of that slot. A function that the bus shows is a real one, such as a virtual function.
Text pci_address(const Files& files, const Node& node, const std::set<std::string>& all) {
  const std::string own = address(node.properties, false);
  const std::string first = address(node.properties, true);
  if (own == first || files.status("/sys/bus/pci/devices/" + own).get()) return own;
  return all.contains(first) ? first : own;
}

RocmDevice device(const Files& files, const Node& node, const std::set<std::string>& addresses, std::size_t index) {
  const auto render = get(node.properties, "drm_render_minor");
  const auto unique = get(node.properties, "unique_id");
  const bool has_render = render >= 128 && render < 1 << 20;
  return {.index = static_cast<std::int64_t>(index),
          .name = name_of(files, node.properties, node.folder),
          .gfx = gfx_name(static_cast<std::int64_t>(get(node.properties, "gfx_target_version"))),
          .pci_address = pci_address(files, node, addresses),
          .render_node = has_render ? Text(fmt::format("/dev/dri/renderD{}", render)) : absent("it has no render node"),
          .memory_total_mib = memory_mib(files, node.folder),
          .unique_id = unique ? Text(fmt::format("GPU-{:016x}", unique)) : absent("the GPU reports none")};
}

List<RocmDevice> gpu_nodes(const Files& files) {
  const auto names = files.list(nodes_folder);
  if (names.outcome() == Outcome::absent)
    return absent("this kernel has no AMD compute driver loaded: no /sys/class/kfd");
  if (!names.get()) return names.missing();
  std::vector<std::int64_t> numbers;
  for (const std::string& name : *names.get())
    if (const auto number = number_of(name)) numbers.push_back(*number);
  std::ranges::sort(numbers);
  std::vector<Node> nodes;
  std::set<std::string> addresses;
  Reading<std::string> withheld;
  for (const auto number : numbers) {
    Node node{.folder = fmt::format("{}/{}", nodes_folder, number)};
    const auto text = files.read(node.folder + "/properties");
    if (!text.get()) {
      withheld = text;  // the kernel refuses GPUs that the device control group doesn't grant
      continue;
    }
    node.properties = parse_properties(*text.get());
    if (get(node.properties, "simd_count") == 0) continue;  // a processor's node
    addresses.insert(address(node.properties, false));
    nodes.push_back(std::move(node));
  }
  if (nodes.empty() && withheld.outcome() == Outcome::failed) return withheld.missing();
  std::vector<RocmDevice> devices;
  for (const Node& node : nodes) devices.push_back(device(files, node, addresses, devices.size()));
  return devices;
}

Text rocm_version(const Files& files) {
  // Several installed: the last one by name, as /opt/rocm usually points to.
  std::vector<std::string> folders = files.list("/opt").or_empty();
  std::erase_if(folders, [](const std::string& name) { return !name.starts_with("rocm-"); });
  std::ranges::reverse(folders);
  folders.insert(folders.begin(), "rocm");
  for (const std::string& folder : folders) {
    const auto version = read_line(files, "/opt/" + folder + "/.info/version");
    if (version.get()) return version.get()->substr(0, version.get()->find('-'));  // "6.2.0-66": the build's number
    if (version.outcome() == Outcome::failed) return version;
  }
  return absent("no ROCm under /opt");
}

}  // namespace

Text gfx_name(std::int64_t gfx_target_version) {
  if (gfx_target_version <= 0) return absent("the kernel names no target");
  return fmt::format("gfx{}{:x}{:x}", gfx_target_version / 10000, gfx_target_version / 100 % 100,
                     gfx_target_version % 100);
}

Rocm read_kfd(const Files& files) {
  Rocm rocm;
  rocm.version = rocm_version(files);
  rocm.kernel_driver_version = read_line(files, "/sys/module/amdgpu/version");
  if (rocm.kernel_driver_version.outcome() == Outcome::absent)
    rocm.kernel_driver_version = absent("amdgpu isn't loaded, or is the kernel's own, which carries no version");
  rocm.devices = gpu_nodes(files);
  return rocm;
}

}  // namespace envdoctor

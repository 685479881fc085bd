// nvidia-smi -q -x. The library expands no custom entities, so a small text can't become a large one.
#include <pugixml.hpp>

#include "probe/paste/nvidia_fields.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"

namespace envdoctor {
namespace {

constexpr std::size_t most_xml_gpus = 1024;
constexpr int deepest = 8;  // no element of <gpu> is deeper

std::string_view child_text(const pugi::xml_node& node, const char* name) {
  return trimmed(node.child(name).text().get());
}

class XmlReader {
 public:
  Snapshot read(const pugi::xml_node& log) {
    Nvidia& nvidia = snapshot_.nvidia.fill();
    for (const char* tag : {"driver_version", "kmd_version"})
      if (const auto version = leading_version(child_text(log, tag)); !version.empty())
        nvidia.kernel_driver_version = version;
    for (const char* tag : {"cuda_version", "cuda_umd_version"})
      if (const auto version = leading_version(child_text(log, tag)); !version.empty())
        nvidia.cuda_driver_version = version;
    for (const pugi::xml_node gpu : log.children("gpu")) {
      auto& devices = nvidia.devices.fill();
      if (devices.size() >= most_xml_gpus) break;
      NvidiaDevice& device = devices.emplace_back();
      device.index = static_cast<std::int64_t>(devices.size()) - 1;
      if (const std::string_view address = gpu.attribute("id").value(); !address.empty())
        device.pci_address = std::string(address);
      std::string place;
      take(gpu, device, place, 0);
      processes(gpu, *device.index.get());
    }
    return std::move(snapshot_);
  }

 private:
  void take(const pugi::xml_node& node, NvidiaDevice& device, std::string& place, int depth) {
    for (const pugi::xml_node child : node.children()) {
      const std::string_view name = child.name();
      if (name.empty() || name == "processes" || depth > deepest) continue;
      const std::size_t length = place.size();
      place.append("/").append(name);
      if (name == "mig_device") device.mig_devices.fill().emplace_back();
      take(child, device, place, depth + 1);
      const std::string_view value = trimmed(child.text().get());
      if (place.starts_with("/mig_devices/mig_device/") && device.mig_devices.get())
        take_mig_field(device.mig_devices.get()->back(), place, value);
      else
        take_query_field(device, place, value);
      place.resize(length);
    }
  }

  void processes(const pugi::xml_node& gpu, std::int64_t index) {
    const pugi::xml_node list = gpu.child("processes");
    if (!list || child_text(gpu, "processes") == "N/A") return;
    auto& all = snapshot_.nvidia.fill().processes.fill();
    for (const pugi::xml_node row : list.children("process_info")) {
      NvidiaProcess& process = all.emplace_back();
      process.gpu = index;
      for (const pugi::xml_node field : row.children())
        take_process_field(process, "/" + std::string(field.name()), trimmed(field.text().get()));
    }
  }

  Snapshot snapshot_{};
};

}  // namespace

bool starts_nvidia_smi_xml(std::string_view line) { return contains(line, "<nvidia_smi_log"); }

Snapshot parse_nvidia_smi_xml(const std::string& text) {
  const std::size_t start = text.find("<nvidia_smi_log>");
  if (start == std::string::npos) return {};
  const std::string_view end_tag = "</nvidia_smi_log>";
  const std::size_t end = text.find(end_tag, start);
  pugi::xml_document document;
  // If the text is truncated or damaged, the tree holds the part before that.
  (void)document.load_buffer(text.data() + start,
                             end == std::string::npos ? text.size() - start : end + end_tag.size() - start,
                             pugi::parse_default, pugi::encoding_utf8);
  return XmlReader().read(document.child("nvidia_smi_log"));
}

}  // namespace envdoctor

// `envdoctor visible`: the devices that a program sees, as text and as JSON.
#include "reports/reports.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "evidence/lines.h"

namespace envdoctor {
namespace {

using Json = nlohmann::json;

std::string name_of(const std::string& stack) {
  static const std::map<std::string, const char*> names = {
      {"cuda", "CUDA"},     {"rocm", "HIP (ROCm)"},       {"level-zero", "Level Zero"}, {"sycl", "SYCL"},
      {"opencl", "OpenCL"}, {"tensorflow", "TensorFlow"}, {"torch", "PyTorch"},         {"jax", "JAX"}};
  return names.contains(stack) ? names.at(stack) : stack;
}

std::string device_text(const VisibleDevice& device) {
  const VisibleDevice unnamed{.uuid = device.uuid, .address = device.address};
  if (device.name.empty()) return describe(unnamed);
  if (device.uuid.empty()) return describe(device);
  return device.name + ", " + describe(unnamed);
}

std::string count_text(const VisibleList& list) {
  if (!list.unknown.empty()) return "unknown: " + list.unknown;
  const std::string count = list.devices.empty()
                                ? "no device"
                                : fmt::format("{} device{}", list.devices.size(), list.devices.size() == 1 ? "" : "s");
  const bool framework = list.stack == "tensorflow" || list.stack == "torch" || list.stack == "jax";
  return count + (!list.observed ? ", derived from the variables"
                  : framework    ? ", by its own answer"
                                 : ", as the runtime lists them");
}

Json write(const VisibleDevice& device) {
  Json json = Json::object();
  if (!device.name.empty()) json["name"] = device.name;
  if (!device.uuid.empty()) json["uuid"] = device.uuid;
  if (!device.address.empty()) json["pci_address"] = device.address;
  return json;
}

}  // namespace

std::string visible_text(const std::vector<VisibleList>& lists) {
  if (lists.empty()) return "No GPU and no GPU software found.\n";
  std::string out;
  for (const VisibleList& list : lists) {
    out += (out.empty() ? "" : "\n") + wrap("", name_of(list.stack) + ": " + count_text(list));
    for (const Filter& filter : list.filters) {
      const std::string setting = filter.value.empty() ? filter.name : filter.name + "=" + filter.value;
      out += wrap("  filter   ", setting + (filter.effect.empty() ? "" : "  " + filter.effect));
    }
    for (std::size_t i = 0; i < list.devices.size(); ++i)
      out += wrap(fmt::format("  {:<9}", i), device_text(list.devices[i]));
    for (const HiddenDevice& hidden : list.hidden)
      out += wrap("  hidden   ", device_text(hidden.device) + ": " + hidden.why);
    if (list.order_guessed)
      out += wrap("  ", "The order is a guess: CUDA lists the fastest GPU first, and CUDA was not queried.");
  }
  return out;
}

std::string visible_json(const std::vector<VisibleList>& lists) {
  Json stacks = Json::array();
  for (const VisibleList& list : lists) {
    Json filters = Json::array(), devices = Json::array(), hidden = Json::array();
    for (const Filter& filter : list.filters)
      filters.push_back({{"name", filter.name}, {"value", filter.value}, {"effect", filter.effect}});
    for (const VisibleDevice& device : list.devices) devices.push_back(write(device));
    for (const HiddenDevice& one : list.hidden) {
      hidden.push_back(write(one.device));
      hidden.back().update({{"by", one.by}, {"why", one.why}});
    }
    stacks.push_back({{"stack", list.stack},
                      {"filters", filters},
                      {"hidden", hidden},
                      {"observed", list.observed},
                      {"order_guessed", list.order_guessed},
                      {"devices", list.unknown.empty() ? devices : Json({{"failed", list.unknown}})}});
  }
  const Json all = {{"schema", "envdoctor.visible/1"}, {"stacks", stacks}};
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace envdoctor

#include "checks/engine/stacks.h"

#include <algorithm>
#include <map>

namespace envdoctor {
namespace {

// Each vendor's own stack.
const std::map<Vendor, std::string_view> own_stacks = {
    {Vendor::nvidia, "cuda"}, {Vendor::amd, "rocm"}, {Vendor::intel, "level-zero"}};

std::string_view family(const Finding& finding) { return std::string_view(finding.id).substr(0, finding.id.find('.')); }

const Finding* breaker(const std::vector<Finding>& findings, Layer layer, const Gpu& gpu, std::string_view stack) {
  for (const Finding& f : findings) {
    if (f.layer == layer && f.severity != Severity::info && concerns(f, gpu, stack) && breaks(f.id)) return &f;
  }
  return nullptr;
}

GpuStack build(const Snapshot& snapshot, const Gpu& gpu, std::string_view stack, const std::vector<Finding>& findings) {
  GpuStack gpu_stack{.subject = gpu.subject(), .name = gpu.name, .stack = std::string(stack)};
  for (Layer layer = Layer::hardware; layer <= Layer::use; layer = Layer{static_cast<int>(layer) + 1})
    gpu_stack.layers.push_back(prove(snapshot, gpu, stack, layer));
  auto& layers = gpu_stack.layers;

  // Finds the highest ok layer, which proves all layers below it. A CUDA library that was found proves nothing about
  // the driver.
  const auto carries = [&](const LayerResult& layer) {
    return layer.state == LayerState::ok && (layer.layer != Layer::runtime || stack == "opencl");
  };
  std::size_t proved = layers.size();
  while (proved > 0 && !carries(layers[proved - 1])) --proved;
  for (std::size_t i = 0; i < proved; ++i) {
    if (layers[i].state == LayerState::unknown)
      layers[i] = {layers[i].layer, LayerState::ok, "proved by the layers above"};
  }
  bool broken = false;
  for (LayerResult& layer : layers) {
    if (!gpu.granted &&
        (layer.layer >= Layer::visibility || (layer.layer >= Layer::device_node && layer.state != LayerState::ok))) {
      layer = {layer.layer, LayerState::not_applicable, "not granted here"};
    } else if (broken && layer.state == LayerState::unknown) {
      layer.why = "not reached";
    } else if (const Finding* finding = breaker(findings, layer.layer, gpu, stack);
               finding && layer.state != LayerState::ok && layer.state != LayerState::not_applicable) {
      layer = {layer.layer, LayerState::broken, finding->id};
    }
    broken = broken || layer.state == LayerState::broken;
  }
  return gpu_stack;
}

}  // namespace

bool concerns(const Finding& finding, const Gpu& gpu, std::string_view stack) {
  if (family(finding) == "opencl" && stack != "opencl") return false;
  if (family(finding) == "runtime" && stack == "opencl") return false;
  if (finding.subject.starts_with("gpu:") || finding.subject.starts_with("cuda:"))
    return finding.subject == gpu.subject();
  // A device without a known PCI address is identified by its name.
  if (finding.subject.starts_with("opencl:"))
    return stack == "opencl" && !gpu.name.empty() && finding.subject.ends_with("/" + gpu.name);
  // A finding's evidence shows which vendor's GPUs it concerns.
  const auto rests_on = [&](std::string_view section) {
    return std::ranges::any_of(finding.evidence, [&](const Evidence& e) { return e.path.starts_with(section); });
  };
  if (finding.subject == "host" && rests_on("/compute")) return false;  // the CPU itself
  const bool nvidia = rests_on("/nvidia"), amd = rests_on("/rocm"), intel = rests_on("/level_zero");
  return (!nvidia && !amd && !intel) || (nvidia && gpu.vendor == Vendor::nvidia) ||
         (amd && gpu.vendor == Vendor::amd) || (intel && gpu.vendor == Vendor::intel);
}

bool ok_through(const GpuStack& gpu_stack, Layer last) {
  bool proved = false;
  for (const LayerResult& layer : gpu_stack.layers) {
    if (layer.layer > last) break;
    if (layer.state == LayerState::broken || layer.state == LayerState::unknown) return false;
    if (layer.layer >= Layer::visibility && layer.state == LayerState::ok) proved = true;
  }
  return proved;
}

std::vector<GpuStack> build_stacks(const Snapshot& snapshot, const std::vector<Gpu>& gpus,
                                   const std::vector<Finding>& findings) {
  std::vector<GpuStack> stacks;
  for (const Gpu& gpu : gpus) {
    for (const std::string_view stack : {own_stacks.at(gpu.vendor), std::string_view("opencl")})
      stacks.push_back(build(snapshot, gpu, stack, findings));
  }
  return stacks;
}

}  // namespace envdoctor

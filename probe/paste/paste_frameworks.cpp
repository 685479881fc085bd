// tf.sysconfig.get_build_info() and jax.print_environment_info().
#include <algorithm>
#include <utility>

#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"

namespace envdoctor {
namespace {

// The value after 'key' in a printed dictionary: ('key', 'value') or 'key': 'value' or 'key': True.
std::string entry(std::string_view line, std::string_view key) {
  const std::size_t at = line.find("'" + std::string(key) + "'");
  if (at == std::string_view::npos) return {};
  line.remove_prefix(at + key.size() + 2);
  line.remove_prefix(std::min(line.find_first_not_of(" ,:'"), line.size()));
  return std::string(line.substr(0, line.find_first_of("'),}")));
}

}  // namespace

bool starts_tf_build(std::string_view line) { return contains(line, "'is_cuda_build'"); }

Snapshot parse_tf_build(const std::string& text) {
  Snapshot snapshot;
  for (const std::string_view line : lines_of(text)) {
    const std::string built = entry(line, "is_cuda_build");
    if (built != "True" && built != "False") continue;
    Tensorflow& tensorflow = snapshot.tensorflow.fill();
    tensorflow.built_with_cuda = built == "True";
    for (const auto& [field, key] :
         {std::pair(&tensorflow.cuda_version, "cuda_version"), std::pair(&tensorflow.cudnn_version, "cudnn_version")})
      if (const std::string version = leading_version(entry(line, key)); !version.empty()) *field = version;
  }
  return snapshot;
}

bool starts_jax_info(std::string_view line) { return line.starts_with("jaxlib:"); }

Snapshot parse_jax_info(const std::string& text) {
  Snapshot snapshot;
  for (const std::string_view line : lines_of(text)) {
    if (const auto jax = after(line, "jax:"); jax && !leading_version(*jax).empty()) {
      snapshot.jax.fill().version = std::string(*jax);
      snapshot.python.fill().packages.fill().emplace("jax", std::string(*jax));
    } else if (const auto jaxlib = after(line, "jaxlib:")) {
      if (leading_version(*jaxlib).empty()) continue;
      snapshot.python.fill().packages.fill().emplace("jaxlib", std::string(*jaxlib));
    } else if (line.starts_with("jax.devices (") || line.starts_with("device info: ")) {
      if (contains(line, "CpuDevice") || line.starts_with("device info: cpu"))
        snapshot.jax.fill().backend = "cpu";
      else if (contains(line, "Cuda") || contains(line, "NVIDIA") || contains(line, "AMD ") || contains(line, "Rocm"))
        snapshot.jax.fill().backend = "gpu";
    }
  }
  return snapshot;
}

}  // namespace envdoctor

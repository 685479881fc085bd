// tf.sysconfig.get_build_info() and jax.print_environment_info().
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"

namespace envdoctor {
namespace {

// The value behind 'key' in a printed dictionary: ('key', 'value') or 'key': 'value' or 'key': True.
std::string entry(std::string_view line, std::string_view key) {
  const std::size_t at = line.find("'" + std::string(key) + "'");
  if (at == std::string_view::npos) return {};
  std::string_view rest = line.substr(at + key.size() + 2);
  const std::size_t first = rest.find_first_not_of(" ,:'");
  if (first == std::string_view::npos) return {};
  rest = rest.substr(first);
  return std::string(rest.substr(0, rest.find_first_of("'),}")));
}

}  // namespace

bool starts_tf_build(std::string_view line) { return line.find("'is_cuda_build'") != std::string_view::npos; }

Snapshot parse_tf_build(const std::string& text) {
  Snapshot snapshot;
  for (const std::string_view line : lines_of(text)) {
    const std::string built = entry(line, "is_cuda_build");
    if (built != "True" && built != "False") continue;
    Tensorflow& tensorflow = snapshot.tensorflow.fill();
    tensorflow.built_with_cuda = built == "True";
    if (const std::string cuda = leading_version(entry(line, "cuda_version")); !cuda.empty()) {
      tensorflow.cuda_version = cuda;
    }
    if (const std::string cudnn = leading_version(entry(line, "cudnn_version")); !cudnn.empty()) {
      tensorflow.cudnn_version = cudnn;
    }
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
      if (line.find("CpuDevice") != std::string_view::npos || line.starts_with("device info: cpu")) {
        snapshot.jax.fill().backend = "cpu";
      } else if (line.find("Cuda") != std::string_view::npos || line.find("NVIDIA") != std::string_view::npos) {
        snapshot.jax.fill().backend = "gpu";
      }
    }
  }
  return snapshot;
}

}  // namespace envdoctor

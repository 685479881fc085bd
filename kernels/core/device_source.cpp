#include "kernels/core/device_source.h"

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "kernels/core/embedded_sources.h"

namespace envdoctor::kernels {
namespace {

const Embedded* find(const std::string& name) {
  const Embedded* row = embedded_sources;
  while (row->name && row->name != name) ++row;
  return row->name ? row : nullptr;
}

std::string_view embedded(const std::string& name) {
  const Embedded* row = find(name);
  if (!row) throw std::logic_error("no device source " + name);
  return {row->begin, static_cast<std::size_t>(row->end - row->begin)};
}

// "fft-butterfly" lives in fft_butterfly.cl.
std::string stem(const Kernel& kernel) {
  std::string name = kernel.name;
  std::ranges::replace(name, '-', '_');
  return name;
}

bool offered(Precision precision, const Capabilities& capabilities) {
  return (precision != Precision::fp16 || capabilities.fp16) && (precision != Precision::fp64 || capabilities.fp64);
}

}  // namespace

std::string program_source(const std::vector<const Kernel*>& kernels, const Capabilities& capabilities) {
  std::string out = "#define VECTOR_BYTES " + std::to_string(capabilities.vector_bytes) + "\n";
  out += embedded("prelude.h");
  for (const Kernel* kernel : kernels) {
    for (const Precision precision : kernel->precisions) {
      if (!offered(precision, capabilities)) continue;
      out += embedded("precision_" + std::string(text(precision)) + ".h");
      out += embedded(stem(*kernel) + ".cl");
    }
  }
  return out;
}

Reading<std::string> ptx(const Kernel& kernel) {
  const std::string name = stem(kernel) + ".ptx";
  if (!find(name)) return absent("this program was built without clang or libclc, so it carries no code for CUDA");
  return std::string(embedded(name));
}

}  // namespace envdoctor::kernels

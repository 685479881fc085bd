#include "kernels/core/device_source.h"

#include <fmt/format.h>

#include <map>

#include "kernels/core/embedded_sources.h"

namespace envdoctor::kernels {
namespace {

// Empty: the build generated none.
std::string_view embedded(const std::string& name) {
  const Embedded* row = embedded_sources;
  while (row->name && row->name != name) ++row;
  return row->name ? std::string_view(row->begin, static_cast<std::size_t>(row->end - row->begin)) : "";
}

}  // namespace

std::string program_source(const std::vector<const Kernel*>& kernels, const Capabilities& capabilities) {
  std::string out = "#define VECTOR_BYTES " + std::to_string(capabilities.vector_bytes) + "\n";
  out += embedded("prelude.h");
  std::map<Precision, std::string> sources;
  for (const Kernel* kernel : kernels) {
    for (const Precision precision : kernel->precisions) {
      if (capabilities.has(precision)) sources[precision] += embedded(identifier(kernel->name) + ".cl");
    }
  }
  for (const auto& [precision, source] : sources)
    out.append(embedded(fmt::format("precision_{}.h", text(precision)))).append(embedded("sums.h")).append(source);
  return out;
}

Reading<std::string> ptx(const Kernel& kernel) {
  const std::string_view text = embedded(identifier(kernel.name) + ".ptx");
  if (text.empty()) return absent("this program was built without clang or libclc, so it carries no code for CUDA");
  return std::string(text);
}

}  // namespace envdoctor::kernels

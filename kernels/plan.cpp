#include "kernels/plan.h"

#include <algorithm>

namespace envdoctor::kernels {

std::string_view text(Variant variant) {
  switch (variant) {
    case Variant::cpu:
      return "cpu";
    case Variant::gpu:
      return "gpu";
    case Variant::host:
      return "host";
  }
  return "";
}

std::string function_name(std::string_view kernel, Precision precision, Variant variant) {
  std::string name(kernel);
  std::ranges::replace(name, '-', '_');
  return name.append("_").append(text(precision)).append("_").append(text(variant));
}

}  // namespace envdoctor::kernels

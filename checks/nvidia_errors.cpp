// Names of errors, from the many ways in which programs print them.
#include <array>
#include <cctype>

#include "checks/nvidia.h"
#include "knowledge/lower_case.h"
#include "knowledge/names.h"

namespace envdoctor::nvidia {
namespace {

std::string identifier_from(std::string_view text, std::string_view prefix) {
  const auto start = text.find(prefix);
  if (start == std::string_view::npos) return {};
  auto end = start;
  while (end < text.size() && (std::isupper(static_cast<unsigned char>(text[end])) ||
                               std::isdigit(static_cast<unsigned char>(text[end])) || text[end] == '_'))
    ++end;
  return std::string(text.substr(start, end - start));
}

// The number in "UNKNOWN ERROR (303)", "error 802" or "-1"; nullopt: none, or too long for a code.
std::optional<int> number_in(std::string_view text) {
  const auto digit = text.find_first_of("0123456789");
  if (digit == std::string_view::npos) return std::nullopt;
  int value = 0;
  std::size_t i = digit;
  for (; i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])); ++i) {
    if (i - digit > 5) return std::nullopt;
    value = value * 10 + (text[i] - '0');
  }
  return digit > 0 && text[digit - 1] == '-' ? -value : value;
}

struct Wording {
  const char* words;
  const char* name;
};

constexpr std::array<Wording, 11> nvml_wordings{{
    {"version mismatch", "NVML_ERROR_LIB_RM_VERSION_MISMATCH"},
    {"communicate with the nvidia driver", "NVML_ERROR_DRIVER_NOT_LOADED"},
    {"driver not loaded", "NVML_ERROR_DRIVER_NOT_LOADED"},
    {"insufficient permissions", "NVML_ERROR_NO_PERMISSION"},
    {"library not found", "NVML_ERROR_LIBRARY_NOT_FOUND"},
    {"gpu is lost", "NVML_ERROR_GPU_IS_LOST"},
    {"blocked by the operating system", "NVML_ERROR_OPERATING_SYSTEM"},
    {"external power", "NVML_ERROR_INSUFFICIENT_POWER"},
    {"no devices were found", "NVML_ERROR_NOT_FOUND"},
    {"unknown error", "NVML_ERROR_UNKNOWN"},
    {"uninitialized", "NVML_ERROR_UNINITIALIZED"},
}};

}  // namespace

std::string cuda_error_name(std::string_view text) {
  if (std::string name = identifier_from(text, "CUDA_ERROR_"); !name.empty()) return name;
  if (const auto code = number_in(text)) {
    // Old programs print the stub library's answer as -1, before the driver knew a name for it.
    if (*code == -1) return "CUDA_ERROR_STUB_LIBRARY";
    if (std::string name = knowledge::code_name("cuda_driver", *code); !name.empty()) return name;
  }
  return std::string(text);
}

std::string nvml_error_name(std::string_view text) {
  if (std::string name = identifier_from(text, "NVML_ERROR_"); !name.empty()) return name;
  const std::string lower = lower_case(text);
  for (const Wording& wording : nvml_wordings) {
    if (lower.find(wording.words) != std::string::npos) return wording.name;
  }
  return std::string(text);
}

}  // namespace envdoctor::nvidia

// Names of errors, from the many ways in which programs print them.
#include <array>
#include <cctype>
#include <optional>

#include "knowledge/codes/constants.h"
#include "knowledge/codes/names.h"
#include "knowledge/lower_case.h"

namespace envdoctor::knowledge {
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
    {"version mismatch", nvml_error::lib_rm_version_mismatch},
    {"communicate with the nvidia driver", nvml_error::driver_not_loaded},
    {"driver not loaded", nvml_error::driver_not_loaded},
    {"insufficient permissions", nvml_error::no_permission},
    {"library not found", nvml_error::library_not_found},
    {"gpu is lost", nvml_error::gpu_is_lost},
    {"blocked by the operating system", nvml_error::operating_system},
    {"external power", nvml_error::insufficient_power},
    {"no devices were found", nvml_error::not_found},
    {"unknown error", nvml_error::unknown},
    {"uninitialized", nvml_error::uninitialized},
}};

}  // namespace

std::string cuda_error_name(std::string_view text) {
  if (std::string name = identifier_from(text, "CUDA_ERROR_"); !name.empty()) return name;
  if (const auto code = number_in(text)) {
    // Old programs print the stub library's answer as -1, before the driver knew a name for it.
    if (*code == -1) return cuda_error::stub_library;
    for (const char* api : {"cuda_driver", "cuda_runtime"}) {
      if (std::string name = code_name(api, *code); !name.empty()) return name;
    }
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

}  // namespace envdoctor::knowledge

#pragma once
// Names to look for and names of codes.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace envdoctor::knowledge {

// Environment variables whose values may be read (env_vars.json), sorted.
const std::vector<std::string>& env_allow_list();
// Prefixes that mark a further variable as GPU-related; its name is kept, its value withheld.
const std::vector<std::string>& env_prefixes();

struct Soname {
  std::string soname{};   // libcudnn.so.9
  std::string library{};  // cudnn
  std::string cuda{};     // toolkit range it belongs to
  std::string debian_package{};
};
const std::vector<Soname>& sonames();  // libraries.json, in table order

// The name of an API's code: code_name("cuda_driver", 100) -> "CUDA_ERROR_NO_DEVICE". Empty: unknown.
std::string code_name(std::string_view api, std::int64_t code);

struct XidMeaning {
  std::string meaning{};
  std::string action{};
  std::string class_{};  // app, hardware, …
};
std::optional<XidMeaning> xid(std::int64_t code);

}  // namespace envdoctor::knowledge

#pragma once
// Names to look for and names of codes.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace envdoctor::knowledge {

// Environment variables whose values may be read (env_vars.json), sorted. "NVIDIA_REQUIRE_*" matches all that begin
// so.
const std::vector<std::string>& env_allow_list();
bool env_allowed(std::string_view name);
// Whether the variable's value contains host names or addresses and is therefore only kept without redaction
// (TF_CONFIG).
bool env_names_hosts(std::string_view name);
// The allowed parts of the variable's value; null: not in the list.
struct EnvValues {
  std::vector<std::string> words{};  // lower case: its syntax and its known values
  bool paths = false;                // may contain paths of files or folders
  bool any_word = false;             // it selects among devices, platforms or programs: a wrong word is a diagnosis
};
const EnvValues* env_values(std::string_view name);
// Words that many variables and folders contain: lower case, sorted; and the folders that belong to the system.
const std::vector<std::string>& env_words();
const std::vector<std::string>& system_folders();
// Prefixes that mark a further variable as GPU-related; its name is kept, its value redacted.
const std::vector<std::string>& env_prefixes();

struct Soname {
  std::string soname{};   // libcudnn.so.9
  std::string library{};  // cudnn
  std::string cuda{};     // toolkit range it belongs to
};
const std::vector<Soname>& sonames();  // libraries.json, in table order

// A function that returns a library's own version.
struct VersionSymbol {
  std::string library{};  // as in Soname
  std::string symbol{};
  std::string signature{};
  bool without_gpu = false;  // works on a host without GPU or driver
};
const std::vector<VersionSymbol>& version_symbols();  // in table order

// A library's place in a pip package: ("cudnn", "nvidia-cudnn-cu12", "site-packages/nvidia/cudnn/lib").
struct PipPackage {
  std::string library{};
  std::string package{};
  std::string directory{};  // empty: not recorded
  std::string cuda{};       // "12"
};
const std::vector<PipPackage>& pip_packages();

// The name of an API's code: code_name("cuda_driver", 100) -> "CUDA_ERROR_NO_DEVICE". Empty: unknown. Apis:
// cuda_driver, cuda_runtime, cuda_runtime_old (before 10.1), hip, nvml, cudnn9, cudnn8, nccl, cublas, cufft, opencl,
// level_zero, …
std::string code_name(std::string_view api, std::int64_t code);
// The name of a CUDA error, however a program prints it: "CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected",
// "UNKNOWN ERROR (303)" or "804". A text without a known code comes back as it is.
std::string cuda_error_name(std::string_view text);
// "Failed to initialize NVML: Driver/library version mismatch" -> NVML_ERROR_LIB_RM_VERSION_MISMATCH.
std::string nvml_error_name(std::string_view text);

// The meaning of a code that a program prints.
struct Code {
  std::string name{};    // the usual name: "CUDA_ERROR_NO_DEVICE" for cudaErrorNoDevice, too
  std::string class_{};  // class and subject of the symptom (evidence/symptom.h); empty: none
  std::string subject{};
};
// By name or by number, in these apis (separated by blanks; the first match counts). None: unknown.
std::optional<Code> find_code(std::string_view apis, std::string_view printed);

struct XidMeaning {
  std::string meaning{};
  std::string action{};
  std::string class_{};  // app, gpu (unusable until reset), hw, info, config; empty: not grouped
  std::string mnemonic{};
  std::string diagnosis{};  // the diagnosis of a host whose kernel logged it; empty: none
};
std::optional<XidMeaning> xid(std::int64_t code);

}  // namespace envdoctor::knowledge

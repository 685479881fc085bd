#pragma once
// The build targets of framework releases (tensorflow.json, pytorch.json, jax.json).
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace envdoctor::knowledge {

struct TensorflowNeeds {
  std::string cuda{};               // "12.5"
  std::string cudnn{};              // "9.3"
  std::vector<std::string> sass{};  // machine code in it; empty: not recorded
  std::vector<std::string> ptx{};
  std::string lowest_capability{};     // empty: not recorded
  std::vector<std::string> sonames{};  // if one is missing, no GPU is used
  std::string cudnn_soname{};
  std::vector<std::string> gpu_packages{};  // pip packages of this release that contain GPU code
  std::string cuda_extra{};                 // "tensorflow[and-cuda]": installs the libraries; empty: there is none
  std::vector<std::string> pythons{};       // "3.11": Pythons with wheels
  std::string keras{};                      // "2.15", "3": the Keras it installs; empty: bundled, or not recorded
  std::optional<bool> takes_numpy2{};
  bool windows_gpu = false;  // its wheels for Windows contain GPU code
};
// The recorded releases of TensorFlow, newest first.
std::vector<std::string> tensorflow_releases();
// The Linux GPU build of TensorFlow "2.15" or "2.15.1". nullopt: release not recorded.
std::optional<TensorflowNeeds> tensorflow_needs(std::string_view version);

// The CUDA that a wheel's local version names: "2.4.1+cu121" -> "12.1". nullopt: no CUDA tag (cpu, rocm6.1, none).
std::optional<std::string> cuda_of_torch_version(std::string_view version);

struct TorchTargets {
  std::vector<std::string> sass{};
  std::vector<std::string> ptx{};
};
// The targets that a Linux x86-64 wheel of this release and CUDA was compiled for. nullopt: not recorded.
std::optional<TorchTargets> torch_targets(std::string_view version, std::string_view cuda);

// "0.19": the torchvision or torchaudio that is released with torch "2.4.1". Empty: not recorded.
std::string version_for_torch(const std::string& package, std::string_view torch);

// The AMD targets that a Linux ROCm wheel of this release has code for. nullopt: not recorded.
std::optional<std::vector<std::string>> torch_rocm_targets(std::string_view version);

struct JaxNeeds {  // an empty text: not recorded
  std::string cuda{};
  std::string cudnn{};
  std::string driver{};
  std::string lowest_capability{};
};
// The minimum requirements of JAX "0.4.35" with its wheels for this CUDA major ("12"). nullopt: no such wheel recorded.
std::optional<JaxNeeds> jax_needs(std::string_view version, std::string_view cuda_major);

// Facts about some versions of a framework ("tensorflow", "torch", "jax", "keras"); the first row that
// matches counts. The lists: cpu_instructions (what the published x86-64 packages need), tf32_by_default,
// chooses_backend.
struct VersionRule {
  std::string versions{};  // "==2.4.0", as Python packages write ranges; empty: all
  std::string what{};      // "avx2"
};
std::vector<VersionRule> version_rules(std::string_view framework, const char* list);

// "2.0": the first release of PyTorch that has a name such as "torch.compile", or the module of such a name. Empty:
// not recorded.
std::string first_torch_with(std::string_view name);

}  // namespace envdoctor::knowledge

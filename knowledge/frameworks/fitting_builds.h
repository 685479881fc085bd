#pragma once
// The newest recorded build of a framework that a driver, a GPU and a Python support (pytorch.json, tensorflow.json,
// jax.json, vllm.json), and the prebuilt wheels of flash-attn (flash_attention.json).
#include <optional>
#include <string>
#include <string_view>

namespace envdoctor::knowledge {

// The requirements on a build; an empty text is unknown and requires nothing.
struct BuildNeeds {
  std::string driver{};      // version of the Linux driver
  std::string max_cuda{};    // the highest CUDA that it supports, where its version is unknown
  std::string capability{};  // "8.6"
  std::string python{};      // "3.11.4"
  std::string release{};     // "2.5" of PyTorch and TensorFlow, "0.4.30" of JAX: this one alone
};

struct FittingBuild {
  std::string version{};  // "2.7"
  std::string cuda{};     // "11.8", or "12" where only the major version is recorded
  std::string table{};    // "pytorch.json, autumn 2026"
  std::string torch{};    // of vLLM: the PyTorch that it pins
  bool operator==(const FittingBuild&) const = default;
};

// Of "torch", "tensorflow", "jax" or "vllm". nullopt: no recorded build fits all requirements.
std::optional<FittingBuild> newest_fitting_build(std::string_view framework, const BuildNeeds& needs);

// The newest Python that "2.10" of TensorFlow or "1.13" of PyTorch has wheels for, as far as recorded; empty: unknown.
std::string newest_python_of(std::string_view framework, std::string_view release);

// A wheel of flash-attn for Linux on x86_64.
struct FlashWheel {
  std::string version{};  // "2.8.3"
  std::string torch{};    // "2.8"
  std::string cuda{};     // "12"
  std::string file{};     // its name; empty where the version of Python is unknown
  std::string address{};  // of that file
  std::string table{};    // "flash_attention.json, 23 November 2026"
};
// For this torch ("2.8.0+cu128") and Python ("3.12.3"; empty: any); without a torch, the wheel for the newest one.
// nullopt: none recorded.
std::optional<FlashWheel> flash_attention_wheel(const std::string& torch, const std::string& python);
// The lowest compute capability that flash-attn supports.
std::string lowest_capability_of_flash_attention();

}  // namespace envdoctor::knowledge

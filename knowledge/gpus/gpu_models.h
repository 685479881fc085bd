#pragma once
// PCI id -> chip -> architecture -> compute capability or gfx target (knowledge/gpus/gpu_arch.json).
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace envdoctor::knowledge {

struct GpuModel {
  std::string name{};                // "H100 SXM5 80GB"
  std::string chip{};                // "GH100"; Intel: platform
  std::string architecture{};        // "Hopper"
  std::string compute_capability{};  // "9.0"; empty: not NVIDIA, or not recorded
  std::string gfx{};                 // AMD
  bool guessed = false;              // derived from the id's prefix, not from a row
};

// `vendor` and `device`: four lower-case hex digits each. Unknown: nullopt.
std::optional<GpuModel> gpu_model(std::string_view vendor, std::string_view device);

// By a name as lspci prints it, which begins with the chip's: "GT218 [GeForce 210]". Unknown: nullopt.
std::optional<GpuModel> gpu_model_of_chip(std::string_view name);

// The compute capability of an NVIDIA GPU by its name, as drivers or people write it: "NVIDIA A100-SXM4-80GB",
// "rtx 3090". Empty: no such name, or GPUs of several generations have it.
std::string capability_of_name(std::string_view name);

// "8.6" -> "Ampere". Empty: unknown.
std::string architecture_of_capability(std::string_view compute_capability);

// Whether a fact of `capability_facts` ("tf32") is true for GPUs of this compute capability. Unknown fact: false.
bool capability_has(std::string_view compute_capability, std::string_view fact);

}  // namespace envdoctor::knowledge

#pragma once
// The newest recorded build of a framework that a driver, a GPU and a Python take (pytorch.json, tensorflow.json,
// jax.json).
#include <optional>
#include <string>
#include <string_view>

namespace envdoctor::knowledge {

// What a build has to fit; an empty text is not known and asks for nothing.
struct BuildNeeds {
  std::string driver{};      // version of the Linux driver
  std::string max_cuda{};    // the highest CUDA that it takes, where no version is known
  std::string capability{};  // "8.6"
  std::string python{};      // "3.11.4"
};

struct FittingBuild {
  std::string version{};  // "2.7"
  std::string cuda{};     // "11.8", or "12" where only the major version is recorded
  std::string table{};    // "pytorch.json, autumn 2026"
  bool operator==(const FittingBuild&) const = default;
};

// Of "torch", "tensorflow" or "jax". nullopt: none that is recorded fits all.
std::optional<FittingBuild> newest_fitting_build(std::string_view framework, const BuildNeeds& needs);

}  // namespace envdoctor::knowledge

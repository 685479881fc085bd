#include "checks/library_rows.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>

#include "checks/presence.h"

namespace envdoctor {

std::vector<LibraryRow> rows_of(const Snapshot& snapshot, std::string_view soname) {
  std::vector<LibraryRow> rows;
  const auto* libraries = snapshot.libraries.get();
  for (std::size_t i = 0; libraries && i < libraries->size(); ++i) {
    const SharedLibrary& library = (*libraries)[i];
    if (library.soname.get() && *library.soname.get() == soname) rows.push_back({&library, i});
  }
  return rows;
}

Flag library_found(const Snapshot& snapshot, std::string_view soname) {
  if (!snapshot.libraries.get()) return snapshot.libraries.missing();
  Flag answer;
  for (const LibraryRow& row : rows_of(snapshot, soname)) {
    if (row.library->found.is(true)) return true;
    if (row.library->found.get() && answer.outcome() == Outcome::not_probed) answer = false;
    if (row.library->found.outcome() == Outcome::failed) answer = row.library->found;
  }
  return answer;
}

int precedence(const SharedLibrary& library) {
  const std::string origin = text_of(library.origin);
  if (origin == "LD_PRELOAD") return 0;
  if (origin == "LD_LIBRARY_PATH") return 1;
  if (origin == "pip" || origin == "conda" || origin == "RUNPATH") return 2;
  return 3;
}

bool is_cuda_library(std::string_view name) {
  static constexpr std::array parts = {"cudart",   "cublas", "cufft",     "curand", "cusolver",
                                       "cusparse", "nvrtc",  "nvJitLink", "nccl"};
  if (name.starts_with("lib")) name.remove_prefix(3);
  return std::ranges::any_of(parts, [&](const char* part) { return name.starts_with(part); });
}

bool is_cudnn_library(std::string_view name) {
  if (name.starts_with("lib")) name.remove_prefix(3);
  return name.starts_with("cudnn");
}

std::string cudnn_version_text(std::string_view version) {
  const bool digits =
      !version.empty() && std::ranges::all_of(version, [](unsigned char c) { return std::isdigit(c) != 0; });
  if (!digits || version.size() < 4 || version.size() > 6) return std::string(version);
  const long number = std::strtol(std::string(version).c_str(), nullptr, 10);
  const long major = number >= 10000 ? number / 10000 : number / 1000;  // the form changed with version 9
  const long rest = number >= 10000 ? number % 10000 : number % 1000;
  return std::to_string(major) + "." + std::to_string(rest / 100) + "." + std::to_string(rest % 100);
}

}  // namespace envdoctor

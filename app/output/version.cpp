#include "app/output/version.h"

#include <fmt/format.h>
#include <gnu/libc-version.h>

#include <string_view>

#include "kernels/core/embedded_sources.h"

namespace envdoctor {
namespace {

#if defined(__clang__)
constexpr const char* compiler = __VERSION__;  // begins with the compiler's name
#else
constexpr const char* compiler = "g++ " __VERSION__;
#endif
#if defined(__x86_64__)
constexpr const char* machine = "x86_64";
#elif defined(__aarch64__)
constexpr const char* machine = "aarch64";
#else
constexpr const char* machine = "another machine";
#endif

bool carries_ptx() {
  for (const auto* source = kernels::embedded_sources; source->name; ++source) {
    if (std::string_view(source->name).ends_with(".ptx")) return true;
  }
  return false;
}

}  // namespace

std::string version_text() {
  return fmt::format(
      "envdoctor {}\ncommit {}, date {}\nbuilt with {} for {}, {}, glibc {}.{} or newer (runs on {})\n"
      "CUDA kernels (PTX): {}",
      ENVDOCTOR_VERSION, ENVDOCTOR_COMMIT, ENVDOCTOR_DATE, compiler, machine, ENVDOCTOR_BUILD, __GLIBC__,
      __GLIBC_MINOR__, gnu_get_libc_version(),
      carries_ptx() ? "included" : "not included: clang-15 or libclc-15 was missing at build time");
}

}  // namespace envdoctor

#include "probe/library_version.h"

#include <algorithm>
#include <cctype>

#include "knowledge/names.h"

namespace envdoctor {
namespace {

std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

bool of_driver(const std::string& soname) {
  return soname.starts_with("libcuda.so") || soname.starts_with("libnvidia-");
}

// The folder whose .dist-info children tell of the library at this path; empty: none does.
std::string package_folder(const std::string& real) {
  for (const char* kind : {"/site-packages/nvidia/", "/dist-packages/nvidia/"}) {
    const auto at = real.find(kind);
    if (at != std::string::npos) return real.substr(0, at + std::string_view("/site-packages").size());
  }
  // A toolkit that was put together from pip packages keeps their .dist-info in a folder of its own.
  const auto lib = real.find("/lib/");
  const auto lib64 = real.find("/lib64/");
  const auto at = std::min(lib, lib64);
  return at == std::string::npos || real.find("/cuda") >= at ? std::string{} : real.substr(0, at) + "/dist-info";
}

}  // namespace

Text version_of_file_name(const std::string& real, const std::string& soname) {
  const std::string file = name_of(real);
  const auto at = file.find(".so.");
  if (file == soname || at == std::string::npos) return absent("its file name tells no version");
  const std::string version = file.substr(at + 4);
  const bool digits = !version.empty() && version.find_first_not_of("0123456789.") == std::string::npos;
  if (!digits || version.find('.') == std::string::npos) return absent("its file name tells no version");
  // Jetson's and WSL's libcuda.so.1.1 counts the interface; driver versions begin with the branch.
  if (of_driver(soname) && version.find('.') < 3) return absent("its file name tells no driver version");
  return version;
}

Text PackageVersions::of(const std::string& real, const std::string& library) {
  const std::string folder = package_folder(real);
  if (folder.empty()) return absent("belongs to no pip package");
  const auto [entry, fresh] = listed_.try_emplace(folder);
  if (fresh) {
    const auto names = files_.list(folder);
    for (const std::string& name : names.get() != nullptr ? *names.get() : std::vector<std::string>{}) {
      const auto dash = name.find('-');
      const auto end = name.rfind(".dist-info");
      if (dash == std::string::npos || end == std::string::npos || end < dash) continue;
      entry->second[name.substr(0, dash)] = name.substr(dash + 1, end - dash - 1);
    }
  }
  for (const knowledge::PipPackage& package : knowledge::pip_packages()) {
    if (package.library != library) continue;
    std::string name = package.package;
    std::ranges::replace(name, '-', '_');
    if (const auto known = entry->second.find(name); known != entry->second.end()) return known->second;
  }
  return absent("no pip package tells its version");
}

Flag is_stub(const Files& files, const std::string& path, const std::string& real, const std::string& soname) {
  const bool cuda_or_nvml = soname.starts_with("libcuda.so") || soname.starts_with("libnvidia-ml.so");
  if (path.find("/stubs/") != std::string::npos || real.find("/stubs/") != std::string::npos) return true;
  if (!cuda_or_nvml) return {};
  if (real.starts_with("/usr/lib/wsl/") || version_of_file_name(real, soname).get() != nullptr) return false;
  const auto status = files.status(real);
  if (status.get() == nullptr) return status.missing();
  if (status.get()->size == 0) return {};  // a captured host, of which only the name was kept
  constexpr std::uint64_t largest_stub = 256 * 1024;
  return status.get()->size <= largest_stub;
}

}  // namespace envdoctor

// dpkg -l, rpm -qa and the histories of apt and dpkg: the version of NVIDIA's driver libraries that is installed.
#include <re2/re2.h>

#include "knowledge/lazy_regex.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"

namespace envdoctor {
namespace {

// Packages that hold libcuda.so.1, and those that bring it in the same version.
constexpr const char* library_package = R"((?:libnvidia-compute-\d+(?:-server)?|libcuda1|nvidia-driver-cuda-libs|)"
                                        R"(nvidia-driver(?:-\d{3}(?:-server)?(?:-open)?)?|)"
                                        R"(nvidia-compute-G0\d|xorg-x11-drv-nvidia-cuda-libs|libnvidia-compute))";

// The version that an upgrade ended with: "Upgrade: …, libnvidia-compute-535:amd64 (535.161.07-0ubuntu1,
// 535.171.04-0ubuntu1), …" of apt, "… upgrade libnvidia-compute-535:amd64 535.161.07-0ubuntu1 535.171.04-0ubuntu1" of
// dpkg.log, "Unpacking libnvidia-compute-535:amd64 (535.171.04-0ubuntu1) over (535.161.07-0ubuntu1) ..." of both on a
// terminal.
std::string upgraded_to(std::string_view line) {
  static const std::string version = R"((?:\d+:)?(\d{3}\.\d{2,3}(?:\.\d{2})?)-[^\s,)]*)";
  static const std::string package = std::string(library_package) + "(?::amd64|:arm64)?";
  static const LazyRegex apt("Upgrade: (?:.*, )?" + package + R"( \([^\s,)]+, )" + version + R"(\).*)", RE2::Latin1);
  static const LazyRegex dpkg(R"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d upgrade )" + package + R"( \S+ )" + version,
                              RE2::Latin1);
  static const LazyRegex terminal("Unpacking " + package + R"( \()" + version + R"(\) over .*)", RE2::Latin1);
  std::string found;
  line = line.substr(0, 8000);
  for (const LazyRegex* form : {&apt, &dpkg, &terminal})
    if (RE2::FullMatch(line, *form, &found)) return found;
  return {};
}

}  // namespace

bool starts_driver_packages(std::string_view line) {
  if (!upgraded_to(line).empty()) return true;
  static const LazyRegex dpkg(std::string("ii\\s+") + library_package + R"((?::amd64|:arm64)?\s+.*)", RE2::Latin1);
  static const LazyRegex rpm(std::string(library_package) + R"(-\d[^/\s]*\.(?:x86_64|aarch64))", RE2::Latin1);
  line = line.substr(0, 400);
  if (line.starts_with("ii ")) return RE2::FullMatch(line, dpkg);
  return (line.ends_with(".x86_64") || line.ends_with(".aarch64")) && RE2::FullMatch(line, rpm);
}

Snapshot parse_driver_packages(const std::string& text) {
  // "ii  libnvidia-compute-550:amd64  550.120-0ubuntu1  amd64  …", "nvidia-driver-cuda-libs-3:550.54.15-1.el9.x86_64".
  static const LazyRegex form(R"((?:ii\s+\S+\s+|\S+?-)(?:\d+:)?(\d{3}\.\d{2,3}(?:\.\d{2})?)-.*)", RE2::Latin1);
  std::string found, version, upgraded;
  for (const std::string_view line : lines_of(text)) {
    if (std::string to = upgraded_to(line); !to.empty()) {
      upgraded = std::move(to);
      continue;
    }
    if (!starts_driver_packages(line) || !RE2::FullMatch(line.substr(0, 400), form, &version)) continue;
    if (!found.empty() && found != version)
      return {};  // two versions: the text doesn't show which one the loader picks
    found = version;
  }
  if (found.empty()) found = upgraded;
  Snapshot snapshot;
  if (!found.empty()) snapshot.nvidia.fill().userspace_driver_version = found;
  return snapshot;
}

}  // namespace envdoctor

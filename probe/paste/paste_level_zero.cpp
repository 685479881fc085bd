// sycl-ls and xpu-smi discovery: Intel's GPUs as Level Zero lists them.
#include <re2/re2.h>

#include "knowledge/lazy_regex.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"

namespace envdoctor {

bool starts_level_zero(std::string_view line) {
  return contains(line, "level_zero:gpu") || (line.starts_with("| ") && contains(line, "| Device Name: Intel"));
}

Snapshot parse_level_zero(const std::string& text) {
  // "[level_zero:gpu][level_zero:0] Intel(R) Level-Zero, Intel(R) Arc(TM) A770 Graphics 1.3 [1.3.26241]", and the older
  // "[ext_oneapi_level_zero:gpu:0] …".
  static const LazyRegex sycl(R"(.{0,40}\[(?:ext_oneapi_)?level_zero:gpu(?::\d+)?\](?:\[level_zero:\d+\])?,? )"
                              R"(Intel\(R\)[^,]*, (.*?) \d+[.\d]* \[(.*?)\].*)",
                              RE2::Latin1);
  static const LazyRegex name(R"(\| (?:\d+)? *\| Device Name: (Intel.*?) *\|.*)", RE2::Latin1);
  static const LazyRegex place(R"(\| *\| PCI BDF Address: (\S+) *\|.*)", RE2::Latin1);
  std::vector<LevelZeroDevice> devices;
  for (const std::string_view line : lines_of(text)) {
    std::string word, version;
    const auto add = [&] {
      if (devices.size() < 256)
        devices.push_back({.index = static_cast<std::int64_t>(devices.size()), .name = word, .type = "gpu"});
    };
    if (contains(line, "level_zero:gpu") && RE2::FullMatch(line, sycl, &word, &version)) add();
    if (contains(line, "Device Name: Intel") && RE2::FullMatch(line, name, &word)) add();
    if (!devices.empty() && contains(line, "PCI BDF") && RE2::FullMatch(line, place, &word))
      devices.back().pci_address = word;
  }
  Snapshot snapshot;
  if (!devices.empty()) snapshot.level_zero.fill().devices = std::move(devices);
  return snapshot;
}

}  // namespace envdoctor

#include "probe/os_facts.h"

#include <algorithm>
#include <map>

#include "host/kernel.h"
#include "probe/text.h"

namespace envdoctor {
namespace {

constexpr std::size_t name_limit = 200;

// A value as os-release(5) has it: bare, in single quotes, or in double quotes with \ before " $ ` and itself.
Text unquoted(std::string_view text) {
  text = trimmed(text);
  const char quote = text.empty() ? '\0' : text.front();
  if (quote != '"' && quote != '\'') return std::string(text);
  text.remove_prefix(1);
  std::string value;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == quote) return value;
    if (quote == '"' && text[i] == '\\' && i + 1 < text.size()) ++i;
    value += text[i];
  }
  return failed("a quote that doesn't end");
}

bool is_plain(const std::string& text) {
  return !text.empty() && text.size() <= name_limit &&
         std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 127; });
}

}  // namespace

Text os_name(std::string_view os_release) {
  std::map<std::string_view, Text> values;
  const auto lines = lines_of(os_release);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto equals = lines[i].find('=');
    if (equals == std::string_view::npos || lines[i].starts_with('#')) continue;
    const auto key = trimmed(lines[i].substr(0, equals));
    if (key != "PRETTY_NAME" && key != "NAME" && key != "VERSION_ID") continue;
    auto value = unquoted(lines[i].substr(equals + 1));
    if (const auto* text = value.get(); text && !text->empty() && !is_plain(*text))
      value = failed("not a printable name");
    if (!value.get()) value = failed("line " + std::to_string(i + 1) + ": " + value.why());
    values[key] = value;
  }
  if (const auto pretty = values.find("PRETTY_NAME"); pretty != values.end() && !pretty->second.is(""))
    return pretty->second;
  const auto name = values.find("NAME");
  if (name == values.end()) return failed("it names no system");
  const auto version = values.find("VERSION_ID");
  if (version == values.end() || !version->second.get()) return name->second;
  return name->second.then([&](const std::string& text) { return text + " " + *version->second.get(); });
}

Text read_os(const Files& files) {
  for (const std::string path : {"/etc/os-release", "/usr/lib/os-release"}) {
    const auto text = files.read(path);
    if (text.outcome() == Outcome::absent) continue;
    if (!text.get()) return text.missing();
    const Text name = os_name(*text.get());
    return name.get() ? name : failed(path + ": " + name.why());
  }
  return absent("no os-release");
}

Text read_platform(const Files& files, const Text& kernel) {
  if (!kernel.get()) return kernel.missing();
  std::string release = *kernel.get();
  std::ranges::transform(release, release.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  if (release.find("wsl2") != std::string::npos || release.find("microsoft-standard") != std::string::npos)
    return std::string("wsl2");
  if (release.ends_with("-microsoft")) return std::string("wsl1");
  // A kernel that someone built for WSL carries any name; Hyper-V guests elsewhere may have /dev/dxg, but not both.
  const bool interop =
      files.status("/proc/sys/fs/binfmt_misc/WSLInterop").get() || files.status("/usr/lib/wsl/lib").get();
  if (interop && files.status("/dev/dxg").get()) return std::string("wsl2");
  return std::string("linux");
}

Text read_arch(const Host& host) {
  const Text told = read_line(host.files, "/proc/sys/kernel/arch");  // from Linux 6.1 on
  if (told.get()) return told;
  if (host.live) return machine();
  const auto cpuinfo = host.files.read("/proc/cpuinfo", 16 << 20);
  if (!cpuinfo.get()) return cpuinfo.missing();
  for (const auto line : lines_of(*cpuinfo.get())) {
    const auto words = words_of(line);
    if (line.starts_with("flags"))
      return std::string(std::ranges::find(words, "lm") != words.end() ? "x86_64" : "i686");
    if (line.starts_with("CPU architecture")) return std::string(words.back() == "8" ? "aarch64" : "arm");
    if (line.starts_with("isa") && words.back().starts_with("rv64")) return std::string("riscv64");
    if (line.starts_with("cpu") && words.size() > 2 && words[2].starts_with("POWER")) return std::string("ppc64le");
  }
  return failed("/proc/cpuinfo: no line that tells the architecture");
}

Flag read_secure_boot(const Files& files) {
  const std::string efi = "/sys/firmware/efi";
  const auto variable = files.read(efi + "/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c");
  if (const std::string* bytes = variable.get()) {
    if (bytes->size() != 5) return failed("the SecureBoot variable: not 4 bytes of attributes and one of value");
    return (*bytes)[4] == 1;
  }
  if (variable.outcome() == Outcome::failed) return variable.missing();
  if (files.status(efi).get()) return failed("the EFI variables aren't mounted here");
  // Containers cover this folder with an empty one; a kernel always has something in it.
  const auto firmware = files.list("/sys/firmware");
  if (firmware.get() && !firmware.get()->empty()) return absent("not started by EFI");
  return failed("/sys/firmware shows nothing here");
}

}  // namespace envdoctor

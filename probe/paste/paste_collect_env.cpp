// python -m torch.utils.collect_env
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"

namespace envdoctor {
namespace {

bool nothing(std::string_view value) {
  return value.empty() || value == "N/A" || value == "None" || value.starts_with("Could not collect") ||
         value.starts_with("No CUDA") || value.starts_with("Failed");
}

std::string_view first_word(std::string_view text) { return text.substr(0, text.find_first_of(" ,;|(")); }

void once(Text& into, std::string_view value) {
  if (!into.get() && !value.empty()) into = std::string(value);
}

void python_platform(HostFacts& host, std::string_view value) {
  if (value.starts_with("Windows")) once(host.platform, "windows");
  if (value.starts_with("macOS") || value.starts_with("Darwin")) once(host.platform, "macos");
  if (!value.starts_with("Linux-")) return;
  once(host.platform, value.find("microsoft") == std::string_view::npos ? "linux" : "wsl2");
  for (const std::string_view arch : {"x86_64", "aarch64", "ppc64le"}) {
    const std::size_t at = value.find("-" + std::string(arch) + "-");
    if (at == std::string_view::npos) continue;
    once(host.arch, arch);
    once(host.kernel, value.substr(6, at - 6));
  }
}

// "GPU 0: Tesla T4", also with a full-width colon as some terminals print it.
void gpu_line(std::vector<NvidiaDevice>& devices, std::string_view line) {
  line = trimmed(line);
  if (!line.starts_with("GPU ")) return;
  line.remove_prefix(4);
  const auto index = leading_number(line);
  const std::size_t colon = line.find(": ");
  if (!index || colon == std::string_view::npos || colon > 3) return;
  NvidiaDevice device{.index = *index};
  std::string_view name = line.substr(colon + 2);
  name = trimmed(name.substr(0, name.find(" (UUID")));
  if (!name.empty()) device.name = std::string(name);
  devices.push_back(std::move(device));
}

class CollectEnvReader {
 public:
  void line(std::string_view line) {
    if (done_) return;
    if (const auto version = after(line, "PyTorch version")) {
      if (snapshot_.torch.get() && snapshot_.torch.get()->version.get()) {
        done_ = true;  // a second report; the first one counts
        return;
      }
      once(snapshot_.torch.fill().version, first_word(trimmed(version->substr(version->starts_with(":") ? 1 : 0))));
    } else if (const auto built = after(line, "CUDA used to build PyTorch:")) {
      if (nothing(*built))
        snapshot_.torch.fill().cuda_version = absent("collect_env: built without CUDA");
      else
        once(snapshot_.torch.fill().cuda_version, leading_version(*built));
    } else if (const auto available = after(line, "Is CUDA available:")) {
      if (available->starts_with("True") || available->starts_with("Yes")) snapshot_.torch.fill().cuda_available = true;
      if (available->starts_with("False") || available->starts_with("No"))
        snapshot_.torch.fill().cuda_available = false;
    } else if (const auto os = after(line, "OS:")) {
      if (!nothing(*os)) once(snapshot_.host.fill().os, os->substr(0, os->find(" (")));
      if (os->starts_with("Microsoft Windows")) once(snapshot_.host.fill().platform, "windows");
    } else if (const auto python = after(line, "Python version:")) {
      once(snapshot_.python.fill().version, leading_version(*python));
      if (python->find("conda") != std::string_view::npos) once(snapshot_.python.fill().kind, "conda");
    } else if (const auto platform = after(line, "Python platform:")) {
      python_platform(snapshot_.host.fill(), *platform);
    } else if (const auto driver = after(line, "Nvidia driver version:")) {
      const std::string number = leading_version(*driver);
      if (number.find('.') != std::string::npos) once(snapshot_.nvidia.fill().kernel_driver_version, number);
    } else if (const auto gpus = after(line, "GPU models and configuration:")) {
      listing_ = true;
      gpu_line(devices_, *gpus);
    } else if (const auto package = after(line, "[pip3]")) {
      add_package(*package, package->find("=="), 2);
    } else if (listing_ && trimmed(line).starts_with("GPU ")) {
      gpu_line(devices_, line);
    }
  }

  Snapshot take() {
    if (!devices_.empty()) snapshot_.nvidia.fill().devices = std::move(devices_);
    return std::move(snapshot_);
  }

 private:
  void add_package(std::string_view line, std::size_t at, std::size_t width) {
    if (at == std::string_view::npos || at == 0) return;
    const std::string version(first_word(line.substr(at + width)));
    snapshot_.python.fill().packages.fill().emplace(std::string(line.substr(0, at)), version);
  }

  Snapshot snapshot_{};
  std::vector<NvidiaDevice> devices_{};
  bool listing_ = false;
  bool done_ = false;
};

}  // namespace

bool starts_collect_env(std::string_view line) {
  const std::string_view text = trimmed(line);
  return text.starts_with("PyTorch version") || text.starts_with("CUDA used to build PyTorch:");
}

Snapshot parse_collect_env(const std::string& text) {
  CollectEnvReader reader;
  for (const auto line : lines_of(text)) reader.line(line);
  return reader.take();
}

}  // namespace envdoctor

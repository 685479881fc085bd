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

void python_platform(HostFacts& host, std::string_view value) {
  if (value.starts_with("Windows")) fill_once(host.platform, "windows");
  if (value.starts_with("macOS") || value.starts_with("Darwin")) fill_once(host.platform, "macos");
  if (!value.starts_with("Linux-")) return;
  fill_once(host.platform, value.find("microsoft") == std::string_view::npos ? "linux" : "wsl2");
  for (const std::string_view arch : {"x86_64", "aarch64", "ppc64le"}) {
    const std::size_t at = value.find("-" + std::string(arch) + "-");
    if (at == std::string_view::npos) continue;
    fill_once(host.arch, arch);
    fill_once(host.kernel, value.substr(6, at - 6));
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
  const std::string_view name = line.substr(colon + 2);
  devices.push_back({.index = *index});
  fill_once(devices.back().name, trimmed(name.substr(0, name.find(" (UUID"))));
}

std::string_view without_colon(std::string_view value) { return trimmed(value.substr(value.starts_with(":") ? 1 : 0)); }

void torch_cuda(Snapshot& snapshot, std::string_view value) {
  if (nothing(value))
    snapshot.torch.fill().cuda_version = absent("collect_env: built without CUDA");
  else
    fill_once(snapshot.torch.fill().cuda_version, leading_version(value));
}

void take_answer(Flag& field, std::string_view value) {
  if (value.starts_with("True") || value.starts_with("Yes")) field = true;
  if (value.starts_with("False") || value.starts_with("No")) field = false;
}

void cuda_available(Snapshot& snapshot, std::string_view value) {
  take_answer(snapshot.torch.fill().cuda_available, value);
}

void operating_system(Snapshot& snapshot, std::string_view value) {
  if (!nothing(value)) fill_once(snapshot.host.fill().os, value.substr(0, value.find(" (")));
  if (value.starts_with("Microsoft Windows")) fill_once(snapshot.host.fill().platform, "windows");
}

void python_version(Snapshot& snapshot, std::string_view value) {
  fill_once(snapshot.python.fill().version, leading_version(value));
  if (contains(value, "conda")) fill_once(snapshot.python.fill().kind, "conda");
}

void driver_version(Snapshot& snapshot, std::string_view value) {
  const std::string number = leading_version(value);
  if (contains(number, ".")) fill_once(snapshot.nvidia.fill().kernel_driver_version, number);
}

void pip_package(Snapshot& snapshot, std::string_view value) {
  const std::size_t at = value.find("==");
  if (at == std::string_view::npos || at == 0) return;
  snapshot.python.fill().packages.fill().emplace(value.substr(0, at), first_word(value.substr(at + 2)));
}

struct CollectEnvLine {
  const char* key;
  void (*take)(Snapshot& snapshot, std::string_view value);
};

// The rows of transformers-cli env and accelerate env are a list of Markdown.
std::string_view without_bullet(std::string_view line) {
  line = trimmed(line);
  return line.substr(line.starts_with("- ") ? 2 : 0);
}

// "2.2.2+cu121 (False)" of transformers-cli env and accelerate env.
void torch_with_answer(Snapshot& snapshot, std::string_view value) {
  fill_once(snapshot.torch.fill().version, first_word(value));
  if (const std::size_t open = value.find('('); open != value.npos) cuda_available(snapshot, value.substr(open + 1));
}

// What PyTorch itself answers; "N/A" where it could not be imported, which says nothing of its build.
bool asks_torch(std::string_view line) {
  return line.starts_with("PyTorch version") || line.starts_with("CUDA used to build PyTorch:") ||
         line.starts_with("Is CUDA available:");
}

constexpr CollectEnvLine known_lines[] = {
    {"PyTorch version (GPU?):", torch_with_answer},
    {"PyTorch version",
     [](Snapshot& s, std::string_view v) { fill_once(s.torch.fill().version, first_word(without_colon(v))); }},
    {"CUDA used to build PyTorch:", torch_cuda},
    {"Is CUDA available:", cuda_available},
    {"XPU used to build PyTorch:",
     [](Snapshot& s, std::string_view v) {
       if (!nothing(v)) fill_once(s.torch.fill().xpu_version, first_word(v));
     }},
    {"Is XPU available:", [](Snapshot& s, std::string_view v) { take_answer(s.torch.fill().xpu_available, v); }},
    {"OS:", operating_system},
    {"Python version:", python_version},
    {"Python platform:", [](Snapshot& s, std::string_view v) { python_platform(s.host.fill(), v); }},
    {"Nvidia driver version:", driver_version},
    {"[pip3]", pip_package},
};

}  // namespace

bool starts_collect_env(std::string_view line) {
  const std::string_view text = without_bullet(line);
  return text.starts_with("PyTorch version") || text.starts_with("CUDA used to build PyTorch:");
}

Snapshot parse_collect_env(const std::string& text) {
  Snapshot snapshot;
  std::vector<NvidiaDevice> devices;
  bool listing = false, imported = true;
  for (const auto row : lines_of(text)) {
    const std::string_view line = without_bullet(row);
    // A second report; the first one counts.
    if (snapshot.torch.or_empty().version.get() && after(line, "PyTorch version")) break;
    const auto gpus = after(line, "GPU models and configuration:");
    listing = listing || gpus;
    if (const auto version = after(line, "PyTorch version")) imported = without_colon(*version) != "N/A";
    if (!imported && asks_torch(line)) continue;
    if (listing) gpu_line(devices, gpus.value_or(line));
    for (const CollectEnvLine& known : known_lines)
      if (const auto value = after(line, known.key)) known.take(snapshot, *value);
  }
  if (!devices.empty()) snapshot.nvidia.fill().devices = std::move(devices);
  return snapshot;
}

}  // namespace envdoctor

// What frameworks ask of other packages (Requires-Dist), and the packages that carry GPU libraries.
#include <algorithm>
#include <array>

#include "knowledge/drivers.h"
#include "probe/distributions.h"
#include "probe/text.h"

namespace envdoctor {
namespace {

bool is_framework(const std::string& name) {
  constexpr std::array names = {"torch", "jax", "jaxlib", "keras", "tf-keras", "tf-nightly"};
  const bool tensorflow = name == "tensorflow" || name == "tensorflow-cpu" || name == "tensorflow-gpu" ||
                          name == "tensorflow-rocm" || name == "tensorflow-intel" || name == "tensorflow-macos";
  return tensorflow || std::ranges::find(names, name) != names.end() || name.starts_with("jax-cuda") ||
         name.starts_with("jax-rocm");
}

std::string_view unquoted(std::string_view text) {
  text = trimmed(text);
  return text.size() >= 2 && (text[0] == '"' || text[0] == '\'') ? text.substr(1, text.size() - 2) : text;
}

// One comparison of a marker. Nothing: it can't be told here.
std::optional<bool> holds(std::string_view clause, const std::string& python) {
  clause = trimmed(clause);
  const auto at = clause.find_first_of("<>=!");
  if (at == clause.npos) return std::nullopt;
  const auto end = clause.find_first_not_of("<>=!", at);
  if (end == clause.npos) return std::nullopt;
  const std::string_view name = trimmed(clause.substr(0, at)), how = clause.substr(at, end - at);
  const std::string_view value = unquoted(clause.substr(end));
  if (name == "sys_platform" || name == "platform_system") {
    const bool same = value == "linux" || value == "Linux";
    if (how == "==") return same;
    return how == "!=" ? std::optional(!same) : std::nullopt;
  }
  if (name != "python_version" && name != "python_full_version") return std::nullopt;
  const int order =
      knowledge::compare_versions(name == "python_version" ? knowledge::major_minor_of(python) : python, value);
  if (how == "<") return order < 0;
  if (how == "<=") return order <= 0;
  if (how == ">") return order > 0;
  if (how == ">=") return order >= 0;
  if (how == "==") return order == 0;
  return how == "!=" ? std::optional(order != 0) : std::nullopt;
}

// Whether a requirement stands: its marker is a chain of "and" that holds here.
bool applies(std::string_view marker, const std::string& python) {
  if (trimmed(marker).empty()) return true;
  if (marker.find(" or ") != marker.npos || marker.find('(') != marker.npos) return false;
  while (!marker.empty()) {
    const auto next = marker.find(" and ");
    if (!holds(marker.substr(0, next), python).value_or(false)) return false;
    marker = next == marker.npos ? std::string_view{} : marker.substr(next + 5);
  }
  return true;
}

// "numpy (<2.0.0,>=1.23.5)" or "numpy<2.0.0,>=1.23.5" with an optional marker behind ';'.
std::optional<PackageRequirement> requirement(std::string_view line, const std::string& by, const std::string& python) {
  const auto semicolon = line.find(';');
  if (semicolon != line.npos && !applies(line.substr(semicolon + 1), python)) return std::nullopt;
  line = trimmed(line.substr(0, semicolon));
  const auto end = line.find_first_of(" (<>=!~[");
  const std::string name = normal_name(line.substr(0, end));
  std::string_view range = end == line.npos ? std::string_view{} : line.substr(end);
  if (const auto extra = range.find(']'); extra != range.npos) range = range.substr(extra + 1);
  range = trimmed(range);
  if (range.starts_with('(') && range.ends_with(')')) range = range.substr(1, range.size() - 2);
  if (name.empty() || range.empty() || range.find('@') != range.npos) return std::nullopt;
  return PackageRequirement{.by = by, .name = name, .range = std::string(range)};
}

}  // namespace

std::vector<PackageRequirement> requirements_of(const Host& host, const std::vector<Distribution>& all,
                                                const std::string& python) {
  std::vector<PackageRequirement> found;
  for (const Distribution& one : all) {
    const std::string by = normal_name(one.name);
    if (!is_framework(by)) continue;
    const auto text = host.files.read(one.metadata + "/METADATA", 4 << 20);
    if (!text.get()) continue;
    for (const std::string_view line : lines_of(*text.get())) {
      if (trimmed(line).empty()) break;
      constexpr std::string_view key = "Requires-Dist:";
      if (!line.starts_with(key)) continue;
      auto one_need = requirement(line.substr(key.size()), by, python);
      if (!one_need) continue;
      one_need->installed = absent("not installed");
      for (const Distribution& other : all) {
        if (normal_name(other.name) != *one_need->name.get()) continue;
        one_need->installed = other.version;
        break;
      }
      found.push_back(std::move(*one_need));
    }
  }
  return found;
}

std::vector<GpuPackage> gpu_packages_in(const std::vector<Distribution>& all) {
  std::vector<GpuPackage> found;
  for (const Distribution& one : all) {
    const std::string name = normal_name(one.name);
    const bool carries = name.starts_with("nvidia-") || name.starts_with("jax-cuda") || name.starts_with("jax-rocm") ||
                         name == "tensorflow-directml-plugin" || name == "tensorflow-metal" || name == "triton" ||
                         name == "intel-extension-for-tensorflow";
    if (!carries) continue;
    GpuPackage package{.package = name, .version = one.version};
    auto& libraries = package.libraries.fill();
    each_recorded(one.record, [&](const RecordedFile& file) {
      const std::string_view base = base_name(file.path);
      if (base.starts_with("lib") && base.find(".so") != base.npos) libraries.emplace_back(base);
    });
    std::ranges::sort(libraries);
    found.push_back(std::move(package));
  }
  return found;
}

}  // namespace envdoctor

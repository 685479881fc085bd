#include "probe/python/distributions.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "host/text.h"
#include "knowledge/gpus/drivers.h"
#include "knowledge/lazy_regex.h"

namespace envdoctor {

namespace {

constexpr std::size_t longest_record = 32u << 20;

// "torch-2.3.0+cu121.dist-info" -> torch, 2.3.0+cu121; an egg's Python version and platform are dropped.
Distribution named(std::string_view entry) {
  static const LazyRegex form(R"(([^-]+)(?:-(.*?)(?:-py.*)?)?\.(?:dist|egg)-info)", RE2::Latin1);
  Distribution one;
  RE2::FullMatch(entry, form, &one.name, &one.version);
  return one;
}

}  // namespace

std::string normal_name(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool mark = c == '-' || c == '_' || c == '.';
    if (mark && (out.empty() || out.back() == '-')) continue;
    out += mark ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  }
  return out;
}

std::string header(std::string_view text, std::string_view name) {
  for (const std::string_view line : lines_of(text)) {
    if (trimmed(line).empty()) break;  // the description follows
    if (line.starts_with(name) && line.substr(name.size()).starts_with(':'))
      return std::string(trimmed(line.substr(name.size() + 1)));
  }
  return {};
}

std::vector<Distribution> distributions_in(const Host& host, const std::string& folder) {
  std::vector<Distribution> all;
  for (const std::string& entry : host.files.list(folder).or_empty()) {
    Distribution one = named(entry);
    if (one.name.empty() || one.name.starts_with('~')) continue;
    one.folder = folder;
    one.metadata = folder + "/" + entry;
    if (one.version.empty() && !entry.ends_with(".dist-info"))
      one.version = header(host.files.read(one.metadata + "/PKG-INFO").or_empty(), "Version");
    if (!one.version.empty()) all.push_back(std::move(one));
  }
  return all;
}

bool carries_gpu_libraries(const Distribution& one) {
  static const LazyRegex carriers(
      "nvidia-.*|jax-(?:cuda|rocm).*|tensorflow-(?:directml-plugin|metal)|triton|intel-extension-for-tensorflow",
      RE2::Latin1);
  return RE2::FullMatch(normal_name(one.name), carriers);
}

void read_record(const Host& host, Distribution& one) {
  if (one.metadata.ends_with(".dist-info"))
    one.record = host.files.read(one.metadata + "/RECORD", longest_record).or_empty();
}

// Distributions that overwrite each other's files, and the remains of broken installs and removals.

namespace {

constexpr std::size_t files_compared = 50;  // files whose recorded sizes differ

// The importable name: "torch" of "torch/nn/x.py", "six.py" of "six.py". Empty: not importable.
std::string_view imported(std::string_view path) {
  const std::string_view top = path.substr(0, path.find('/'));
  if (top.empty() || top == ".." || top == "bin" || top == "__pycache__" || top.ends_with("-info")) return {};
  return top.size() != path.size() || top.ends_with(".py") ? top : std::string_view{};
}

using Sizes = std::map<std::string_view, std::int64_t>;

Sizes sizes_under(const Distribution& one, std::string_view top) {
  Sizes sizes;
  each_recorded(one.record, [&](const RecordedFile& file) {
    if (imported(file.path) == top && file.size > 0) sizes.emplace(file.path, file.size);
  });
  return sizes;
}

std::string label(const Distribution& one) { return normal_name(one.name) + " " + one.version; }

// Which of two distributions owns the present files: compares every file that they record with different sizes.
Text winner_of(const Host& host, const Distribution& a, const Distribution& b, const Sizes& in_a, const Sizes& in_b) {
  std::size_t for_a = 0, for_b = 0, neither = 0;
  for (const auto& [path, size] : in_a) {
    const auto other = in_b.find(path);
    if (other == in_b.end() || other->second == size || for_a + for_b + neither >= files_compared) continue;
    const auto status = host.files.status(a.folder + "/" + std::string(path));
    const auto real = status.get() ? static_cast<std::int64_t>(status.get()->size) : -1;
    ++(real == size ? for_a : real == other->second ? for_b : neither);
  }
  if (for_a > 0 && for_b == 0) return label(a);
  if (for_b > 0 && for_a == 0) return label(b);
  if (for_a + for_b > 0) return failed("files of both packages are installed there");
  return absent(neither > 0 ? "the files belong to neither package" : "the files of both packages have equal sizes");
}

void compare(const Host& host, std::string_view top, const Distribution& a, const Distribution& b,
             std::vector<WrittenTwice>& found) {
  const Sizes in_a = sizes_under(a, top), in_b = sizes_under(b, top);
  const std::string init = std::string(top) + "/__init__.py";  // namespace packages share it
  const bool shared =
      std::ranges::any_of(in_a, [&](const auto& entry) { return entry.first != init && in_b.contains(entry.first); });
  if (!shared) return;
  found.push_back({.folder = std::string(top),
                   .packages = std::vector<std::string>{label(a), label(b)},
                   .winner = winner_of(host, a, b, in_a, in_b)});
}

// The top-level names that a distribution records, and whether each holds code of its own.
std::set<std::string_view> tops_of(const Distribution& one) {
  std::set<std::string_view> tops;
  std::string_view last;
  each_recorded(one.record, [&](const RecordedFile& file) {
    if (!last.empty() && file.path.starts_with(last) && file.path.substr(last.size()).starts_with('/')) return;
    const std::string_view top = imported(file.path);
    if (!top.empty()) tops.insert(last = top);
  });
  return tops;
}

// Recorded files whose absence stops an import: packages' own __init__.py, and libraries.
std::string missing_file(const Host& host, const Distribution& one) {
  std::string missing;
  each_recorded(one.record, [&](const RecordedFile& file) {
    if (!missing.empty() || imported(file.path).empty()) return;
    const auto slash = file.path.find('/');
    const bool init = slash != file.path.npos && file.path.substr(slash) == "/__init__.py";
    if (!init && !file.path.ends_with(".so")) return;
    const std::string path = one.folder + "/" + std::string(file.path);
    if (host.files.status(path).outcome() == Outcome::absent) missing = path;
  });
  return missing;
}

}  // namespace

std::vector<WrittenTwice> written_twice(const Host& host, const std::vector<Distribution>& all) {
  std::map<std::pair<std::string_view, std::string_view>, std::vector<const Distribution*>> owners;
  for (const Distribution& one : all) {
    for (const std::string_view top : tops_of(one)) owners[{one.folder, top}].push_back(&one);
  }
  std::vector<WrittenTwice> found;
  for (const auto& [where, list] : owners) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      for (std::size_t j = i + 1; j < list.size(); ++j) {
        // The same distribution twice is a broken upgrade, which is reported as damage.
        if (normal_name(list[i]->name) != normal_name(list[j]->name))
          compare(host, where.second, *list[i], *list[j], found);
      }
    }
  }
  return found;
}

std::vector<PackageDamage> damage_in(const Host& host, const std::vector<std::string>& folders,
                                     const std::vector<Distribution>& all) {
  std::vector<PackageDamage> found;
  std::map<std::pair<std::string, std::string>, const Distribution*> known;
  std::set<std::string, std::less<>> owned;
  for (const Distribution& one : all) {
    const auto [entry, fresh] = known.try_emplace({one.folder, normal_name(one.name)}, &one);
    if (!fresh) found.push_back({.package = normal_name(one.name), .what = "recorded-twice", .path = one.metadata});
    if (const std::string path = missing_file(host, one); !path.empty())
      found.push_back({.package = normal_name(one.name), .what = "files-missing", .path = path});
    for (const std::string_view top : tops_of(one)) owned.emplace(top);
    owned.insert(one.name);
    if (one.record.empty()) owned.insert(std::string(one.name.substr(0, one.name.find('_'))));
  }
  constexpr std::array frameworks = {"tensorflow", "torch", "jax", "jaxlib", "keras", "numpy"};
  for (const std::string& folder : folders) {
    for (const std::string& name : host.files.list(folder).or_empty()) {
      const bool framework = std::ranges::count(frameworks, name) > 0;
      if (name.starts_with('~'))
        found.push_back({.package = name, .what = "leftover", .path = folder + "/" + name});
      else if (framework && !owned.contains(name))
        found.push_back({.package = name, .what = "metadata-missing", .path = folder + "/" + name});
    }
  }
  return found;
}

// The frameworks' requirements on other packages (Requires-Dist), and the packages that carry GPU libraries.

namespace {

bool is_framework(const std::string& name) {
  static const LazyRegex names("torch|jax|jaxlib|keras|tf-keras|tf-nightly|tensorflow(-cpu|-gpu|-rocm|-intel|-macos)?",
                               RE2::Latin1);
  return RE2::FullMatch(name, names) || name.starts_with("jax-cuda") || name.starts_with("jax-rocm");
}

// One comparison of a marker; false where it can't be evaluated here.
bool holds(std::string_view clause, const std::string& python) {
  static const LazyRegex form(R"(\s*(\w+)\s*([<>=!]+)\s*["']?(.*?)["']?\s*)", RE2::Latin1);
  std::string name, how, value;
  if (!RE2::FullMatch(clause, form, &name, &how, &value)) return false;
  int order = 0;
  if (name == "sys_platform" || name == "platform_system") {
    if (how != "==" && how != "!=") return false;
    order = value == "linux" || value == "Linux" ? 0 : 1;
  } else if (name == "python_version" || name == "python_full_version") {
    order = knowledge::compare_versions(name == "python_version" ? knowledge::major_minor_of(python) : python, value);
  } else {
    return false;
  }
  if (how == "!=") return order != 0;
  return (order < 0 && (how == "<" || how == "<=")) || (order > 0 && (how == ">" || how == ">=")) ||
         (order == 0 && (how == "==" || how == "<=" || how == ">="));
}

// Whether a requirement applies: its marker is a chain of "and" that is true here.
bool applies(std::string_view marker, const std::string& python) {
  if (trimmed(marker).empty()) return true;
  if (marker.find(" or ") != marker.npos || marker.find('(') != marker.npos) return false;
  while (!marker.empty()) {
    const auto next = marker.find(" and ");
    if (!holds(marker.substr(0, next), python)) return false;
    marker = next == marker.npos ? std::string_view{} : marker.substr(next + 5);
  }
  return true;
}

// "numpy (<2.0.0,>=1.23.5)" or "numpy<2.0.0,>=1.23.5" with an optional marker after ';'.
std::optional<PackageRequirement> requirement(std::string_view line, const std::string& by, const std::string& python) {
  const auto semicolon = line.find(';');
  if (semicolon != line.npos && !applies(line.substr(semicolon + 1), python)) return std::nullopt;
  static const LazyRegex form(R"(\s*([^ (<>=!~[]+)\s*(?:\[[^\]]*\])?\s*(?:\(([^@]+)\)|([<>=!~][^@]*?))\s*)",
                              RE2::Latin1);
  std::string name, inside, range;
  if (!RE2::FullMatch(line.substr(0, semicolon), form, &name, &inside, &range)) return std::nullopt;
  return PackageRequirement{.by = by, .name = normal_name(name), .range = inside + range};
}

}  // namespace

std::vector<PackageRequirement> requirements_of(const Host& host, const std::vector<Distribution>& all,
                                                const std::string& python) {
  std::vector<PackageRequirement> found;
  for (const Distribution& one : all) {
    const std::string by = normal_name(one.name);
    if (!is_framework(by)) continue;
    const auto text = host.files.read(one.metadata + "/METADATA", 4 << 20);
    for (const std::string_view line : lines_of(text.or_empty())) {
      if (trimmed(line).empty()) break;
      constexpr std::string_view key = "Requires-Dist:";
      if (!line.starts_with(key)) continue;
      auto one_need = requirement(line.substr(key.size()), by, python);
      if (!one_need) continue;
      const auto other = std::ranges::find_if(
          all, [&](const Distribution& known) { return one_need->name.is(normal_name(known.name)); });
      one_need->installed = other == all.end() ? Text(absent("not installed")) : Text(other->version);
      found.push_back(std::move(*one_need));
    }
  }
  return found;
}

std::vector<GpuPackage> gpu_packages_in(const std::vector<Distribution>& all) {
  std::vector<GpuPackage> found;
  for (const Distribution& one : all) {
    if (!carries_gpu_libraries(one)) continue;
    GpuPackage package{.package = normal_name(one.name), .version = one.version};
    auto& libraries = package.libraries.fill();
    each_recorded(one.record, [&](const RecordedFile& file) {
      const std::string_view base = base_name(file.path);
      if (base.starts_with("lib") && contains(base, ".so")) libraries.emplace_back(base);
    });
    std::ranges::sort(libraries);
    found.push_back(std::move(package));
  }
  return found;
}

}  // namespace envdoctor

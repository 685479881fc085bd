// Distributions that write each other's files, and what broken installs and removals leave.
#include <algorithm>
#include <map>
#include <set>

#include "probe/distributions.h"
#include "probe/text.h"

namespace envdoctor {
namespace {

constexpr std::size_t files_compared = 50;  // those whose recorded sizes differ

// What is imported: "torch" of "torch/nn/x.py", "six.py" of "six.py". Empty: nothing that is.
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

// The one of two whose files lie there: every file that they record with different sizes is asked.
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
  if (for_a + for_b > 0) return failed("files of both lie there");
  return absent(neither > 0 ? "the files are neither's" : "their files are of equal sizes");
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

// The tops that a distribution records, and whether each holds code of its own.
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
        // The same one twice is a broken upgrade, told as damage.
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
  for (const std::string& folder : folders) {
    const auto names = host.files.list(folder);
    for (std::size_t i = 0; names.get() && i < names.get()->size(); ++i) {
      const std::string& name = (*names.get())[i];
      const bool framework = name == "tensorflow" || name == "torch" || name == "jax" || name == "jaxlib" ||
                             name == "keras" || name == "numpy";
      if (name.starts_with('~'))
        found.push_back({.package = name, .what = "leftover", .path = folder + "/" + name});
      else if (framework && !owned.contains(name))
        found.push_back({.package = name, .what = "metadata-missing", .path = folder + "/" + name});
    }
  }
  return found;
}

}  // namespace envdoctor

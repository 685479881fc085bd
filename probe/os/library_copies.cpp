#include "knowledge/lazy_regex.h"
#include "probe/os/libraries.h"

#include <re2/re2.h>

#include <algorithm>

#include "host/text.h"
#include "knowledge/codes/names.h"
#include "knowledge/gpus/cuda_toolkits.h"

namespace envdoctor {

namespace {

// Wheels rename the copies that they bundle with a hash: libcudart-d0da41ae.so.11.0.
std::string without_hash(const std::string& name) {
  static const LazyRegex hashed(R"((lib[A-Za-z0-9_]+)-[0-9a-f]{8}(\.so(?:\.\d+)*))", RE2::Latin1);
  std::string front;
  std::string back;
  return RE2::FullMatch(name, hashed, &front, &back) ? front + back : name;
}

}  // namespace

LibraryPlaces::LibraryPlaces(const Host& host, const std::vector<Toolkit>& toolkits,
                             const std::vector<std::string>& packages)
    : files_(host.files) {
  for (const std::string& folder : packages) {
    add_children(folder + "/nvidia", "/lib", "pip");
    add_folder(folder + "/torch/lib", "pip");
    add_folder(folder + "/tensorrt_libs", "pip");
  }
  if (const std::string conda = variable(host, "CONDA_PREFIX"); conda.starts_with('/'))
    add_folder(conda + "/lib", "conda");
  for (const Toolkit& toolkit : toolkits) {
    const std::string& root = *toolkit.path.get();
    if (toolkit.origin.is("conda")) continue;  // its lib is conda's
    for (const char* inside : {"/lib64", "/lib", "/extras/CUPTI/lib64", "/nvvm/lib64", "/lib64/stubs", "/lib/stubs"}) {
      add_folder(root + inside, "toolkit");
    }
    add_children(root + "/targets", "/lib", "toolkit");
    add_children(root + "/targets", "/lib/stubs", "toolkit");
  }
  // The compatibility package installs a driver's libraries beside a toolkit that may be missing.
  add_children("/usr/local", "/compat", "toolkit", "cuda");
  add_folder("/usr/lib/x86_64-linux-gnu/stubs", "toolkit");
  add_folder("/usr/lib/aarch64-linux-gnu/stubs", "toolkit");
  add_children("/opt", "/lib", "toolkit", "rocm");
  // Where clouds and WSL mount the host's driver.
  for (const char* folder : {"/usr/local/nvidia/lib64", "/usr/local/nvidia/lib", "/usr/lib/wsl/lib"}) {
    add_folder(folder, "mounted");
  }
}

void LibraryPlaces::add_children(const std::string& parent, const std::string& inside, const std::string& origin,
                                 const std::string& begin) {
  for (const std::string& name : files_.list(parent).or_empty())
    if (name.starts_with(begin)) add_folder(parent + "/" + name + inside, origin);
}

void LibraryPlaces::add_folder(const std::string& folder, const std::string& origin) {
  const auto real = files_.resolve(folder);
  if (real.get() == nullptr || !seen_.insert(*real.get()).second) return;
  const auto names = files_.list(*real.get()).or_empty();
  // Images sometimes hold the compatibility library without its link.
  const bool unlinked = folder.ends_with("/compat") && std::ranges::count(names, "libcuda.so.1") == 0;
  for (const std::string& name : names) {
    if (!contains(name, ".so")) continue;
    const bool bare = unlinked && name.starts_with("libcuda.so.");
    copies_.emplace(bare ? "libcuda.so.1" : without_hash(name),
                    LibraryCopy{.path = *real.get() + "/" + name, .origin = origin});
  }
}

std::vector<LibraryCopy> LibraryPlaces::copies_of(const std::string& soname) const {
  std::vector<LibraryCopy> found;
  const auto [begin, end] = copies_.equal_range(soname);
  for (auto entry = begin; entry != end; ++entry) {
    LibraryCopy copy = entry->second;
    const auto real = files_.resolve(copy.path);
    if (real.get() == nullptr) continue;  // a broken link is no copy
    copy.real = *real.get();
    const auto same = [&](const LibraryCopy& known) { return known.real == copy.real; };
    if (std::ranges::none_of(found, same)) found.push_back(std::move(copy));
  }
  return found;
}

namespace {

bool of_driver(const std::string& soname) {
  return soname.starts_with("libcuda.so") || soname.starts_with("libnvidia-");
}

// The folder whose .dist-info children describe the library at this path; empty: none.
std::string package_folder(const std::string& real) {
  for (const char* kind : {"/site-packages/nvidia/", "/dist-packages/nvidia/"}) {
    const auto at = real.find(kind);
    if (at != std::string::npos) return real.substr(0, at + std::string_view("/site-packages").size());
  }
  // A toolkit that was assembled from pip packages keeps their .dist-info in its own folder.
  const auto at = std::min(real.find("/lib/"), real.find("/lib64/"));
  return at == std::string::npos || real.find("/cuda") >= at ? std::string{} : real.substr(0, at) + "/dist-info";
}

}  // namespace

Text version_of_file_name(const std::string& real, const std::string& soname) {
  static const LazyRegex form(R"(.*?\.so\.([\d.]*\.[\d.]*))", RE2::Latin1);
  const std::string file(base_name(real));
  std::string version;
  if (file == soname || !RE2::FullMatch(file, form, &version)) return absent("its file name contains no version");
  // Jetson's and WSL's libcuda.so.1.1 counts the interface; driver versions begin with the branch.
  if (of_driver(soname) && version.find('.') < 3) return absent("its file name contains no driver version");
  return version;
}

Text PackageVersions::of(const std::string& real, const std::string& library) {
  const std::string folder = package_folder(real);
  if (folder.empty()) return absent("belongs to no pip package");
  const auto [entry, fresh] = listed_.try_emplace(folder);
  if (fresh) {
    static const LazyRegex form(R"(([^-]*)-(.*)\.dist-info.*)", RE2::Latin1);
    std::string name, version;
    for (const std::string& child : files_.list(folder).or_empty())
      if (RE2::FullMatch(child, form, &name, &version)) entry->second[name] = version;
  }
  for (const knowledge::PipPackage& package : knowledge::pip_packages()) {
    if (package.library != library) continue;
    std::string name = package.package;
    std::ranges::replace(name, '-', '_');
    if (const auto known = entry->second.find(name); known != entry->second.end()) return known->second;
  }
  return absent("no pip package records its version");
}

Flag is_stub(const Files& files, const std::string& path, const std::string& real, const std::string& soname) {
  const bool cuda_or_nvml = soname.starts_with("libcuda.so") || soname.starts_with("libnvidia-ml.so");
  if (path.find("/stubs/") != std::string::npos || real.find("/stubs/") != std::string::npos) return true;
  if (!cuda_or_nvml) return {};
  if (real.starts_with("/usr/lib/wsl/") || version_of_file_name(real, soname).get() != nullptr) return false;
  const auto status = files.status(real);
  if (status.get() == nullptr) return status.missing();
  if (status.get()->size == 0) return {};  // a captured host, where only the name was kept
  constexpr std::uint64_t largest_stub = 256 * 1024;
  return status.get()->size <= largest_stub;
}

// CUDA toolkits.

namespace {

constexpr std::size_t largest_header = 8 << 20;  // cuda.h has 1.1 MiB

struct Candidate {
  std::string path{};
  std::string origin{};
};

std::vector<Candidate> candidates(const Host& host) {
  std::vector<Candidate> all;
  for (const std::string& name : host.files.list("/usr/local").or_empty())
    if (name.starts_with("cuda")) all.push_back({"/usr/local/" + name, "/usr/local"});
  for (const char* name : {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"})
    if (const std::string folder = variable(host, name); folder.starts_with('/')) all.push_back({folder, name});
  if (const std::string conda = variable(host, "CONDA_PREFIX"); conda.starts_with('/')) {
    all.push_back({conda, "conda"});
    all.push_back({conda + "/targets/x86_64-linux", "conda"});
  }
  for (const char* path : {"/usr/lib/cuda", "/usr/lib/nvidia-cuda-toolkit", "/opt/cuda"}) {
    all.push_back({path, "distribution"});
  }
  return all;
}

Text version_in(const Files& files, const std::string& folder) {
  struct Source {
    const char* file;
    Text (*parse)(const std::string&);
  };
  constexpr Source sources[] = {{"/version.json", version_of_version_json},
                                {"/version.txt", version_of_version_txt},
                                {"/include/cuda.h", version_of_cuda_header}};
  Text version = absent("no version.json, version.txt or include/cuda.h");
  for (const Source& source : sources) {
    const auto text = files.read(folder + source.file, largest_header);
    if (text.outcome() == Outcome::absent) continue;
    version = text.then([&](const std::string& read) {
      const Text parsed = source.parse(read);
      return parsed.get() != nullptr ? parsed : Text(failed(folder + source.file + ": " + parsed.why()));
    });
    if (version.get() != nullptr) break;
  }
  return version;
}

Text captured(const std::string& text, const RE2& pattern) {
  std::string version;
  return RE2::PartialMatch(text, pattern, &version) ? Text(version) : Text(failed("contains no version"));
}

}  // namespace

Text version_of_version_json(const std::string& text) {
  static const LazyRegex pattern(R"re("cuda"\s*:\s*\{[^{}]*"version"\s*:\s*"(\d+(?:\.\d+)+)")re", RE2::Latin1);
  return captured(text, pattern);
}

Text version_of_version_txt(const std::string& text) {
  static const LazyRegex pattern(R"(CUDA Version (\d+(?:\.\d+)+))", RE2::Latin1);
  return captured(text, pattern);
}

Text version_of_cuda_header(const std::string& text) {
  static const LazyRegex pattern(R"((?m)^#define CUDA_VERSION (\d{4,6})\b)", RE2::Latin1);
  const Text number = captured(text, pattern);
  return number.then([](const std::string& digits) { return knowledge::cuda_version_text(std::stol(digits)); });
}

std::vector<Toolkit> find_toolkits(const Host& host) {
  std::vector<Toolkit> found;
  for (const Candidate& candidate : candidates(host)) {
    const auto folder = host.files.resolve(candidate.path);
    if (folder.get() == nullptr) continue;
    if (std::ranges::any_of(found, [&](const Toolkit& known) { return known.path.is(*folder.get()); })) continue;
    Text version = version_in(host.files, *folder.get());
    // A folder of this name counts only if it has a version file or the compiler.
    const bool compiler = host.files.status(*folder.get() + "/bin/nvcc").get() != nullptr;
    if (version.get() == nullptr && !compiler) continue;
    found.push_back({.path = *folder.get(), .version = std::move(version), .origin = candidate.origin});
  }
  std::ranges::sort(found, {}, [](const Toolkit& toolkit) { return *toolkit.path.get(); });
  return found;
}

}  // namespace envdoctor

#include "probe/os/libraries.h"

#include <re2/re2.h>

#include <algorithm>

#include "knowledge/gpus/cuda_toolkits.h"

namespace envdoctor {
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
  static const RE2 pattern(R"re("cuda"\s*:\s*\{[^{}]*"version"\s*:\s*"(\d+(?:\.\d+)+)")re");
  return captured(text, pattern);
}

Text version_of_version_txt(const std::string& text) {
  static const RE2 pattern(R"(CUDA Version (\d+(?:\.\d+)+))");
  return captured(text, pattern);
}

Text version_of_cuda_header(const std::string& text) {
  static const RE2 pattern(R"((?m)^#define CUDA_VERSION (\d{4,6})\b)");
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
    // A folder of this name may be anything: it counts if it tells a version or holds the compiler.
    const bool compiler = host.files.status(*folder.get() + "/bin/nvcc").get() != nullptr;
    if (version.get() == nullptr && !compiler) continue;
    found.push_back({.path = *folder.get(), .version = std::move(version), .origin = candidate.origin});
  }
  std::ranges::sort(found, {}, [](const Toolkit& toolkit) { return *toolkit.path.get(); });
  return found;
}

}  // namespace envdoctor

// Which libraries to look for, and which of them to tell even where they are missing.
#include <algorithm>
#include <array>
#include <set>

#include "knowledge/drivers.h"
#include "knowledge/frameworks.h"
#include "knowledge/names.h"
#include "knowledge/toolkits.h"
#include "probe/library_rows.h"

namespace envdoctor {
namespace {

// The ones that frameworks load; a toolkit's others are told only where they are found.
constexpr std::array usual = {"cudart", "cublas", "cublasLt", "cufft", "curand", "cusolver", "cusparse", "cudnn"};

void expect_toolkit(std::set<std::string>& expected, const std::string& cuda) {
  for (const knowledge::Soname& row : knowledge::sonames_of_cuda(knowledge::major_of(cuda))) {
    if (std::ranges::find(usual, row.library) != usual.end()) expected.insert(row.soname);
  }
}

// The version in the name of a folder such as tensorflow-2.15.1.dist-info; empty for another package.
std::string tensorflow_version(const std::string& name) {
  for (const char* package : {"tensorflow-", "tensorflow_gpu-"}) {
    if (name.starts_with(package) && name.ends_with(".dist-info")) {
      const auto begin = std::string_view(package).size();
      return name.substr(begin, name.size() - begin - std::string_view(".dist-info").size());
    }
  }
  return {};
}

void expect_tensorflow(std::set<std::string>& expected, const std::string& version) {
  const auto needs = knowledge::tensorflow_needs(version);
  if (!needs) return;
  expected.insert(needs->sonames.begin(), needs->sonames.end());
  expected.insert(needs->cudnn_soname);
}

}  // namespace

std::vector<WantedLibrary> wanted_libraries(const Files& files, const std::vector<Toolkit>& toolkits,
                                            const std::vector<std::string>& packages) {
  std::set<std::string> expected = {"libcuda.so.1", "libnvidia-ml.so.1", "libOpenCL.so.1"};
  for (const Toolkit& toolkit : toolkits) {
    if (toolkit.version.get() != nullptr) expect_toolkit(expected, *toolkit.version.get());
  }
  for (const std::string& folder : packages) {
    const auto names = files.list(folder);
    for (const std::string& name : names.get() != nullptr ? *names.get() : std::vector<std::string>{}) {
      if (const std::string version = tensorflow_version(name); !version.empty()) expect_tensorflow(expected, version);
    }
  }
  std::vector<WantedLibrary> wanted;
  const auto want = [&](const std::string& soname, const std::string& library) {
    const bool known = std::ranges::any_of(wanted, [&](const WantedLibrary& one) { return one.soname == soname; });
    if (!known) wanted.push_back({.soname = soname, .library = library, .always = expected.contains(soname)});
  };
  for (const knowledge::Soname& row : knowledge::sonames()) want(row.soname, row.library);
  want("libcuda.so", "driver: CUDA");  // what programs were linked with; a toolkit's stub has this name
  want("libamdhip64.so", "HIP runtime");
  want("librocm_smi64.so", "ROCm SMI");
  return wanted;
}

}  // namespace envdoctor

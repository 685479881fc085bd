#include "probe/library_places.h"

#include <re2/re2.h>

#include <algorithm>

namespace envdoctor {
namespace {

// Wheels that carry copies of their own give them a hash: libcudart-d0da41ae.so.11.0.
std::string without_hash(const std::string& name) {
  static const RE2 hashed(R"((lib[A-Za-z0-9_]+)-[0-9a-f]{8}(\.so(?:\.\d+)*))");
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
  const auto conda = host.env.find("CONDA_PREFIX");
  if (conda != host.env.end() && conda->second.starts_with('/')) add_folder(conda->second + "/lib", "conda");
  for (const Toolkit& toolkit : toolkits) {
    const std::string& root = *toolkit.path.get();
    if (toolkit.origin.is("conda")) continue;  // its lib is conda's
    for (const char* inside : {"/lib64", "/lib", "/extras/CUPTI/lib64", "/nvvm/lib64", "/lib64/stubs", "/lib/stubs"}) {
      add_folder(root + inside, "toolkit");
    }
    add_children(root + "/targets", "/lib", "toolkit");
    add_children(root + "/targets", "/lib/stubs", "toolkit");
  }
  // The compatibility package puts a driver's libraries beside a toolkit that need not be there.
  const auto local = files_.list("/usr/local");
  if (local.get() != nullptr) {
    for (const std::string& name : *local.get()) {
      if (name.starts_with("cuda")) add_folder("/usr/local/" + name + "/compat", "toolkit");
    }
  }
  add_folder("/usr/lib/x86_64-linux-gnu/stubs", "toolkit");
  add_folder("/usr/lib/aarch64-linux-gnu/stubs", "toolkit");
  const auto opt = files_.list("/opt");
  if (opt.get() != nullptr) {
    for (const std::string& name : *opt.get()) {
      if (name.starts_with("rocm")) add_folder("/opt/" + name + "/lib", "toolkit");
    }
  }
  // Where clouds and WSL mount the host's driver.
  for (const char* folder : {"/usr/local/nvidia/lib64", "/usr/local/nvidia/lib", "/usr/lib/wsl/lib"}) {
    add_folder(folder, "mounted");
  }
}

void LibraryPlaces::add_children(const std::string& parent, const std::string& inside, const std::string& origin) {
  const auto names = files_.list(parent);
  if (names.get() == nullptr) return;
  for (const std::string& name : *names.get()) add_folder(parent + "/" + name + inside, origin);
}

void LibraryPlaces::add_folder(const std::string& folder, const std::string& origin) {
  const auto real = files_.resolve(folder);
  if (real.get() == nullptr || !seen_.emplace(*real.get(), true).second) return;
  const auto names = files_.list(*real.get());
  if (names.get() == nullptr) return;
  const bool compat = folder.ends_with("/compat");
  const bool linked = std::ranges::find(*names.get(), "libcuda.so.1") != names.get()->end();
  for (const std::string& name : *names.get()) {
    if (name.find(".so") == std::string::npos) continue;
    // Images sometimes hold the compatibility library without its link.
    const bool bare = compat && !linked && name.starts_with("libcuda.so.");
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
    if (real.get() == nullptr) continue;  // a link to nowhere is no copy
    copy.real = *real.get();
    const auto same = [&](const LibraryCopy& known) { return known.real == copy.real; };
    if (std::ranges::none_of(found, same)) found.push_back(std::move(copy));
  }
  return found;
}

}  // namespace envdoctor

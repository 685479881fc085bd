#include "probe/site_packages.h"

#include <algorithm>

namespace envdoctor {
namespace {

std::string value(const Host& host, const char* name) {
  const auto set = host.env.find(name);
  return set == host.env.end() ? std::string{} : set->second;
}

std::string parent(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos || slash == 0 ? "/" : path.substr(0, slash);
}

// The folder that holds bin/python: of an environment by its link, of a system's Python by what the link leads to.
std::string prefix_on_path(const Host& host) {
  const std::string path = value(host, "PATH");
  for (std::size_t at = 0; at <= path.size();) {
    const auto colon = std::min(path.find(':', at), path.size());
    const std::string folder = path.substr(at, colon - at);
    at = colon + 1;
    if (!folder.starts_with('/')) continue;
    for (const char* name : {"/python3", "/python"}) {
      const auto target = host.files.resolve(folder + name);
      if (target.get() == nullptr) continue;
      if (host.files.status(parent(folder) + "/pyvenv.cfg").get() != nullptr) return parent(folder);
      return parent(parent(*target.get()));
    }
  }
  return {};
}

}  // namespace

std::vector<std::string> site_packages(const Host& host) {
  std::string prefix;
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    if (prefix.empty() && value(host, name).starts_with('/')) prefix = value(host, name);
  }
  if (prefix.empty()) prefix = prefix_on_path(host);
  if (prefix.empty()) return {};
  std::vector<std::string> roots = {prefix};
  const bool environment = host.files.status(prefix + "/pyvenv.cfg").get() != nullptr;
  if (!environment && value(host, "PYTHONNOUSERSITE").empty() && value(host, "HOME").size() > 1) {
    roots.insert(roots.begin(), value(host, "HOME") + "/.local");
  }
  if (prefix == "/usr") roots.insert(roots.end() - 1, "/usr/local");
  std::vector<std::string> folders;
  for (const std::string& root : roots) {
    const auto names = host.files.list(root + "/lib");
    if (names.get() == nullptr) continue;
    for (const std::string& name : *names.get()) {
      if (!name.starts_with("python3")) continue;
      for (const char* kind : {"/site-packages", "/dist-packages"}) {
        std::string folder = root + "/lib/" + name + kind;
        if (host.files.status(folder).get() != nullptr) folders.push_back(std::move(folder));
      }
    }
  }
  return folders;
}

}  // namespace envdoctor

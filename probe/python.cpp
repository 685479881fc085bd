// The active Python environment, from its files alone: nothing of it is run.
#include <algorithm>

#include "probe/probes.h"
#include "probe/site_packages.h"

namespace envdoctor {
namespace {

// "torch-2.3.0+cu121.dist-info" -> {"torch", "2.3.0+cu121"}; an egg's Python version and platform are dropped.
std::pair<std::string, std::string> distribution(std::string_view folder) {
  for (const std::string_view suffix : {".dist-info", ".egg-info"}) {
    if (!folder.ends_with(suffix)) continue;
    folder.remove_suffix(suffix.size());
    const auto dash = folder.find('-');
    if (dash == folder.npos || dash == 0) return {};
    const std::string_view version = folder.substr(dash + 1);
    return {std::string(folder.substr(0, dash)), std::string(version.substr(0, version.find("-py")))};
  }
  return {};
}

// ".../lib/python3.11/site-packages" -> "3.11".
std::string version_of(const std::string& site_folder) {
  const auto at = site_folder.rfind("/python3.");
  if (at == site_folder.npos) return {};
  const auto begin = at + std::string_view("/python").size();
  return site_folder.substr(begin, site_folder.find('/', begin) - begin);
}

std::string kind_of(const Files& files, const std::string& prefix) {
  if (files.status(prefix + "/pyvenv.cfg").get()) return "venv";
  return files.status(prefix + "/conda-meta").get() ? "conda" : "system";
}

void note_version(Text& field, const std::map<std::string, std::string>& packages,
                  std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (const auto found = packages.find(name); found != packages.end() && !field.get()) field = found->second;
  }
}

}  // namespace

void probe_python(Session& session) {
  const auto folders = site_packages(session.host);
  Snapshot part;
  if (folders.empty()) {
    part.python = absent("no Python environment is active and none is on PATH");
    session.add(part);
    return;
  }
  Python& python = part.python.fill();
  auto& packages = python.packages.fill();
  for (const std::string& folder : folders) {
    const auto names = session.host.files.list(folder);
    if (!names.get()) continue;
    for (const std::string& name : *names.get()) {
      if (auto [package, version] = distribution(name); !package.empty()) packages.emplace(package, version);
    }
  }
  const std::string& own = folders.back();
  const std::string prefix = own.substr(0, own.find("/lib/python"));
  python.prefix = prefix;
  python.kind = kind_of(session.host.files, prefix);
  if (const std::string version = version_of(own); !version.empty()) python.version = version;
  const auto note = [&](auto& section, std::initializer_list<const char*> names) {
    Text version;
    note_version(version, packages, names);
    if (version.get()) section.fill().version = version;
  };
  note(part.tensorflow, {"tensorflow", "tensorflow_gpu", "tensorflow_cpu", "tensorflow_rocm"});
  note(part.torch, {"torch"});
  note(part.jax, {"jax"});
  note(part.keras, {"keras"});
  session.add(part);
}

}  // namespace envdoctor

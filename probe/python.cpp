// The Python environment that is meant, from its files alone: nothing of it is run.
#include <algorithm>

#include "evidence/json_text.h"
#include "probe/distributions.h"
#include "probe/framework_builds.h"
#include "probe/notebook.h"
#include "probe/probes.h"
#include "probe/site_packages.h"

namespace envdoctor {
namespace {

std::string joined(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : ", ") + part;
  return out;
}

// "pytorch-2.4.1-py3.11_cuda12.1_cudnn9.1.0_0.json" -> pytorch: "2.4.1 py3.11_cuda12.1_cudnn9.1.0_0".
void read_conda(const Host& host, const std::string& prefix, Python& python) {
  const auto names = host.files.list(prefix + "/conda-meta");
  if (!names.get()) return;
  auto& packages = python.conda_packages.fill();
  for (const std::string& name : *names.get()) {
    if (!name.ends_with(".json")) continue;
    const std::string stem = name.substr(0, name.size() - 5);
    const auto build = stem.rfind('-');
    const auto version = build == stem.npos || build == 0 ? stem.npos : stem.rfind('-', build - 1);
    if (version == stem.npos) continue;
    packages[stem.substr(0, version)] = stem.substr(version + 1, build - version - 1) + " " + stem.substr(build + 1);
  }
}

void read_kernels(const Host& host, const Interpreter& chosen, Python& python) {
  auto& kernels = python.kernels.fill();
  for (const JupyterKernel& kernel : jupyter_kernels(host, chosen.prefix)) {
    PythonPlace place{.name = kernel.name, .executable = kernel.executable};
    const Reading<Interpreter> one = python_at(host, kernel.executable);
    place.prefix = one.then([](const Interpreter& found) { return found.prefix; });
    if (one.get()) place.frameworks = frameworks_at(host, one.get()->prefix);
    kernels.push_back(std::move(place));
  }
}

void read_others(const Host& host, const Interpreter& chosen, Python& python) {
  auto& others = python.others.fill();
  for (const std::string& folder : environment_folders(host)) {
    if (folder == chosen.prefix) continue;
    const auto found = frameworks_at(host, folder);
    if (!found.empty()) others.push_back(folder + ": " + joined(found));
  }
}

}  // namespace

void probe_python(Session& session) {
  const Host& host = session.host;
  const Reading<Interpreter> chosen = chosen_python(host, session.options.python);
  Snapshot part;
  if (!chosen.get()) {
    part.python = chosen.missing();
    session.add(part);
    return;
  }
  const Interpreter& interpreter = *chosen.get();
  Python& python = part.python.fill();
  if (!interpreter.executable.empty()) python.executable = interpreter.executable;
  if (!interpreter.version.empty()) python.version = interpreter.version;
  python.kind = interpreter.kind;
  python.prefix = interpreter.prefix;
  python.found_by = interpreter.found_by;
  const std::vector<std::string> folders = package_folders(host, interpreter);
  python.search_path = folders;

  std::vector<Distribution> all;
  for (const std::string& folder : folders) {
    auto found = distributions_in(host, folder);
    std::ranges::move(found, std::back_inserter(all));
  }
  auto& packages = python.packages.fill();
  for (const Distribution& one : all) packages.emplace(one.name, one.version);
  std::vector<std::string> installed;
  std::ranges::copy_if(folders, std::back_inserter(installed), [](const auto& f) { return f.ends_with("-packages"); });
  python.written_twice = written_twice(host, all);
  python.damage = damage_in(host, installed, all);
  python.requirements = requirements_of(host, all, interpreter.version);
  python.gpu_packages = gpu_packages_in(all);
  if (interpreter.kind == "conda") read_conda(host, interpreter.prefix, python);
  read_kernels(host, interpreter, python);
  read_others(host, interpreter, python);
  python.notebook = notebook_above(host);
  read_framework_builds(host, folders, all, part);
  session.add(part);
}

}  // namespace envdoctor

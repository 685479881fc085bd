#include "knowledge/lazy_regex.h"
#include "probe/python/python_interpreter.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <set>

#include "evidence/json.h"
#include "host/text.h"
#include "probe/probes.h"
#include "probe/python/distributions.h"
#include "probe/script.h"

namespace envdoctor {

namespace {

class SearchPath {
 public:
  explicit SearchPath(const Host& host) : host_(host) {}

  // A folder as it is on sys.path: .pth files in it are not read. The first of two names for one folder stays
  // (lib64 is often a link to lib).
  bool add(const std::string& folder) {
    const auto real = host_.files.resolve(folder);
    if (!real.get() || !host_.files.status(folder).get() || !seen_.insert(*real.get()).second) return false;
    folders.push_back(folder);
    return true;
  }

  // A folder that the site module takes: its .pth files name more.
  void add_site(const std::string& folder) {
    const auto names = host_.files.list(folder);
    if (!names.get() || !add(folder)) return;
    for (const std::string& name : *names.get()) {
      if (!name.ends_with(".pth") || name.starts_with('.')) continue;
      const auto text = host_.files.read(folder + "/" + name);
      for (std::string_view line : lines_of(text.or_empty())) {
        line = trimmed(line);
        if (line.empty() || line.starts_with('#') || line.starts_with("import ") || line.starts_with("import\t"))
          continue;
        add(line.starts_with('/') ? std::string(line) : folder + "/" + std::string(line));
      }
    }
  }

  // lib/python3.11/site-packages under a prefix; Debian keeps its own in dist-packages.
  void add_prefix(const std::string& prefix, const std::string& series) {
    for (const char* lib : {"/lib", "/lib64"}) {
      for (const char* kind : {"/site-packages", "/dist-packages"}) add_site(prefix + lib + "/python" + series + kind);
    }
    add_site(prefix + "/Lib/site-packages");  // Windows, seen from WSL
  }

  std::vector<std::string> folders{};

 private:
  const Host& host_;
  std::set<std::string> seen_{};
};

}  // namespace

Reading<Interpreter> chosen_python(const Host& host, const std::string& named) {
  return named.empty() ? active_python(host) : named_python(host, named);
}

std::vector<std::string> package_folders(const Host& host, const Interpreter& python) {
  SearchPath path(host);
  const std::string python_path = variable(host, "PYTHONPATH");
  for (const std::string_view folder : pieces(python_path, ':')) {
    if (folder.starts_with('/')) path.add(std::string(folder));
  }
  const bool isolated = python.kind == "venv" && !python.system_site;
  const std::string home = variable(host, "HOME");
  std::string user = variable(host, "PYTHONUSERBASE");
  if (user.empty() && home.size() > 1) user = home + "/.local";
  if (!isolated && !user.empty() && variable(host, "PYTHONNOUSERSITE").empty())
    path.add_site(user + "/lib/python" + python.series + "/site-packages");
  if (python.kind == "venv") path.add_prefix(python.prefix, python.series);
  if (isolated) return path.folders;
  if (python.base_prefix == "/usr") path.add_prefix("/usr/local", python.series);
  path.add_prefix(python.base_prefix, python.series);
  if (python.base_prefix == "/usr") path.add_site("/usr/lib/python3/dist-packages");
  return path.folders;
}

std::vector<std::string> site_packages(const Host& host, const std::string& named) {
  const Reading<Interpreter> python = chosen_python(host, named);
  return python.get() ? package_folders(host, *python.get()) : std::vector<std::string>{};
}

// The selected Python environment, read from files: nothing of it is run.

namespace {

// "pytorch-2.4.1-py3.11_cuda12.1_cudnn9.1.0_0.json" -> pytorch: "2.4.1 py3.11_cuda12.1_cudnn9.1.0_0".
void read_conda(const Host& host, const std::string& prefix, Python& python) {
  static const LazyRegex form(R"((.*)-([^-]*)-([^-]*)\.json)", RE2::Latin1);
  const auto names = host.files.list(prefix + "/conda-meta");
  if (!names.get()) return;
  auto& packages = python.conda_packages.fill();
  std::string package, version, build;
  for (const std::string& name : *names.get())
    if (RE2::FullMatch(name, form, &package, &version, &build)) packages[package] = version + " " + build;
}

Text installer_of(const Host& host, const Interpreter& python, const Python& found) {
  const auto exists = [&](const std::string& path) { return host.files.status(path).get() != nullptr; };
  const std::string library = python.base_prefix + "/lib/python" + python.series;
  const bool pip = found.packages.or_empty().contains("pip");
  if (python.kind == "conda" && (contains(python.prefix, "/.pixi/envs/") || exists(python.prefix + "/conda-meta/pixi")))
    return std::string("pixi");
  if (python.kind != "venv" && python.kind != "conda" && exists(library + "/EXTERNALLY-MANAGED"))
    return absent("its packages are managed by the distribution (EXTERNALLY-MANAGED)");
  if (pip) return std::string("pip");
  if (python.made_by_uv) return std::string("uv");
  if (python.kind == "conda") return std::string("conda");
  return std::string(exists(library + "/ensurepip/__init__.py") ? "ensurepip" : "pip");
}

// The environment that VIRTUAL_ENV names while `python3` belongs to another one: a half-activated shell.
Reading<PythonPlace> activated_elsewhere(const Host& host, const Interpreter& chosen) {
  const std::string folder = variable(host, "VIRTUAL_ENV");
  if (chosen.found_by != "PATH" || !folder.starts_with('/')) return absent("VIRTUAL_ENV names no other environment");
  const auto python = python_at(host, folder);
  const auto own = host.files.resolve(chosen.prefix), named = host.files.resolve(folder);
  if (!python.get() || !named.get() || (own.get() && *own.get() == *named.get()) || folder == chosen.prefix)
    return absent("VIRTUAL_ENV names no other environment");
  return place_of(host, "VIRTUAL_ENV", python.get()->executable);
}

void read_kernels(const Host& host, const Interpreter& chosen, Python& python) {
  auto& kernels = python.kernels.fill();
  for (const JupyterKernel& kernel : jupyter_kernels(host, chosen.prefix))
    kernels.push_back(place_of(host, kernel.name, kernel.executable));
}

void read_others(const Host& host, const Interpreter& chosen, Python& python) {
  auto& others = python.others.fill();
  for (const std::string& folder : environment_folders(host)) {
    if (folder == chosen.prefix) continue;
    const auto found = frameworks_at(host, folder);
    if (!found.empty()) others.push_back(fmt::format("{}: {}", folder, fmt::join(found, ", ")));
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
  // Only the family `python` needs the lists of files; with many packages they take half of the time.
  const bool judged = session.wants("python");
  for (Distribution& one : all)
    if (judged || carries_gpu_libraries(one)) read_record(host, one);
  if (judged) {
    python.written_twice = written_twice(host, all);
    python.damage = damage_in(host, installed, all);
  }
  python.requirements = requirements_of(host, all, interpreter.version);
  python.gpu_packages = gpu_packages_in(all);
  python.installer = installer_of(host, interpreter, python);
  python.activated = activated_elsewhere(host, interpreter);
  if (interpreter.kind == "conda") read_conda(host, interpreter.prefix, python);
  read_kernels(host, interpreter, python);
  read_others(host, interpreter, python);
  python.notebook = notebook_above(host);
  read_framework_builds(host, folders, all, part);
  session.add(part);
}

}  // namespace envdoctor

// Environments and kernels by name: conda, virtualenvwrapper, pyenv, Jupyter.
#include "probe/python/python_interpreter.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>

#include "evidence/json.h"
#include "host/text.h"
#include "knowledge/gpus/drivers.h"
#include "knowledge/lazy_regex.h"

namespace envdoctor {

namespace {

// The folders that hold environments, each in a folder of its name.
std::vector<std::string> environment_homes(const Host& host) {
  const std::string home = variable(host, "HOME"), prefix = variable(host, "CONDA_PREFIX");
  std::vector<std::string> homes;
  const auto add = [&homes](const std::string& base, const std::string& inside) {
    if (base.starts_with('/')) homes.push_back(base + inside);
  };
  if (const std::string conda = variable(host, "CONDA_EXE"); !conda.empty())
    add(parent_folder(parent_folder(conda)), "/envs");
  add(variable(host, "MAMBA_ROOT_PREFIX"), "/envs");
  add(prefix, "/envs");
  if (parent_folder(prefix).ends_with("/envs")) add(parent_folder(prefix), "");
  add(variable(host, "WORKON_HOME"), "");
  add(variable(host, "PYENV_ROOT"), "/versions");
  for (const char* folder :
       {"/miniconda3/envs", "/anaconda3/envs", "/miniforge3/envs", "/mambaforge/envs", "/micromamba/envs",
        "/.conda/envs", "/.virtualenvs", "/.local/share/virtualenvs", "/.pyenv/versions"})
    if (home.size() > 1) add(home, folder);
  for (const char* folder : {"/opt/conda/envs", "/opt/miniconda3/envs", "/opt/anaconda3/envs"}) add(folder, "");
  return homes;
}

}  // namespace

std::vector<std::string> environment_folders(const Host& host) {
  std::vector<std::string> folders;
  // The environments that conda itself recorded, in any folder.
  const auto noted = host.files.read(variable(host, "HOME") + "/.conda/environments.txt");
  for (const std::string_view line : lines_of(noted.or_empty()))
    if (trimmed(line).starts_with('/')) folders.emplace_back(trimmed(line));
  for (const std::string& home : environment_homes(host))
    for (const std::string& name : host.files.list(home).or_empty()) folders.push_back(home + "/" + name);
  if (const std::string here = variable(host, "PWD"); here.starts_with('/')) {
    for (const char* name : {"/.venv", "/venv", "/env"}) folders.push_back(here + name);
  }
  sort_unique(folders);
  return folders;
}

std::vector<JupyterKernel> jupyter_kernels(const Host& host, const std::string& prefix) {
  std::vector<std::string> homes;
  const std::string jupyter_path = variable(host, "JUPYTER_PATH");
  for (const std::string_view folder : pieces(jupyter_path, ':')) homes.emplace_back(folder);
  if (const std::string own = variable(host, "JUPYTER_DATA_DIR"); !own.empty())
    homes.push_back(own);
  else if (const std::string home = variable(host, "HOME"); home.size() > 1)
    homes.push_back(home + "/.local/share/jupyter");
  if (!prefix.empty()) homes.push_back(prefix + "/share/jupyter");
  homes.emplace_back("/usr/local/share/jupyter");
  homes.emplace_back("/usr/share/jupyter");
  std::vector<JupyterKernel> kernels;
  for (const std::string& home : homes) {
    for (const std::string& name : host.files.list(home + "/kernels").or_empty()) {
      const std::string file = home + "/kernels/" + name + "/kernel.json";
      const bool known = std::ranges::find(kernels, name, &JupyterKernel::name) != kernels.end();
      const auto text = host.files.read(file);
      if (known || !text.get() || json_text(*text.get(), "/language").is("R")) continue;
      std::string executable = json_text(*text.get(), "/argv/0").or_empty();
      if (!contains(base_name(executable), "python")) continue;
      // A bare name is replaced by Jupyter's own interpreter, which lies beside the specification.
      if (!executable.starts_with('/') && home.ends_with("/share/jupyter"))
        executable = home.substr(0, home.size() - 14) + "/bin/" + executable;
      kernels.push_back({.name = name, .file = file, .executable = executable});
    }
  }
  return kernels;
}

Reading<Interpreter> named_python(const Host& host, const std::string& name) {
  const auto with_choice = [](Interpreter python) {
    python.found_by = "--python";
    return python;
  };
  const auto or_failed = [&](const Reading<Interpreter>& python, const std::string& why) {
    return python.get() ? python.then(with_choice) : Reading<Interpreter>(failed(name + ": " + why));
  };
  std::string path = name;
  if (name.starts_with("~/")) path = variable(host, "HOME") + name.substr(1);
  if (!path.starts_with('/') && !variable(host, "PWD").empty()) path = variable(host, "PWD") + "/" + path;
  const bool is_path = name.find('/') != std::string::npos;
  if (is_path || host.files.status(path).get()) {
    const Reading<Interpreter> python = python_at(host, path);
    if (python.get() || is_path) return or_failed(python, "no Python there: " + python.why());
  }
  for (const std::string& folder : environment_folders(host)) {
    if (base_name(folder) != name) continue;
    if (const auto python = python_at(host, folder); python.get()) return python.then(with_choice);
  }
  for (const JupyterKernel& kernel : jupyter_kernels(host, active_python(host).or_empty().prefix))
    if (kernel.name == name)
      return or_failed(python_at(host, kernel.executable),
                       kernel.file + " starts " + kernel.executable + ", which is no Python here");
  const std::string search = variable(host, "PATH");
  for (const std::string_view folder : pieces(search, ':')) {
    if (!name.starts_with("python") || !folder.starts_with('/')) continue;
    if (const auto python = python_at(host, std::string(folder) + "/" + name); python.get())
      return python.then(with_choice);
  }
  return failed(name + ": no interpreter, no conda or virtual environment and no Jupyter kernel has this name");
}

namespace {

bool exists(const Host& host, const std::string& path) { return host.files.status(path).get() != nullptr; }

bool is_file(const Host& host, const std::string& path) {
  const auto status = host.files.status(path);
  return status.get() && status.get()->kind == FileStatus::Kind::file;
}

// The value of "key = value" in a pyvenv.cfg.
std::string setting(const std::string& text, std::string_view key) {
  return std::string(value_of(text, key, '=').value_or(""));
}

bool is_older(const std::string& a, const std::string& b) { return knowledge::compare_versions(a, b) < 0; }

// The lib/python3.X folder that matches the interpreter's name, otherwise the newest.
std::string series_of(const Host& host, const std::string& prefix, const std::string& real) {
  static const LazyRegex named(R"(python(3\.\d+))", RE2::Latin1);
  std::string series, newest;
  if (RE2::FullMatch(base_name(real), named, &series)) return series;
  for (const char* lib : {"/lib", "/lib64"}) {
    for (const std::string& name : host.files.list(prefix + lib).or_empty())
      if (RE2::FullMatch(name, named, &series) && (newest.empty() || is_older(newest, series))) newest = series;
  }
  return newest;
}

std::string kind_of(const Host& host, const std::string& prefix) {
  if (exists(host, prefix + "/conda-meta")) return "conda";
  if (exists(host, parent_folder(parent_folder(prefix)) + "/shims")) return "pyenv";
  return prefix.find("/uv/python/") != prefix.npos ? "uv" : "system";
}

// "3.11.7" from conda's records, the headers, or the folder's name; otherwise the series.
std::string full_version(const Host& host, const Interpreter& python) {
  for (const std::string& name : host.files.list(python.base_prefix + "/conda-meta").or_empty())
    if (name.starts_with("python-3.")) return name.substr(7, name.find('-', 7) - 7);
  static const LazyRegex definition(R"re(#define PY_VERSION[^_\n"][^\n"]*"([^"]*)")re", RE2::Latin1);
  const auto patch_level =
      host.files.read(fmt::format("{}/include/python{}/patchlevel.h", python.base_prefix, python.series), 64 << 10);
  std::string version;
  return RE2::PartialMatch(patch_level.or_empty(), definition, &version) ? version : python.series;
}

Interpreter complete(const Host& host, Interpreter python, const std::string& real) {
  const auto config = host.files.read(python.prefix + "/pyvenv.cfg", 64 << 10);
  if (const std::string* text = config.get()) {
    python.kind = "venv";
    const std::string home = setting(*text, "home");
    python.base_prefix = home.empty() ? python.prefix : parent_folder(home);
    python.made_by_uv = !setting(*text, "uv").empty();
    std::string answer = setting(*text, "include-system-site-packages");
    python.system_site = answer == "true" || answer == "True";
    for (const char* key : {"version_info", "version"}) {
      const std::string version = setting(*text, key);
      if (python.version.empty()) python.version = version.substr(0, version.find(".final"));
    }
  } else {
    python.base_prefix = python.prefix;
    python.kind = kind_of(host, python.prefix);
  }
  python.series = series_of(host, python.prefix, real);
  if (python.series.empty()) python.series = knowledge::major_minor_of(python.version);
  if (python.version.empty() || knowledge::major_minor_of(python.version) != python.series)
    python.version = full_version(host, python);
  return python;
}

Reading<Interpreter> at_folder(const Host& host, const std::string& folder) {
  for (const char* name : {"/bin/python3", "/bin/python", "/Scripts/python.exe", "/python.exe"}) {
    if (exists(host, folder + name)) return python_at(host, folder + name);
  }
  Interpreter python = complete(host, {.prefix = folder}, "");
  if (python.series.empty()) return absent(folder + " holds no Python");
  return python;
}

bool is_shim(const Host& host, const std::string& path) {
  if (!parent_folder(path).ends_with("/shims")) return false;
  const std::string text = host.files.read(path, 64 << 10).or_empty();
  return text.starts_with("#!") && contains(text, "pyenv");
}

// The version that pyenv would choose: the variable, a .python-version here or above, its own default.
std::string pyenv_choice(const Host& host, const std::string& root) {
  if (std::string chosen = variable(host, "PYENV_VERSION"); !chosen.empty()) return chosen.substr(0, chosen.find(':'));
  for (std::string folder = variable(host, "PWD"); folder.size() > 1; folder = parent_folder(folder))
    if (const auto line = read_line(host.files, folder + "/.python-version"); line.get()) return *line.get();
  return read_line(host.files, root + "/version").value_or("system");
}

// The interpreter behind a shim; absent: "system", so that the search continues along PATH.
Reading<Interpreter> behind_shim(const Host& host, const std::string& shim) {
  const std::string root = parent_folder(parent_folder(shim));
  const std::string choice = pyenv_choice(host, root);
  if (choice == "system") return absent("pyenv selects the system Python");
  // The name may come from a file in any folder: a path in it could start any program.
  if (choice.find('/') != choice.npos) return failed("pyenv: " + choice + " is a path; a version's name is needed");
  std::string best = exists(host, root + "/versions/" + choice) ? choice : "";
  for (const std::string& name : host.files.list(root + "/versions").or_empty())
    if (best != choice && name.starts_with(choice + ".") && (best.empty() || is_older(best, name))) best = name;
  if (best.empty()) return failed("pyenv: version " + choice + " is not installed");
  return at_folder(host, root + "/versions/" + best);
}

}  // namespace

std::string parent_folder(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos || slash == 0 ? "/" : path.substr(0, slash);
}

Reading<Interpreter> python_at(const Host& host, const std::string& path) {
  const auto real = host.files.resolve(path);
  if (!real.get()) return real.missing();
  if (!is_file(host, path)) return exists(host, path) ? at_folder(host, path) : absent(path + " does not exist");
  Interpreter python{.executable = path};
  const std::string folder = parent_folder(path);
  if (exists(host, folder + "/pyvenv.cfg"))
    python.prefix = folder;
  else if (exists(host, parent_folder(folder) + "/pyvenv.cfg"))
    python.prefix = parent_folder(folder);
  else if (path.ends_with(".exe"))
    python.prefix = folder;
  else
    python.prefix = parent_folder(parent_folder(*real.get()));
  return complete(host, python, *real.get());
}

Reading<Interpreter> active_python(const Host& host) {
  const std::string path_variable = variable(host, "PATH");
  for (const char* name : {"/python3", "/python"}) {
    for (const std::string_view folder : pieces(path_variable, ':')) {
      if (!folder.starts_with('/')) continue;
      const std::string path = std::string(folder) + name;
      if (!is_file(host, path)) continue;
      Reading<Interpreter> python = is_shim(host, path) ? behind_shim(host, path) : python_at(host, path);
      if (python.get()) python.get()->found_by = "PATH";
      if (python.outcome() != Outcome::absent) return python;
    }
  }
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const std::string folder = variable(host, name);
    if (!folder.starts_with('/')) continue;
    Reading<Interpreter> python = at_folder(host, folder);
    if (!python.get()) continue;
    python.get()->found_by = name;
    return python;
  }
  return absent("no Python environment is active and none is on PATH");
}

}  // namespace envdoctor

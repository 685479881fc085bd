// Environments and kernels by name: conda, virtualenvwrapper, pyenv, Jupyter.
#include <algorithm>

#include "evidence/json_text.h"
#include "probe/python_interpreter.h"
#include "probe/text.h"

namespace envdoctor {
namespace {

// The folders that hold environments, each in a folder of its name.
std::vector<std::string> environment_homes(const Host& host) {
  const std::string home = variable(host, "HOME");
  std::vector<std::string> homes;
  const auto add = [&homes](const std::string& folder) {
    if (folder.starts_with('/') && std::ranges::find(homes, folder) == homes.end()) homes.push_back(folder);
  };
  if (const std::string conda = variable(host, "CONDA_EXE"); !conda.empty())
    add(parent_folder(parent_folder(conda)) + "/envs");
  if (const std::string root = variable(host, "MAMBA_ROOT_PREFIX"); !root.empty()) add(root + "/envs");
  if (const std::string prefix = variable(host, "CONDA_PREFIX"); !prefix.empty()) {
    add(prefix + "/envs");
    if (parent_folder(prefix).ends_with("/envs")) add(parent_folder(prefix));
  }
  if (const std::string work = variable(host, "WORKON_HOME"); !work.empty()) add(work);
  if (const std::string pyenv = variable(host, "PYENV_ROOT"); !pyenv.empty()) add(pyenv + "/versions");
  if (home.size() > 1) {
    for (const char* folder :
         {"/miniconda3/envs", "/anaconda3/envs", "/miniforge3/envs", "/mambaforge/envs", "/micromamba/envs",
          "/.conda/envs", "/.virtualenvs", "/.local/share/virtualenvs", "/.pyenv/versions"})
      add(home + folder);
  }
  for (const char* folder : {"/opt/conda/envs", "/opt/miniconda3/envs", "/opt/anaconda3/envs"}) add(folder);
  return homes;
}

// Those that conda itself noted, wherever they lie.
std::vector<std::string> noted_by_conda(const Host& host) {
  std::vector<std::string> folders;
  const auto text = host.files.read(variable(host, "HOME") + "/.conda/environments.txt");
  if (!text.get()) return folders;
  for (const std::string_view line : lines_of(*text.get())) {
    if (trimmed(line).starts_with('/')) folders.emplace_back(trimmed(line));
  }
  return folders;
}

}  // namespace

std::vector<std::string> environment_folders(const Host& host) {
  std::vector<std::string> folders = noted_by_conda(host);
  for (const std::string& home : environment_homes(host)) {
    const auto names = host.files.list(home);
    for (std::size_t i = 0; names.get() && i < names.get()->size(); ++i)
      folders.push_back(home + "/" + (*names.get())[i]);
  }
  if (const std::string here = variable(host, "PWD"); here.starts_with('/')) {
    for (const char* name : {"/.venv", "/venv", "/env"}) folders.push_back(here + name);
  }
  std::ranges::sort(folders);
  folders.erase(std::unique(folders.begin(), folders.end()), folders.end());
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
    const auto names = host.files.list(home + "/kernels");
    for (std::size_t i = 0; names.get() && i < names.get()->size(); ++i) {
      const std::string& name = (*names.get())[i];
      const std::string file = home + "/kernels/" + name + "/kernel.json";
      const bool known = std::ranges::find(kernels, name, &JupyterKernel::name) != kernels.end();
      const auto text = host.files.read(file);
      if (known || !text.get() || json_text(*text.get(), "/language").is("R")) continue;
      const Text program = json_text(*text.get(), "/argv/0");
      if (!program.get() || base_name(*program.get()).find("python") == std::string_view::npos) continue;
      std::string executable = *program.get();
      // A bare name is replaced by Jupyter's own interpreter, which lies beside the specification.
      if (!executable.starts_with('/') && home.ends_with("/share/jupyter"))
        executable = home.substr(0, home.size() - 14) + "/bin/" + executable;
      kernels.push_back({.name = name, .file = file, .executable = executable});
    }
  }
  return kernels;
}

Reading<Interpreter> named_python(const Host& host, const std::string& name) {
  const auto told = [](Reading<Interpreter> python) {
    if (python.get()) python.get()->found_by = "--python";
    return python;
  };
  std::string path = name;
  if (name.starts_with("~/")) path = variable(host, "HOME") + name.substr(1);
  if (!path.starts_with('/') && !variable(host, "PWD").empty()) path = variable(host, "PWD") + "/" + path;
  const bool is_path = name.find('/') != std::string::npos;
  if (is_path || host.files.status(path).get()) {
    Reading<Interpreter> python = python_at(host, path);
    if (python.get() || is_path)
      return python.get() ? told(python) : Reading<Interpreter>(failed(name + ": no Python there: " + python.why()));
  }
  for (const std::string& folder : environment_folders(host)) {
    if (base_name(folder) != name) continue;
    if (Reading<Interpreter> python = python_at(host, folder); python.get()) return told(python);
  }
  const Reading<Interpreter> active = active_python(host);
  for (const JupyterKernel& kernel : jupyter_kernels(host, active.get() ? active.get()->prefix : "")) {
    if (kernel.name != name) continue;
    Reading<Interpreter> python = python_at(host, kernel.executable);
    return python.get() ? told(python)
                        : Reading<Interpreter>(failed(name + ": " + kernel.file + " starts " + kernel.executable +
                                                      ", which is no Python here"));
  }
  const std::string search = variable(host, "PATH");
  for (const std::string_view folder : pieces(search, ':')) {
    if (!name.starts_with("python") || !folder.starts_with('/')) continue;
    if (Reading<Interpreter> python = python_at(host, std::string(folder) + "/" + name); python.get())
      return told(python);
  }
  return failed(name + ": no interpreter, no conda or virtual environment and no Jupyter kernel has this name");
}

}  // namespace envdoctor

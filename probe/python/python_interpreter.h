#pragma once
// Which Python is selected, determined from files: nothing is run.
#include <string>
#include <vector>

#include "evidence/reading.h"
#include "host/host.h"

namespace envdoctor {

struct Interpreter {
  std::string executable{};   // as it is invoked: /venv/bin/python3; empty: only its folder is known
  std::string prefix{};       // sys.prefix
  std::string base_prefix{};  // the Python that a virtual environment was made from; else the prefix
  std::string kind{};         // venv, conda, pyenv, uv, system
  std::string series{};       // "3.11", the name of its library folder
  std::string version{};      // "3.11.7", as exact as the files are
  std::string found_by{};     // PATH, VIRTUAL_ENV, CONDA_PREFIX, --python
  bool made_by_uv = false;    // a virtual environment of uv's, which brings no pip
  bool system_site = false;   // a virtual environment that sees its base's packages too
};

// The one that `python3`, or else `python`, on PATH means, through pyenv's shims; without PATH, the activated
// environment.
Reading<Interpreter> active_python(const Host& host);
// The one that the user names: an interpreter, an environment's folder, the name of a conda or virtual environment or
// of a Jupyter kernel. Failed, with the places that were searched, where there is none.
Reading<Interpreter> named_python(const Host& host, const std::string& name);
// The Python at this path, an interpreter or the folder of an environment.
Reading<Interpreter> python_at(const Host& host, const std::string& path);

// Folders of environments other than the active one, in the places where conda, virtualenvwrapper and pyenv keep them.
std::vector<std::string> environment_folders(const Host& host);

// A Jupyter kernel specification: its name and the interpreter it starts.
struct JupyterKernel {
  std::string name{};
  std::string file{};
  std::string executable{};  // as written; a bare "python" is the one in the file's prefix
};
std::vector<JupyterKernel> jupyter_kernels(const Host& host, const std::string& prefix);

// "/usr/bin/x" -> "/usr/bin".
std::string parent_folder(const std::string& path);

// The Python of this run: the one that --python names, else the active one.
Reading<Interpreter> chosen_python(const Host& host, const std::string& named);

// The folders of this Python that can hold packages, in the order of import: PYTHONPATH, the user's own, the
// environment's, each followed by the folders that its .pth files add. The standard library isn't among them.
std::vector<std::string> package_folders(const Host& host, const Interpreter& python);

// The same for the chosen Python; empty: no Python.
std::vector<std::string> site_packages(const Host& host, const std::string& named = {});

}  // namespace envdoctor

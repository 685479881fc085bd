#include "probe/site_packages.h"

#include <set>

#include "probe/text.h"

namespace envdoctor {
namespace {

class SearchPath {
 public:
  explicit SearchPath(const Host& host) : host_(host) {}

  // A folder as it stands on sys.path: .pth files in it are not read. The first of two names for one folder stays
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
      if (!text.get()) continue;
      for (std::string_view line : lines_of(*text.get())) {
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

}  // namespace envdoctor

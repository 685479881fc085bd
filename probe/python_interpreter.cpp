#include "probe/python_interpreter.h"

#include <fmt/format.h>

#include <algorithm>

#include "knowledge/drivers.h"
#include "probe/text.h"

namespace envdoctor {
namespace {

bool exists(const Host& host, const std::string& path) { return host.files.status(path).get() != nullptr; }

bool is_file(const Host& host, const std::string& path) {
  const auto status = host.files.status(path);
  return status.get() && status.get()->kind == FileStatus::Kind::file;
}

std::vector<std::string> list(const Host& host, const std::string& folder) {
  const auto names = host.files.list(folder);
  return names.get() ? *names.get() : std::vector<std::string>{};
}

// The value of "key = value" in a pyvenv.cfg.
std::string setting(const std::string& text, std::string_view key) {
  for (const std::string_view line : lines_of(text)) {
    const auto equals = line.find('=');
    if (equals != line.npos && trimmed(line.substr(0, equals)) == key)
      return std::string(trimmed(line.substr(equals + 1)));
  }
  return {};
}

bool is_series(std::string_view text) {
  return text.starts_with("3.") && text.size() > 2 && text.find_first_not_of("0123456789", 2) == text.npos;
}

// Of the lib/python3.X folders the one that the interpreter's own name fits, else the newest.
std::string series_of(const Host& host, const std::string& prefix, const std::string& real) {
  std::vector<std::string> found;
  for (const char* lib : {"/lib", "/lib64"}) {
    for (const std::string& name : list(host, prefix + lib)) {
      if (name.starts_with("python") && is_series(name.substr(6))) found.push_back(name.substr(6));
    }
  }
  std::string named(base_name(real));
  named = named.starts_with("python") ? named.substr(6) : "";
  if (is_series(named)) return named;
  const auto newest = std::ranges::max_element(
      found, [](const auto& a, const auto& b) { return knowledge::compare_versions(a, b) < 0; });
  return newest == found.end() ? "" : *newest;
}

std::string kind_of(const Host& host, const std::string& prefix) {
  if (exists(host, prefix + "/conda-meta")) return "conda";
  if (exists(host, parent_folder(parent_folder(prefix)) + "/shims")) return "pyenv";
  return prefix.find("/uv/python/") != prefix.npos ? "uv" : "system";
}

// "3.11.7" of conda's records, the headers, or the folder's own name; else the series.
std::string full_version(const Host& host, const Interpreter& python) {
  for (const std::string& name : list(host, python.base_prefix + "/conda-meta")) {
    if (name.starts_with("python-3.")) return name.substr(7, name.find('-', 7) - 7);
  }
  const auto header =
      host.files.read(fmt::format("{}/include/python{}/patchlevel.h", python.base_prefix, python.series), 64 << 10);
  constexpr std::string_view mark = "#define PY_VERSION";
  if (const std::string* text = header.get()) {
    for (auto at = text->find(mark); at != text->npos; at = text->find(mark, at + 1)) {
      const auto quote = text->find_first_of("\"\n", at);
      if (text->compare(at + mark.size(), 1, "_") == 0 || quote == text->npos || (*text)[quote] != '"') continue;
      return text->substr(quote + 1, text->find('"', quote + 1) - quote - 1);
    }
  }
  return python.series;
}

Interpreter complete(const Host& host, Interpreter python, const std::string& real) {
  const auto config = host.files.read(python.prefix + "/pyvenv.cfg", 64 << 10);
  if (const std::string* text = config.get()) {
    python.kind = "venv";
    const std::string home = setting(*text, "home");
    python.base_prefix = home.empty() ? python.prefix : parent_folder(home);
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
  const auto text = host.files.read(path, 64 << 10);
  return text.get() && text.get()->starts_with("#!") && text.get()->find("pyenv") != std::string::npos;
}

// What pyenv would choose: the variable, a .python-version here or above, its own default.
std::string pyenv_choice(const Host& host, const std::string& root) {
  if (std::string chosen = variable(host, "PYENV_VERSION"); !chosen.empty()) return chosen.substr(0, chosen.find(':'));
  std::string folder = variable(host, "PWD");
  while (folder.size() > 1) {
    if (const auto line = read_line(host.files, folder + "/.python-version"); line.get()) return *line.get();
    folder = parent_folder(folder);
  }
  const auto line = read_line(host.files, root + "/version");
  return line.get() ? *line.get() : "system";
}

// The interpreter behind a shim; absent: "system", so that the search goes on along PATH.
Reading<Interpreter> behind_shim(const Host& host, const std::string& shim) {
  const std::string root = parent_folder(parent_folder(shim));
  const std::string choice = pyenv_choice(host, root);
  if (choice == "system") return absent("pyenv leaves it to the system");
  std::string best = exists(host, root + "/versions/" + choice) ? choice : "";
  for (const std::string& name : list(host, root + "/versions")) {
    if (best != choice && name.starts_with(choice + ".") &&
        (best.empty() || knowledge::compare_versions(best, name) < 0))
      best = name;
  }
  if (best.empty()) return failed("pyenv: version " + choice + " is not installed");
  return at_folder(host, root + "/versions/" + best);
}

}  // namespace

std::string variable(const Host& host, const char* name) {
  const auto set = host.env.find(name);
  return set == host.env.end() ? std::string{} : set->second;
}

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
  Missing trouble = absent("no Python environment is active and none is on PATH");
  const std::string path_variable = variable(host, "PATH");
  for (const char* name : {"/python3", "/python"}) {
    for (const std::string_view folder : pieces(path_variable, ':')) {
      if (!folder.starts_with('/')) continue;
      const std::string path = std::string(folder) + name;
      if (!is_file(host, path)) continue;
      Reading<Interpreter> python = is_shim(host, path) ? behind_shim(host, path) : python_at(host, path);
      if (Interpreter* found = python.get()) {
        found->found_by = "PATH";
        return python;
      }
      if (python.outcome() == Outcome::failed) return python;
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
  return trouble;
}

}  // namespace envdoctor

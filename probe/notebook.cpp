#include "probe/notebook.h"

#include <array>

#include "probe/python_interpreter.h"
#include "probe/text.h"

namespace envdoctor {
namespace {

constexpr int most_ancestors = 20;

std::string parent_process(const Host& host, const std::string& pid) {
  const auto stat = host.files.read("/proc/" + pid + "/stat", 4096);
  if (!stat.get()) return {};
  const auto close = stat.get()->rfind(')');  // the name may hold anything
  if (close == std::string::npos) return {};
  const auto words = words_of(std::string_view(*stat.get()).substr(close + 1));
  return words.size() > 1 ? std::string(words[1]) : std::string{};
}

}  // namespace

Reading<PythonPlace> notebook_above(const Host& host) {
  const bool told = !variable(host, "JPY_PARENT_PID").empty() || !variable(host, "JPY_SESSION_NAME").empty();
  if (!told) return absent("no notebook kernel's variables are set");
  std::string pid = "self";
  for (int i = 0; i < most_ancestors && pid != "0" && !pid.empty(); ++i, pid = parent_process(host, pid)) {
    const auto line = host.files.read("/proc/" + pid + "/cmdline", 64 << 10);
    if (!line.get()) continue;
    const auto words = pieces(*line.get(), '\0');
    for (const std::string_view word : words) {
      if (word.find("kernel_launcher") == word.npos && word != "ipykernel") continue;
      PythonPlace place{.name = std::string("process ") + pid, .executable = std::string(words.front())};
      const Reading<Interpreter> python = python_at(host, std::string(words.front()));
      place.prefix = python.then([](const Interpreter& found) { return found.prefix; });
      if (python.get()) place.frameworks = frameworks_at(host, python.get()->prefix);
      return place;
    }
  }
  return failed("a kernel's variables are set, and no kernel is among the processes above");
}

std::vector<std::string> frameworks_at(const Host& host, const std::string& prefix) {
  constexpr std::array wanted = {"tensorflow", "tensorflow_cpu", "tensorflow_gpu", "tensorflow_rocm", "torch", "jax"};
  std::vector<std::string> found;
  const auto versions = host.files.list(prefix + "/lib");
  for (std::size_t i = 0; versions.get() && i < versions.get()->size(); ++i) {
    if (!(*versions.get())[i].starts_with("python3")) continue;
    const auto names = host.files.list(prefix + "/lib/" + (*versions.get())[i] + "/site-packages");
    for (std::size_t j = 0; names.get() && j < names.get()->size(); ++j) {
      const std::string& name = (*names.get())[j];
      const auto dash = name.find('-');
      if (!name.ends_with(".dist-info") || dash == name.npos) continue;
      for (const char* framework : wanted) {
        if (name.substr(0, dash) == framework)
          found.push_back(std::string(framework) + " " + name.substr(dash + 1, name.size() - dash - 11));
      }
    }
  }
  return found;
}

}  // namespace envdoctor

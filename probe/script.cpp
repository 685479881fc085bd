#include "probe/script.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "evidence/json.h"
#include "host/files/descriptor.h"
#include "host/process/subprocess.h"
#include "knowledge/frameworks/device_calls.h"
#include "probe/python/framework_queries.h"
#include "probe/python/python_interpreter.h"
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
  return failed("a notebook kernel's variables are set, but no parent process is a notebook kernel");
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

namespace {

constexpr Limits usual_limits{.time = Milliseconds(30'000), .memory_mib = 4096};

// The content as a file that a child can open by name.
Descriptor as_file(const std::string& content) {
  Descriptor file(memfd_create("script", MFD_CLOEXEC));
  std::string_view left = content;
  while (file && !left.empty()) {
    const ssize_t written = ::write(file.get(), left.data(), left.size());
    if (written <= 0) return {};
    left.remove_prefix(static_cast<std::size_t>(written));
  }
  return file;
}

List<Symptom> unreadable(const std::string& shown, const std::string& why) {
  Symptom symptom{.class_ = std::string("failed"), .subject = std::string("script-reading"), .source = shown};
  symptom.details["why"] = why;
  return std::vector{symptom};
}

}  // namespace

List<Symptom> read_script(const std::string& content, const std::string& shown, const std::string& python,
                          Milliseconds most) {
  Limits limits = usual_limits;
  limits.time = std::min(limits.time, most);
  const Descriptor file = as_file(content);
  if (!file) return failed("cannot allocate memory for a copy of the script");
  std::vector<std::string> argv = {python,
                                   "-I",
                                   "-S",
                                   "-c",
                                   std::string(ask_scripts().at("script_reader")),
                                   fmt::format("/proc/{}/fd/{}", getpid(), file.get()),
                                   shown};
  for (const std::string& name : knowledge::script_call_names()) argv.push_back(name);
  Ended ended;
  SubprocessGroup group;
  group.exec("script", limits, argv, {"PATH=/usr/bin:/bin", "PYTHONIOENCODING=utf-8"},
             [&](const Ended& how) { ended = how; });
  group.run(limits.time + Milliseconds(2000));
  if (ended.how == Ended::How::crashed) return unreadable(shown, "reading it, Python was " + ended.why);
  if (ended.how == Ended::How::timed_out) return unreadable(shown, "reading it, Python came to " + ended.why);
  if (ended.how == Ended::How::out_of_memory) return unreadable(shown, "reading it took Python more than 4 GiB");
  if (ended.how != Ended::How::answered || ended.status != 0)
    return failed(python + ": " + ended.why + (ended.printed.empty() ? "" : ": " + ended.printed));
  try {
    return snapshot_from_json(ended.answer, "the script's reader").log;
  } catch (const BadDocument& bad) {
    return failed(bad.what());
  }
}

}  // namespace envdoctor

#include "probe/script.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <re2/re2.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iterator>

#include "evidence/json.h"
#include "host/files/descriptor.h"
#include "host/process/subprocess.h"
#include "host/text.h"
#include "knowledge/frameworks/device_calls.h"
#include "knowledge/lazy_regex.h"
#include "probe/python/framework_queries.h"
#include "probe/python/python_interpreter.h"

namespace envdoctor {

namespace {

constexpr int most_ancestors = 20;

std::string parent_process(const Host& host, const std::string& pid) {
  static const LazyRegex form(R"((?s).*\)\s+\S+\s+(\S+).*)",
                              RE2::Latin1);  // the name in brackets may contain any character
  std::string parent;
  RE2::FullMatch(host.files.read("/proc/" + pid + "/stat", 4096).or_empty(), form, &parent);
  return parent;
}

}  // namespace

Reading<PythonPlace> notebook_above(const Host& host) {
  const bool in_notebook = !variable(host, "JPY_PARENT_PID").empty() || !variable(host, "JPY_SESSION_NAME").empty();
  if (!in_notebook) return absent("no notebook kernel's variables are set");
  std::string pid = "self";
  for (int i = 0; i < most_ancestors && pid != "0" && !pid.empty(); ++i, pid = parent_process(host, pid)) {
    const auto line = host.files.read("/proc/" + pid + "/cmdline", 64 << 10);
    const auto words = pieces(line.or_empty(), '\0');
    for (const std::string_view word : words) {
      if (!contains(word, "kernel_launcher") && word != "ipykernel") continue;
      return place_of(host, "process " + pid, std::string(words.front()));
    }
  }
  return failed("a notebook kernel's variables are set, but no parent process is a notebook kernel");
}

PythonPlace place_of(const Host& host, const std::string& name, const std::string& executable) {
  PythonPlace place{.name = name, .executable = executable};
  place.prefix = python_at(host, executable).then([](const Interpreter& found) { return found.prefix; });
  if (place.prefix.get()) place.frameworks = frameworks_at(host, *place.prefix.get());
  return place;
}

std::vector<std::string> frameworks_at(const Host& host, const std::string& prefix) {
  static const LazyRegex form(R"((tensorflow(?:_cpu|_gpu|_rocm)?|torch|jax)-(.*)\.dist-info)", RE2::Latin1);
  std::vector<std::string> found;
  std::string framework, version;
  for (const std::string& series : host.files.list(prefix + "/lib").or_empty()) {
    if (!series.starts_with("python3")) continue;
    for (const std::string& name : host.files.list(prefix + "/lib/" + series + "/site-packages").or_empty())
      if (RE2::FullMatch(name, form, &framework, &version)) found.push_back(framework + " " + version);
  }
  return found;
}

namespace {

constexpr Limits usual_limits{.time = Milliseconds(30'000), .memory_mib = 4096};

// Loads the reader from the file that its first argument names, because an argument is limited to 128 KiB.
constexpr const char* loader =
    "import sys\nwith open(sys.argv.pop(1), encoding='utf-8') as file: text = file.read()\n"
    "exec(compile(text, 'script_reader', 'exec'))";

// The concatenated parts, in sealed memory that a child opens by path_of().
Descriptor sealed_file(const char* name, const std::vector<std::string_view>& parts) {
  Descriptor file(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  for (const std::string_view part : parts)
    if (!file || !write_all(file.get(), part)) return {};
  constexpr int seals = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;
  if (file && fcntl(file.get(), F_ADD_SEALS, seals) != 0) return {};
  return file;
}

std::string path_of(const Descriptor& file) { return fmt::format("/proc/{}/fd/{}", getpid(), file.get()); }

List<Symptom> unreadable(const std::vector<Script>& scripts, const std::string& why) {
  std::vector<Symptom> symptoms;
  for (const Script& script : scripts) {
    Symptom& symptom = symptoms.emplace_back();
    symptom.class_ = std::string("failed");
    symptom.subject = std::string("script-reading");
    symptom.source = script.shown;
    symptom.details["why"] = why;
  }
  return symptoms;
}

}  // namespace

std::string script_reader() {
  std::string reader;
  for (const char* part : {"script_values",
                           "script_tables",
                           "script_expressions",
                           "script_calls",
                           "script_framework_calls",
                           "script_changes",
                           "script_flow",
                           "script_reader",
                           "script_given",
                           "script_variables",
                           "script_statements",
                           "script_loaders",
                           "script_torch",
                           "script_libraries",
                           "script_removed",
                           "script_offload",
                           "script_results",
                           "script_training",
                           "script_jax",
                           "script_tracing",
                           "script_index",
                           "script_origins",
                           "script_arrays",
                           "script_wholes",
                           "script_torch_steps",
                           "script_kept_graphs",
                           "script_tensorflow_steps",
                           "script_steps",
                           "script_waits",
                           "script_precision",
                           "script_ranks",
                           "script_shards",
                           "script_loading",
                           "script_hub",
                           "script_graphs",
                           "script_jitted",
                           "script_traces",
                           "script_kernels",
                           "script_boosters",
                           "script_keras",
                           "script_batches",
                           "script_pins",
                           "script_settings",
                           "script_meant",
                           "script_names",
                           "script_kinds",
                           "script_learning",
                           "script_judging",
                           "script_own_calls",
                           "script_python",
                           "script_losses",
                           "script_loops",
                           "script_slips",
                           "script_numbers",
                           "script_oversights",
                           "script_tensors",
                           "script_tables_of_data",
                           "script_named_data",
                           "script_finetuning",
                           "script_denoising",
                           "script_keras_models",
                           "script_keras_shapes",
                           "script_keras_losses",
                           "script_keras_fits",
                           "script_updates",
                           "script_gym",
                           "script_jax_updates",
                           "script_keras_left",
                           "script_keras_data",
                           "script_jax_slips",
                           "script_keras_arguments",
                           "script_jax_calls",
                           "script_methods",
                           "script_forgotten",
                           "script_unheeded",
                           "script_astray",
                           "script_lapses",
                           "script_states",
                           "script_choices",
                           "script_objects",
                           "script_launches",
                           "script_flat",
                           "script_files"})
    reader.append(ask_scripts().at(part)).append("\n");
  return reader;
}

namespace {

struct Read {
  List<Symptom> symptoms{};
  bool timed_out = false;
};

Read read_within(const std::vector<Script>& scripts, const std::string& python, Milliseconds most,
                 const std::string& reader) {
  Limits limits = usual_limits;
  limits.time = std::min(limits.time, most);
  std::vector<std::string_view> contents;
  for (const Script& script : scripts) contents.push_back(script.content);
  const Descriptor program = sealed_file("reader", {reader});
  const Descriptor file = sealed_file("scripts", contents);
  const Descriptor parameters = sealed_file("parameters", {knowledge::call_parameters()});
  if (!program || !file || !parameters) return {failed("cannot allocate memory for a copy of the script")};
  std::vector<std::string> argv = {
      python, "-I", "-S", "-c", loader, path_of(program), path_of(file), std::to_string(scripts.size())};
  for (const Script& script : scripts) {
    argv.push_back(std::to_string(script.content.size()));
    argv.push_back(script.shown);
    argv.push_back(script.folder);
  }
  argv.push_back("parameters:" + path_of(parameters));
  std::ranges::copy(knowledge::script_call_names(), std::back_inserter(argv));
  Ended ended;
  SubprocessGroup group;
  group.exec("script", limits, argv, {"PATH=/usr/bin:/bin", "PYTHONIOENCODING=utf-8"},
             [&](const Ended& how) { ended = how; });
  group.run(limits.time + Milliseconds(2000));
  if (ended.how == Ended::How::crashed) return {unreadable(scripts, "reading it, Python was " + ended.why)};
  if (ended.how == Ended::How::timed_out) return {unreadable(scripts, "reading it, Python came to " + ended.why), true};
  if (ended.how == Ended::How::out_of_memory) return {unreadable(scripts, "reading it took Python more than 4 GiB")};
  if (ended.how != Ended::How::answered || ended.status != 0)
    return {failed(python + ": " + ended.why + (ended.printed.empty() ? "" : ": " + ended.printed))};
  try {
    return {snapshot_from_json(ended.answer, "the reader of scripts").log};
  } catch (const BadDocument& bad) {
    return {failed(bad.what())};
  }
}

}  // namespace

List<Symptom> read_scripts(const std::vector<Script>& scripts, const std::string& python, Milliseconds most,
                           const std::string& reader) {
  const auto start = std::chrono::steady_clock::now();
  Read read = read_within(scripts, python, most * 2 / 3, reader);
  const auto left = most - std::chrono::duration_cast<Milliseconds>(std::chrono::steady_clock::now() - start);
  const bool follows = std::ranges::any_of(scripts, [](const Script& script) { return !script.folder.empty(); });
  if (!read.timed_out || !follows || left <= Milliseconds(0)) return std::move(read.symptoms);
  // A script that imports much of a large package is judged by itself.
  std::vector<Script> alone = scripts;
  for (Script& script : alone) script.folder.clear();
  Read again = read_within(alone, python, left, reader);
  if (again.timed_out || !again.symptoms.get()) return std::move(read.symptoms);
  for (Symptom& symptom : *again.symptoms.get())
    if (symptom.subject.is("script")) symptom.details["modules"] = "left out";
  return std::move(again.symptoms);
}

}  // namespace envdoctor

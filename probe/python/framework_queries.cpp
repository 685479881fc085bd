#include "probe/python/framework_queries.h"

#include "evidence/merge.h"
#include "probe/paste/log_reader.h"
#include "probe/probes.h"
#include "probe/python/distributions.h"
#include "probe/python/python_interpreter.h"

namespace envdoctor {

const std::map<std::string_view, std::string_view>& ask_scripts() {
  static const auto all = [] {
    std::map<std::string_view, std::string_view> scripts;
    for (const ask::Embedded* row = ask::embedded_scripts; row->name != nullptr; ++row)
      scripts.emplace(row->name, std::string_view(row->begin, static_cast<std::size_t>(row->end - row->begin)));
    return scripts;
  }();
  return all;
}

std::vector<std::string> ask_environment(std::map<std::string, std::string> env, const Snapshot& known) {
  env["PYTHONDONTWRITEBYTECODE"] = "1";
  // Keras creates a missing keras.json.
  if (!known.keras.get() || known.keras.get()->config_backend.outcome() == Outcome::absent)
    env["KERAS_HOME"] = "/dev/null/none";
  std::vector<std::string> lines;
  for (const auto& [name, value] : env) lines.push_back(name + "=" + value);
  return lines;
}

// Queries each framework by one of our programs in the environment's own interpreter.

namespace {

// A framework loads gigabytes of libraries and prints many warnings before the relevant message.
constexpr std::int64_t memory_limit_mib = 16'384;
constexpr std::size_t printed_limit = 256 << 10;

struct Framework {
  const char* name;  // its module, and the script's name
  bool (*installed)(const Snapshot&);
  Snapshot (*keep)(const Snapshot& answer);    // takes only its own section from an answer
  Snapshot (*unanswered)(const Missing& why);  // the readings that are missing without an answer
};

const Framework frameworks[] = {
    {"tensorflow", [](const Snapshot& s) { return s.tensorflow.get() != nullptr; },
     [](const Snapshot& answer) { return Snapshot{.tensorflow = answer.tensorflow}; },
     [](const Missing& why) {
       return Snapshot{.tensorflow = Tensorflow{.import_error = why, .physical_gpus = why, .placement = why}};
     }},
    {"torch", [](const Snapshot& s) { return s.torch.get() != nullptr; },
     [](const Snapshot& answer) { return Snapshot{.torch = answer.torch}; },
     [](const Missing& why) {
       return Snapshot{.torch = Torch{.import_error = why, .cuda_available = why, .matmul = why}};
     }},
    {"jax", [](const Snapshot& s) { return s.jax.get() != nullptr; },
     [](const Snapshot& answer) { return Snapshot{.jax = answer.jax}; },
     [](const Missing& why) { return Snapshot{.jax = Jax{.import_error = why, .backend = why, .matmul = why}}; }},
};

std::string program_for(const std::string& framework) {
  std::string program;
  for (const std::string& part : {std::string("common"), framework, std::string("keras"), std::string("last")})
    program.append(ask_scripts().at(part)).append("\n");
  return program;
}

// The backend that Keras is set to use: the variable, the file, its own default.
std::string keras_backend(const Host& host, const Snapshot& known) {
  if (const std::string chosen = variable(host, "KERAS_BACKEND"); !chosen.empty()) return chosen;
  return known.keras.or_empty().config_backend.value_or("tensorflow");
}

// Keeps their messages in full.
std::vector<std::string> environment(const Host& host, const Snapshot& known) {
  std::map<std::string, std::string> env = host.env;
  env["TF_CPP_MIN_LOG_LEVEL"] = "0";
  return ask_environment(std::move(env), known);
}

void take(Session& session, const Framework& framework, const Ended& ended, const Snapshot& answer) {
  session.record("frameworks", framework.name, ended);
  Snapshot part = framework.keep(answer);
  if (const Keras* keras = answer.keras.get()) part.keras.fill().backend = keras->backend;
  if (ended.how != Ended::How::answered)
    fill_in(part, framework.unanswered(failed(std::string(framework.name) + ": " + ended.why)));
  // Reads the framework's own messages; a report among them is no evidence of this host.
  LogReader reader(std::string("standard error of ") + framework.name, session.options.redact);
  reader.feed(ended.printed);
  part.log = reader.finish().log;
  session.add(part);
}

}  // namespace

void probe_frameworks(Session& session) {
  const Snapshot& known = session.so_far();
  const Python* python = known.python.get();
  if (!session.host.live || session.options.quick || !python || !python->executable.get()) return;
  if (python->executable.get()->ends_with(".exe")) return;  // it would run on Windows, where we can't limit it
  const std::string backend = keras_backend(session.host, known);
  const Limits limits{
      .time = session.options.framework, .memory_mib = memory_limit_mib, .printed_bytes = printed_limit};
  for (const Framework& framework : frameworks) {
    if (!framework.installed(known)) continue;
    std::vector<std::string> argv = {*python->executable.get(), "-c", program_for(framework.name)};
    if (backend == framework.name && known.keras.get()) argv.emplace_back(framework.name);
    session.exec_framed(framework.name, limits, std::move(argv), environment(session.host, known),
                        [&session, &framework](const Ended& ended, const Snapshot& answer) {
                          take(session, framework, ended, answer);
                        });
  }
}

}  // namespace envdoctor

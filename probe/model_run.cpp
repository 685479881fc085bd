// Our program runs a user's model in the user's interpreter: it may crash, hang, print and use much memory there.
#include "probe/model_run.h"

#include <fmt/format.h>

#include "evidence/json.h"
#include "host/text.h"
#include "probe/python/framework_queries.h"

namespace envdoctor {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') out += '\\';
    out += code < 0x20 ? fmt::format("\\u{:04x}", code) : std::string(1, c);
  }
  return out + '"';
}

// The input of agree.py.
std::string wishes(const ModelRun& run) {
  return fmt::format(
      R"({{"model": {}, "shown": {}, "kind": "{}", "input": {}, "against": "{}", "seed": {}, "memory_mib": {}, "gradients": {}, "allow_code": {}}})",
      quoted(run.model), quoted(run.shown), run.function ? "function" : "file", quoted(run.input), run.against,
      run.seed, run.memory_mib, run.gradients, run.allow_code);
}

std::string model_program() {
  std::string text;
  for (const char* part : {"common", "agree_load", "agree_keras", "agree_torch", "agree"})
    text.append(ask_scripts().at(part)).append("\n");
  return text + "main()\n";
}

}  // namespace

Reading<ModelAgreement> run_model(const ModelRun& run, const std::string& python, const std::vector<std::string>& env,
                                  Milliseconds most, const std::function<void(const std::string&)>& progress) {
  Ended ended;
  SubprocessGroup group;
  group.exec_framed("model", {.time = most, .memory_mib = run.memory_mib}, {python, "-c", model_program(), wishes(run)},
                    env, [&](const Ended& how) { ended = how; });
  group.run(most + Milliseconds(1000), [&](const std::vector<std::string>&) {
    if (progress) progress(group.step());
  });
  Reading<ModelAgreement> answer = failed("it gave no answer");
  try {
    if (!ended.answer.empty()) answer = snapshot_from_json(ended.answer, "the run of the model").agree;
  } catch (const BadDocument& bad) {
    return failed(bad.what());
  }
  if (ended.how == Ended::How::answered) return answer;
  if (ended.how == Ended::How::not_started) return failed(python + ": " + ended.why);
  ModelAgreement kept = answer.or_empty();
  kept.model = run.shown;
  kept.against = run.against;
  if (!kept.refused.get())
    kept.refused = ended.why + (ended.how == Ended::How::timed_out ? ": allow more by --timeout" : "");
  return kept;
}

}  // namespace envdoctor

#include "knowledge/frameworks/device_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <sstream>

#include "knowledge/gpus/drivers.h"
#include "knowledge/table_rows.h"

namespace envdoctor::knowledge {
namespace {

// The name in sentences of a framework whose calls the tables know; empty: they know none of it.
std::string_view spoken_name(std::string_view framework) {
  return framework == "tensorflow" ? "TensorFlow"
         : framework == "keras"    ? "Keras"
         : framework == "jax"      ? "JAX"
         : framework == "torch"    ? "PyTorch"
                                   : "";
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

struct Tables {
  ByName<Starts> starts{};
  ByName<EarlyCall> early{};
  std::vector<ReadVariable> variables{};
  std::vector<ScriptCall> calls{};
  std::size_t known = 0, gone = 0;          // rows of script_calls.json; names and arguments that no newest release has
  std::vector<std::string> watched{};       // calls that are only read for what else they tell
  std::vector<std::string> of_libraries{};  // removed names of libraries: "-flax 0.6.11=optim=optax linen.ConvLSTM"
  ByName<std::string> newest{};
  std::vector<std::pair<std::string, std::string>> keras{};  // from this TensorFlow on: major

  Tables() {
    const Table table("script_calls");
    for (const Row& row : table["starts"]) starts[row.text("call")] = {row.text("framework"), row.text("what")};
    for (const Row& row : table["early"])
      early[row.text("call")] = {.framework = row.text("framework"),
                                 .argument = row.text_if("argument"),
                                 .label = row.text("label"),
                                 .says = row.text("says"),
                                 .instead = row.text("instead")};
    for (const Row& row : table["variables"])
      variables.push_back({row.text("name"), row.text("framework"), row.text("read")});
    for (const Row& row : table["calls"])
      calls.push_back({.call = row.text("call"),
                       .id = row.text("id"),
                       .framework = row.text("framework"),
                       .argument = row.text_if("argument"),
                       .from = row.text_if("from"),
                       .label = row.text("label"),
                       .title = row.text_if("title"),
                       .says = row.text("says"),
                       .instead = row.text("instead"),
                       .unless = words_of(row.text_if("unless")),
                       .mistake = row.text_if("mistake") == "yes",
                       .removed = row.text_if("removed") == "yes"});
    known = calls.size();
    add_removed();
    for (const Row& row : table["newest"]) newest[row.text("framework")] = row.text("version");
    for (const Row& row : table["keras_of_tensorflow"]) keras.emplace_back(row.text("from"), row.text("keras"));
    for (const Row& row : table["watched"]) watched.push_back(row.text("call"));
  }

  // Removed public names: "log=tf.math.log" names the replacement. Those of libraries, and the arguments of calls,
  // "export(example_outputs)", are for the reader of scripts.
  void add_removed() {
    const Table table("removed_names");
    const std::size_t before = calls.size();
    for (const Row& row : table["removed"]) {
      const std::string framework = row.text("framework"), from = row.text("from");
      std::string for_reader;
      for (const std::string& word : words_of(row.text("names"))) {
        if (spoken_name(framework).empty() || word.find('(') < word.find('=')) {
          for_reader += (for_reader.empty() ? "" : " ") + word;
          ++gone;
          continue;
        }
        const std::size_t is = word.find('=');
        std::string instead = is == word.npos ? "" : word.substr(is + 1);
        for (std::size_t at = 0; (at = instead.find("\u00a0", at)) != instead.npos;) instead.replace(at, 2, " ");
        calls.push_back(
            {.call = framework + "." + word.substr(0, is),
             .id = framework == "tensorflow" && from == "2.0" ? "script.tf1-api" : "script.removed-call",
             .framework = framework,
             .from = from,
             .label = "raises",
             .says = fmt::format("raises: it is gone since {} {} at the latest", spoken_name(framework), from),
             .instead = instead.empty() ? "Install a release that has it, or write what its release notes name."
                                        : "Write " + instead + ".",
             .removed = true});
      }
      if (!for_reader.empty()) of_libraries.push_back("-" + framework + " " + from + "=" + for_reader);
    }
    gone += calls.size() - before;
  }
};

// What the reader of scripts is given besides the calls. No other command reads these tables, which take longest.
struct NamesForReader {
  std::vector<std::string> names{};

  NamesForReader() {
    const auto& calls = read_once<Tables>();
    names = calls.watched;
    for (const auto& [call, what] : calls.starts) names.push_back(call);
    for (const auto& [call, what] : calls.early) names.push_back(call);
    for (const ScriptCall& row : calls.calls) names.push_back(row.call);
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    const Table members("known_names");
    for (const Row& row : members["modules"]) names.push_back(row.text("module") + "=" + row.text("names"));
    const Table signatures("signatures");
    for (const Row& row : signatures["signatures"])
      names.push_back(row.text("module") + " " + row.text("releases") + "(" + row.text("takes") +
                      ")=" + row.text("names"));
    std::string variables = "environment=";
    const Table environment("env_vars");
    for (const Row& row : environment["variables"]) variables += row.text("name") + " ";
    names.push_back(variables);
    names.insert(names.end(), calls.of_libraries.begin(), calls.of_libraries.end());
  }
};

}  // namespace

std::vector<std::string> script_call_names() { return read_once<NamesForReader>().names; }

std::string call_parameters() {
  std::string lines;
  const Table table("parameters");
  for (const Row& row : table["modules"])
    for (const char* key : {"module", "releases", "calls"})
      lines.append(row.view(key)).push_back(key[0] == 'c' ? '\n' : '\t');
  return lines;
}

Starts started_by(std::string_view call) {
  const auto& starts = read_once<Tables>().starts;
  if (const Starts* exact = find_in(starts, call)) return *exact;
  for (std::size_t dot = call.rfind('.'); dot != call.npos && dot > 0; dot = call.rfind('.', dot - 1)) {
    if (const Starts* below = find_in(starts, std::string(call.substr(0, dot)) + ".*")) return *below;
  }
  return {};
}

std::string newest_tried(std::string_view framework) {
  return look_up(read_once<Tables>().newest, std::string(framework)).value_or("");
}

const EarlyCall* early_call(std::string_view call) { return find_in(read_once<Tables>().early, call); }

std::string keras_of_tensorflow(std::string_view tensorflow) {
  std::string major;
  for (const auto& [from, keras] : read_once<Tables>().keras) {
    if (compare_versions(tensorflow, from) >= 0) major = keras;
  }
  return major;
}

const std::vector<ReadVariable>& read_variables() { return read_once<Tables>().variables; }
const std::vector<ScriptCall>& script_calls() { return read_once<Tables>().calls; }

bool stands_for(const ScriptCall& row, std::string_view name) {
  const bool below = row.call.ends_with(".*");
  const std::string_view base = std::string_view(row.call).substr(0, row.call.size() - (below ? 2 : 0));
  return name == base || ((below || row.removed) && name.starts_with(base) && name[base.size()] == '.');
}

const ScriptCall* call_that_raises(std::string_view name, std::string_view id) {
  // To read the tables takes longer than to judge a report.
  if (spoken_name(name.substr(0, name.find('.'))).empty()) return nullptr;
  const auto& rows = read_once<Tables>().calls;
  const auto found = std::ranges::find_if(rows, [&](const ScriptCall& row) {
    return !row.mistake && row.label == "raises" && (id.empty() || row.id == id) && stands_for(row, name) &&
           (row.call == name || row.call.ends_with(".*"));
  });
  return found == rows.end() ? nullptr : &*found;
}

std::size_t known_script_mistakes() {
  const Tables& tables = read_once<Tables>();
  return tables.known + tables.early.size() + tables.variables.size();
}

std::size_t names_that_are_gone() { return read_once<Tables>().gone; }

}  // namespace envdoctor::knowledge

#include "knowledge/frameworks/device_calls.h"

#include <algorithm>
#include <map>

#include "knowledge/gpus/drivers.h"
#include "knowledge/table_rows.h"

namespace envdoctor::knowledge {
namespace {

struct Tables {
  std::map<std::string, Starts, std::less<>> starts{};
  std::map<std::string, EarlyCall, std::less<>> early{};
  std::vector<ReadVariable> variables{};
  std::vector<ScriptCall> calls{};
  std::vector<std::string> names{};
  std::vector<std::pair<std::string, std::string>> keras{};  // from this TensorFlow on: major
};

const Tables& tables() {
  static const Tables all = [] {
    Tables t;
    read_table("script_calls", {{"starts",
                                 [&t](const Row& row) {
                                   t.starts[row.text("call")] = {row.text("framework"), row.text("what")};
                                   t.names.push_back(row.text("call"));
                                 }},
                                {"early",
                                 [&t](const Row& row) {
                                   t.early[row.text("call")] = {.framework = row.text("framework"),
                                                                .argument = row.text_if("argument"),
                                                                .label = row.text("label"),
                                                                .says = row.text("says"),
                                                                .instead = row.text("instead")};
                                   t.names.push_back(row.text("call"));
                                 }},
                                {"variables",
                                 [&t](const Row& row) {
                                   t.variables.push_back({row.text("name"), row.text("framework"), row.text("read")});
                                 }},
                                {"calls",
                                 [&t](const Row& row) {
                                   t.calls.push_back({.call = row.text("call"),
                                                      .id = row.text("id"),
                                                      .framework = row.text("framework"),
                                                      .argument = row.text_if("argument"),
                                                      .from = row.text_if("from"),
                                                      .label = row.text("label"),
                                                      .says = row.text("says"),
                                                      .instead = row.text("instead")});
                                   t.names.push_back(row.text("call"));
                                 }},
                                {"keras_of_tensorflow",
                                 [&t](const Row& row) { t.keras.emplace_back(row.text("from"), row.text("keras")); }},
                                {"watched", [&t](const Row& row) { t.names.push_back(row.text("call")); }}});
    std::ranges::sort(t.names);
    t.names.erase(std::unique(t.names.begin(), t.names.end()), t.names.end());
    return t;
  }();
  return all;
}

}  // namespace

std::vector<std::string> script_call_names() { return tables().names; }

Starts started_by(std::string_view call) {
  const auto found = tables().starts.find(call);
  return found == tables().starts.end() ? Starts{} : found->second;
}

const EarlyCall* early_call(std::string_view call) {
  const auto found = tables().early.find(call);
  return found == tables().early.end() ? nullptr : &found->second;
}

std::string keras_of_tensorflow(std::string_view tensorflow) {
  std::string major;
  for (const auto& [from, keras] : tables().keras) {
    if (compare_versions(tensorflow, from) >= 0) major = keras;
  }
  return major;
}

const std::vector<ReadVariable>& read_variables() { return tables().variables; }
const std::vector<ScriptCall>& script_calls() { return tables().calls; }

}  // namespace envdoctor::knowledge

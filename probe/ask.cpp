#include "probe/ask.h"

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
  // Keras writes a keras.json where there is none.
  const Keras* keras = known.keras.get();
  if (!keras || keras->config_backend.outcome() == Outcome::absent) env["KERAS_HOME"] = "/dev/null/none";
  std::vector<std::string> lines;
  for (const auto& [name, value] : env) lines.push_back(name + "=" + value);
  return lines;
}

}  // namespace envdoctor

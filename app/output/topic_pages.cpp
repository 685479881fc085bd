#include "app/output/topic_pages.h"

#include <fmt/format.h>

#include <map>
#include <sstream>

#include "app/options/suggestions.h"
#include "evidence/lines.h"
#include "knowledge/frameworks/methods.h"
#include "knowledge/topic_texts.h"
#include "reports/reports.h"

namespace envdoctor {
namespace {

// "works: TensorFlow …": one line per answer, with the environments that gave it.
std::string method_lines(const std::string& id) {
  const knowledge::Method method = knowledge::method(id);
  if (method.title.empty()) return wrap("  ", id + ": not tested yet");
  std::string out = wrap("  ", method.title);
  std::map<std::string, std::string> by_answer;
  for (const knowledge::MethodResult& result : method.results) {
    std::string& environments = by_answer[result.label + (result.detail.empty() ? "" : " (" + result.detail + ")")];
    environments += (environments.empty() ? "" : "; ") + result.environment;
  }
  for (const auto& [answer, environments] : by_answer) out += wrap("      ", printable(answer + ": " + environments));
  return out;
}

}  // namespace

std::string topic_title(std::string_view name) {
  const std::string_view page = knowledge::text(name);
  return page.starts_with("# ") ? std::string(page.substr(2, page.find('\n') - 2)) : std::string(name);
}

std::string render_topic(std::string_view name) {
  if (!knowledge::text(name).starts_with("# ")) return {};
  std::istringstream lines{std::string(knowledge::text(name))};
  std::string out;
  bool methods = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("# ")) {
      out += line.substr(2) + "\n";
    } else if (line.starts_with("@method ")) {
      out += method_lines(line.substr(8));
      methods = true;
    } else if (line.empty() || line.starts_with("    ")) {
      out += line + "\n";
    } else {
      out += wrap("", line);
    }
  }
  if (methods)
    out += "\n" + wrap("", "Tested on real packages, with a simulated GPU where none was available: docs/methods.md.");
  return out;
}

std::string explanation_of(const std::string& name) {
  if (std::string page = render_topic(name); !page.empty()) return page;
  std::string family;
  for (const Diagnosis* row : catalogue()) {
    if (std::string_view(row->id).starts_with(name + "."))
      family += wrap(fmt::format("  {:<33} ", row->id), row->title);
  }
  if (!family.empty()) return family;
  const Diagnosis* row = find_diagnosis(name);
  return row ? render_explanation(*row) : std::string();
}

std::vector<std::string> explained_names() {
  auto names = diagnosis_names();
  for (const std::string_view topic : knowledge::topics()) names.emplace_back(topic);
  return names;
}

}  // namespace envdoctor

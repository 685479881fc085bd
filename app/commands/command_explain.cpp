#include <fmt/format.h>

#include "app/commands/commands.h"
#include "app/options/suggestions.h"
#include "app/output/reporting.h"
#include "app/output/topic_pages.h"
#include "evidence/lines.h"
#include "knowledge/topic_texts.h"
#include "reports/reports.h"

namespace envdoctor::explain_command {
namespace {

void declare(Arguments& arguments, Options& options) {
  arguments.option(
      "id", options.arguments,
      "a diagnosis, such as driver.version-mismatch, a family, such as driver, or a topic, such as force-cpu",
      {.shown = "ID|TOPIC", .one = true, .required = true});
}

// The diagnoses of "driver"; empty: no family.
std::string family_text(const std::string& name) {
  std::string out;
  for (const Diagnosis* row : catalogue()) {
    if (std::string_view(row->id).starts_with(name + ".")) out += wrap(fmt::format("  {:<33} ", row->id), row->title);
  }
  return out;
}

int explain(const Options& options) {
  check_result_format(options, false);
  const std::string& id = options.arguments.front();
  if (const std::string page = render_topic(id); !page.empty()) return write_result(options, page);
  if (const std::string family = family_text(id); !family.empty()) return write_result(options, family);
  if (const Diagnosis* row = find_diagnosis(id)) return write_result(options, render_explanation(*row));
  auto names = diagnosis_names();
  for (const std::string_view topic : knowledge::topics()) names.emplace_back(topic);
  throw UsageError(fmt::format("no diagnosis or topic '{}'{}. See 'envdoctor list'.", id, did_you_mean(id, names)));
}

}  // namespace

const Command command = {"explain", "explain one diagnosis, family or topic", declare, explain};

}  // namespace envdoctor::explain_command

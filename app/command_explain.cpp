#include <fmt/format.h>

#include "app/commands.h"
#include "app/names.h"
#include "app/reporting.h"
#include "app/topics.h"
#include "reports/lines.h"
#include "reports/reports.h"

namespace envdoctor {
namespace {

void declare(Arguments& arguments, Options& options) {
  arguments
      .option("id", options.arguments,
              "a diagnosis, such as driver.version-mismatch, a family, such as driver, or a topic, such as force-cpu")
      .values(1, 1)
      .required()
      .shown("ID|TOPIC");
}

// The diagnoses of "driver"; empty: no family.
std::string family_text(const std::string& name) {
  std::string out;
  for (const Diagnosis& row : catalogue()) {
    if (std::string_view(row.id).starts_with(name + ".")) out += wrap(fmt::format("  {:<33} ", row.id), row.title);
  }
  return out;
}

int explain(const Options& options) {
  check_told(options, false);
  const std::string& id = options.arguments.front();
  if (const std::string page = render_topic(id); !page.empty()) {
    write_told(options, page);
    return 0;
  }
  if (const std::string family = family_text(id); !family.empty()) {
    write_told(options, family);
    return 0;
  }
  const Diagnosis* row = diagnosis(id);
  if (!row) {
    auto names = diagnosis_names();
    for (const std::string& topic : topic_names()) names.push_back(topic);
    throw UsageError(
        fmt::format("{}: no such diagnosis or topic{}. See 'envdoctor list'.", id, did_you_mean(id, names)));
  }
  write_told(options, render_explanation(*row));
  return 0;
}

}  // namespace

const Command explain_command = {"explain", "one diagnosis or topic in full", declare, explain};

}  // namespace envdoctor

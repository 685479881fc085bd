#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "app/commands.h"
#include "app/names.h"
#include "app/reporting.h"
#include "app/topics.h"
#include "reports/reports.h"

namespace envdoctor {
namespace {

void declare(CLI::App& app, Options& options) {
  app.add_option("id", options.arguments, "a diagnosis, such as driver.version-mismatch, or a topic, such as force-cpu")
      ->expected(1)
      ->required()
      ->option_text("ID|TOPIC");
}

int explain(const Options& options) {
  check_told(options, false);
  const std::string& id = options.arguments.front();
  if (const std::string page = render_topic(id); !page.empty()) {
    write_told(options, page);
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

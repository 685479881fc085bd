#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "app/commands.h"
#include "app/files.h"
#include "app/names.h"
#include "reports/reports.h"

namespace envdoctor {
namespace {

void declare(CLI::App& app, Options& options) {
  app.add_option("id", options.arguments, "a diagnosis, such as driver.version-mismatch")
      ->expected(1)
      ->required()
      ->option_text("ID");
}

int explain(const Options& options) {
  const std::string& id = options.arguments.front();
  const Diagnosis* row = diagnosis(id);
  if (!row)
    throw UsageError(
        fmt::format("{}: no such diagnosis{}. See 'envdoctor list'.", id, did_you_mean(id, diagnosis_names())));
  write_out(render_explanation(*row));
  return 0;
}

}  // namespace

const Command explain_command = {"explain", "one diagnosis in full", declare, explain};

}  // namespace envdoctor

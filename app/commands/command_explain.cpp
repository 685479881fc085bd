#include <fmt/format.h>

#include "app/commands/commands.h"
#include "app/options/suggestions.h"
#include "app/output/reporting.h"
#include "app/output/topic_pages.h"

namespace envdoctor::explain_command {
namespace {

void declare(Arguments& arguments, Options& options) {
  arguments.option(
      "id", options.arguments,
      "a diagnosis, such as driver.version-mismatch, a family, such as driver, or a topic, such as force-cpu",
      {.shown = "ID|TOPIC", .one = true, .required = true});
}

int explain(const Options& options) {
  check_result_format(options, false);
  const std::string& id = options.arguments.front();
  if (const std::string page = explanation_of(id); !page.empty()) return write_result(options, page);
  throw UsageError(
      fmt::format("no diagnosis or topic '{}'{}. See 'envdoctor list'.", id, did_you_mean(id, explained_names())));
}

}  // namespace

const Command command = {"explain", "explain one diagnosis, family or topic", declare, explain};

}  // namespace envdoctor::explain_command

#include "app/reporting.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "app/files.h"
#include "reports/reports.h"

namespace envdoctor {
namespace {

bool use_color(ColorWhen when) {
  if (when != ColorWhen::automatic) return when == ColorWhen::always;
  const char* no_color = std::getenv("NO_COLOR");
  return isatty(STDOUT_FILENO) && !(no_color && *no_color);
}

// A GitHub job shows annotations of what its steps print; standard output is the report's alone.
void annotate(const Report& report, const Options& options) {
  const char* github = std::getenv("GITHUB_ACTIONS");
  if (!github || std::string(github) != "true" || options.format == "github") return;
  std::fputs(render_github(report, {}).c_str(), stderr);
}

}  // namespace

JudgeOptions judge_options(const Options& options, bool from_files) {
  return {.only = options.only,
          .skip = options.skip,
          .expectations = options.expectations,
          .from_files = from_files,
          .tool_version = ENVDOCTOR_VERSION};
}

void write_reports(const Report& report, const Options& options) {
  annotate(report, options);
  for (const Output& output : options.outputs) {
    const Format& format = output.format.empty() ? format_for_file(output.path) : *format_named(output.format);
    write_file(output.path, format.render(report, {.color = false, .verbose = options.verbose}));
  }
  if (!options.outputs.empty() && options.format.empty()) return;
  const Format& format = options.format.empty() ? all_formats().front() : *format_named(options.format);
  write_out(format.render(report, {.color = use_color(options.color), .verbose = options.verbose}));
}

int exit_status(const Report& report, FailOn fail_on) {
  const auto at_least = [&](Severity lowest) {
    return std::ranges::any_of(report.findings, [&](const Finding& f) { return f.severity >= lowest; });
  };
  if (fail_on != FailOn::never && at_least(fail_on == FailOn::error ? Severity::error : Severity::warning)) return 1;
  return report.verdict == Verdict::incomplete ? 3 : 0;
}

}  // namespace envdoctor

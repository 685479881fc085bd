#include "app/commands.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "app/files.h"
#include "app/gather.h"
#include "checks/report.h"
#include "evidence/json.h"
#include "evidence/merge.h"
#include "knowledge/knowledge.h"
#include "probe/log.h"
#include "probe/probes.h"
#include "reports/reports.h"

namespace envdoctor {
namespace {

bool use_color(ColorWhen when) {
  if (when != ColorWhen::automatic) return when == ColorWhen::always;
  const char* no_color = std::getenv("NO_COLOR");
  return isatty(STDOUT_FILENO) && !(no_color && *no_color);
}

int exit_status(const Report& report, FailOn fail_on) {
  const auto at_least = [&](Severity lowest) {
    return std::ranges::any_of(report.findings, [&](const Finding& f) { return f.severity >= lowest; });
  };
  if (fail_on != FailOn::never && at_least(fail_on == FailOn::error ? Severity::error : Severity::warning)) return 1;
  return report.verdict == Verdict::incomplete ? 3 : 0;
}

JudgeOptions judge_options(const Options& options, bool from_files) {
  return {.only = options.only,
          .skip = options.skip,
          .expect_gpus = options.expect_gpus,
          .from_files = from_files,
          .tool_version = ENVDOCTOR_VERSION};
}

// Every report that was asked for: to files, and to standard output unless only files were named.
void write_reports(const Report& report, const Options& options) {
  for (const Output& output : options.outputs) {
    const Format& format = output.format.empty() ? format_for_file(output.path) : *format_named(output.format);
    write_file(output.path, format.render(report, {.color = false, .verbose = options.verbose}));
  }
  if (!options.outputs.empty() && options.format.empty()) return;
  const Format& format = options.format.empty() ? all_formats().front() : *format_named(options.format);
  write_out(format.render(report, {.color = use_color(options.color), .verbose = options.verbose}));
}

int check(const Options& options) {
  const Report report = judge(gather_here(options), judge_options(options, false));
  write_reports(report, options);
  return exit_status(report, options.fail_on);
}

int show(const Options& options) {
  const std::string section = options.arguments.empty() ? "" : options.arguments.front();
  if (!section.empty() && std::ranges::find(show_sections(), section) == show_sections().end())
    throw UsageError(fmt::format("show {}: no such section; there are {}", section, fmt::join(show_sections(), ", ")));
  write_out(render_show(gather_here(options), section));
  return 0;
}

int capture(const Options& options) {
  const std::string json = to_json(gather_here(options));
  for (const Output& output : options.outputs) write_file(output.path, json);
  if (options.outputs.empty() && options.host_folder.empty()) write_out(json);
  return 0;
}

int diagnose(const Options& options) {
  std::vector<Snapshot> snapshots;
  for (const std::string& path : options.arguments)
    snapshots.push_back(snapshot_from_json(read_input(path), shown_name(path)));
  if (snapshots.empty()) snapshots.emplace_back();
  for (const std::string& path : options.logs) {
    const Snapshot from_log = read_log_file(path, options.redact);
    for (Snapshot& snapshot : snapshots) fill_in(snapshot, from_log);
  }
  int worst = 0;
  for (const Snapshot& snapshot : snapshots) {
    const Report report = judge(snapshot, judge_options(options, true));
    write_reports(report, options);
    const int status = exit_status(report, options.fail_on);
    worst = worst == 1 || status == 1 ? 1 : std::max(worst, status);
  }
  return worst;
}

int explain(const Options& options) {
  const Diagnosis* row = diagnosis(options.arguments.front());
  if (!row) throw UsageError(fmt::format("{}: no such diagnosis. See 'envdoctor list'.", options.arguments.front()));
  write_out(render_explanation(*row));
  return 0;
}

int list(const Options&) {
  std::string out = "Diagnoses\n";
  for (const Diagnosis& row : catalogue()) out += fmt::format("  {:<36} {}\n", row.id, row.title);
  out += "\nProbes\n";
  for (const Probe& probe : all_probes()) out += fmt::format("  {:<36} {}\n", probe.name, probe.reads);
  out += "\nFormats\n";
  for (const Format& format : all_formats()) out += fmt::format("  {}\n", format.name);
  write_out(out);
  return 0;
}

}  // namespace

int run_command(const Options& options) {
  if (!options.knowledge.empty()) knowledge::use_folder(options.knowledge);
  if (options.command == "check") return check(options);
  if (options.command == "show") return show(options);
  if (options.command == "capture") return capture(options);
  if (options.command == "diagnose") return diagnose(options);
  if (options.command == "explain") return explain(options);
  return list(options);
}

}  // namespace envdoctor

#include "app/output/reporting.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "app/options/input_files.h"
#include "app/output/output_files.h"
#include "evidence/lines.h"
#include "reports/reports.h"

namespace envdoctor {
namespace {

bool use_color(ColorWhen when) {
  if (when != ColorWhen::automatic) return when == ColorWhen::always;
  const char* no_color = std::getenv("NO_COLOR");
  return isatty(STDOUT_FILENO) && !(no_color && *no_color);
}

// "nodes/a.json" for {}: "a".
std::string file_for(std::string path, const std::string& name) {
  const std::string stem = name == "-" ? "stdin" : std::filesystem::path(name).stem().string();
  return path.replace(path.find("{}"), 2, stem);
}

// All reports in one text; formats for people put each under its snapshot's name.
std::string joined(const std::vector<Report>& reports, const std::vector<std::string>& names, const Format& format,
                   const ReportStyle& style) {
  if (reports.size() == 1) return format.render(reports.front(), style);
  const std::string name = format.name;
  const bool array = name == "json", titled = name == "text" || name == "markdown";
  if (!array && !titled && name != "github" && name != "reason")
    throw UsageError(fmt::format(
        "format {} takes the report of one host, and there are {}: write one file per host with {{}} in its "
        "name, as in -o {}=report-{{}}{}",
        name, reports.size(), name, *format.extension ? format.extension : ".json"));
  std::string out;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    if (titled) out += fmt::format("{}{}\n\n", i ? "\n" : "", printable(shown_name(names[i])));
    if (array) out += i ? ",\n" : "[\n";
    out += format.render(reports[i], style);
  }
  return array ? out + "]\n" : out;
}

}  // namespace

JudgeOptions judge_options(const Options& options, bool from_files) {
  return {.only = options.only,
          .skip = options.skip,
          .expectations = options.expectations,
          .from_files = from_files,
          .tool_version = ENVDOCTOR_VERSION};
}

int write_report(const Report& report, const Options& options) {
  write_reports({report}, {""}, options);
  return exit_status(report, options.fail_on);
}

void write_reports(const std::vector<Report>& reports, const std::vector<std::string>& names, const Options& options) {
  std::vector<std::pair<std::string, std::string>> files;
  ReportStyle style{.verbose = options.verbose,
                    .arithmetic = options.command == "verify" || options.command == "bench"};
  for (const Output& output : options.outputs) {
    const Format& format = output.format.empty() ? format_for_file(output.path) : *format_named(output.format);
    if (names.front().empty() || output.path.find("{}") == output.path.npos) {
      files.emplace_back(output.path, joined(reports, names, format, style));
      continue;
    }
    for (std::size_t i = 0; i < reports.size(); ++i) {
      const std::string path = file_for(output.path, names[i]);
      if (std::ranges::find(files, path, &std::pair<std::string, std::string>::first) != files.end())
        throw UsageError(path + ": two snapshots have this name; rename one of them");
      files.emplace_back(path, format.render(reports[i], style));
    }
  }
  const bool prints = options.outputs.empty() || !options.format.empty();
  const Format& printed = options.format.empty() ? all_formats().front() : *format_named(options.format);
  style.color = use_color(options.color);
  const std::string text = prints ? joined(reports, names, printed, style) : "";
  // A GitHub job turns lines that its steps print into annotations; standard output holds only the report.
  const char* github = std::getenv("GITHUB_ACTIONS");
  if (github && std::string(github) == "true" && options.format != "github") {
    for (const Report& report : reports) print_message(render_github(report, {}));
  }
  for (const auto& [path, content] : files) write_file(path, content);
  if (prints) write_out(text);
}

void check_result_format(const Options& options, bool has_json) {
  const auto check = [&](const std::string& format) {
    if (format.empty() || format == "text" || (format == "json" && has_json)) return;
    throw UsageError(
        fmt::format("{} writes {}, not {}", options.command, has_json ? "text or json" : "only text", format));
  };
  check(options.format);
  for (const Output& output : options.outputs) check(output.format);
}

int write_result(const Options& options, const std::string& text, const std::string& json) {
  for (const Output& output : options.outputs) {
    const bool named = output.format.empty() && output.path.ends_with(".json");
    write_file(output.path, !json.empty() && (output.format == "json" || named) ? json : text);
  }
  if (options.outputs.empty() || !options.format.empty()) write_out(options.format == "json" ? json : text);
  return 0;
}

int exit_status(const Report& report, FailOn fail_on) {
  const auto at_least = [&](Severity lowest) {
    return std::ranges::any_of(report.findings, [&](const Finding& f) { return f.severity >= lowest; });
  };
  if (fail_on != FailOn::never && at_least(fail_on == FailOn::error ? Severity::error : Severity::warning)) return 1;
  return report.verdict == Verdict::incomplete ? 3 : 0;
}

}  // namespace envdoctor

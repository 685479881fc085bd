#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "app/commands.h"
#include "app/files.h"
#include "compare/fleet.h"
#include "probe/redact.h"

namespace envdoctor {
namespace {

namespace fs = std::filesystem;

void declare(CLI::App& app, Options& options) {
  app.add_option("file", options.arguments, "JSON reports, or folders of them (*.json)")
      ->option_text("DIR|FILES...")
      ->required();
}

// Folders become the reports in them, sorted.
std::vector<std::string> files_named(const std::vector<std::string>& arguments) {
  std::vector<std::string> files;
  for (const std::string& argument : arguments) {
    std::error_code error;
    if (!fs::is_directory(argument, error)) {
      files.push_back(argument);
      continue;
    }
    const auto first = static_cast<std::ptrdiff_t>(files.size());
    for (auto entry = fs::recursive_directory_iterator(argument, error);
         !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
      if (entry->path().extension() == ".json" && entry->is_regular_file(error)) files.push_back(entry->path());
    }
    if (error) throw UsageError(argument + ": cannot list: " + error.message());
    std::sort(files.begin() + first, files.end());
  }
  if (files.empty()) throw UsageError("fleet: no *.json file in " + arguments.front());
  return files;
}

int fleet(const Options& options) {
  if (!options.format.empty() && options.format != "text" && options.format != "json")
    throw UsageError("fleet tells its result as text or json, not as " + options.format);
  compare::Fleet all;
  for (const std::string& file : files_named(options.arguments)) {
    try {
      all.add(report_name(file, options.redact), read_input(file));
    } catch (const UsageError& error) {
      all.add_damaged(report_name(file, options.redact), error.what());
    }
  }
  auto summary = all.summary();
  for (compare::Odd& odd : summary.odd) {
    if (!options.redact) break;
    for (std::string* text : {&odd.path, &odd.value, &odd.usual}) *text = redact_text(*text, {});
  }
  write_out(options.format == "json" ? compare::json_of(summary) : compare::text_of(summary));
  if (summary.reports == 0) return 2;
  const auto any = [&](const char* severity) {
    return std::ranges::any_of(summary.groups, [&](const auto& group) { return group.severity == severity; });
  };
  const bool fails = any("error") || (options.fail_on == FailOn::warning && any("warning"));
  if (fails && options.fail_on != FailOn::never) return 1;
  return any("incomplete") || !summary.damaged.empty() ? 3 : 0;
}

}  // namespace

const Command fleet_command = {"fleet", "many reports: who fails, who is the odd one", declare, fleet};

}  // namespace envdoctor

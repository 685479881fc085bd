#include <algorithm>
#include <filesystem>
#include <set>

#include "app/commands/commands.h"
#include "app/options/input_files.h"
#include "app/output/reporting.h"
#include "compare/fleet.h"
#include "probe/redact.h"

namespace envdoctor::fleet_command {
namespace {

namespace fs = std::filesystem;

void declare(Arguments& arguments, Options& options) {
  arguments.option("file", options.arguments, "JSON reports, or folders of them (*.json)",
                   {.shown = "DIR|FILES...", .required = true});
}

struct Input {
  std::string path{};
  std::string host{};  // its file's name, below the folder that was named
};

// Folders become the reports in them, sorted. Where two would be one host by their names, all go by their paths.
std::vector<Input> files_named(const std::vector<std::string>& arguments) {
  std::vector<Input> files;
  for (const std::string& argument : arguments) {
    std::error_code error;
    if (!fs::is_directory(argument, error)) {
      files.push_back({argument, fs::path(argument).filename()});
      continue;
    }
    const auto first = static_cast<std::ptrdiff_t>(files.size());
    for (auto entry = fs::recursive_directory_iterator(argument, error);
         !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
      if (entry->path().extension() == ".json" && entry->is_regular_file(error))
        files.push_back({entry->path(), entry->path().lexically_relative(argument)});
    }
    if (error) throw UsageError(argument + ": cannot list: " + error.message());
    std::ranges::sort(files.begin() + first, files.end(), {}, &Input::path);
  }
  if (files.empty()) throw UsageError("fleet: no *.json file found in " + arguments.front());
  std::set<std::string> hosts;
  for (const Input& file : files) hosts.insert(file.host);
  if (hosts.size() < files.size()) std::ranges::for_each(files, [](Input& file) { file.host = file.path; });
  return files;
}

int fleet(const Options& options) {
  check_result_format(options, true);
  compare::Fleet all;
  for (const Input& file : files_named(options.arguments)) {
    const std::string host = report_name(file.host, options.redact);
    try {
      all.add(host, read_input(file.path));
    } catch (const UsageError& error) {
      all.add_damaged(host, error.what());
    }
  }
  auto summary = all.summary();
  for (compare::Outlier& outlier : summary.outliers) {
    if (!options.redact) break;
    for (std::string* text : {&outlier.path, &outlier.value, &outlier.usual}) *text = redact_text(*text, {});
  }
  write_result(options, compare::text_of(summary), compare::json_of(summary));
  if (summary.reports == 0) return 2;
  const auto any = [&](const char* severity) {
    return std::ranges::any_of(summary.groups, [&](const auto& group) { return group.severity == severity; });
  };
  const bool fails = any("error") || (options.fail_on == FailOn::warning && any("warning"));
  if (fails && options.fail_on != FailOn::never) return 1;
  return any("incomplete") || !summary.damaged.empty() ? 3 : 0;
}

}  // namespace

const Command command = {"fleet", "summarise many reports: failures and outliers", declare, fleet};

}  // namespace envdoctor::fleet_command

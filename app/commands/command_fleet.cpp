#include <algorithm>
#include <filesystem>
#include <set>

#include "app/commands/commands.h"
#include "app/options/input_files.h"
#include "app/output/reporting.h"
#include "compare/fleet.h"
#include "probe/redaction/redact.h"

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
  std::string why{};   // why it cannot be read; empty: it looks readable
};

// The reports below a folder, and the folders below it that cannot be listed.
void list_folder(const fs::path& folder, const std::string& named, std::vector<Input>& files) {
  std::error_code error;
  for (auto entry = fs::directory_iterator(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    std::error_code unknown;  // such as a link that leads nowhere: opening the file reports it
    if (entry->is_directory(unknown)) {
      if (!entry->is_symlink(unknown)) list_folder(entry->path(), named, files);
    } else if (entry->path().extension() == ".json" &&
               (entry->is_regular_file(unknown) || unknown || !entry->exists(unknown))) {
      files.push_back({entry->path(), entry->path().lexically_relative(named)});
    }
  }
  if (error) {
    const std::string host = folder == named ? named : folder.lexically_relative(named).string();
    files.push_back({folder, host, "cannot list: " + error.message()});
  }
}

// Replaces each folder by the reports in it, sorted. Where two names would be the same, all hosts are named by path.
std::vector<Input> files_named(const std::vector<std::string>& arguments) {
  std::vector<Input> files;
  for (const std::string& argument : arguments) {
    std::error_code error;
    if (!fs::is_directory(argument, error)) {
      files.push_back({argument, fs::path(argument).filename()});
      continue;
    }
    const auto first = static_cast<std::ptrdiff_t>(files.size());
    list_folder(argument, argument, files);
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
    if (!file.why.empty()) {
      all.add_damaged(host, file.why);
      continue;
    }
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

const Command command = {"fleet", "summarise many reports: failures and outliers", declare, fleet, true};

}  // namespace envdoctor::fleet_command

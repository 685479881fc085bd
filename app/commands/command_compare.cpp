
#include <algorithm>
#include <filesystem>

#include "app/commands/commands.h"
#include "app/options/input_files.h"
#include "app/output/reporting.h"
#include "compare/array_file.h"
#include "compare/arrays.h"
#include "compare/documents.h"

namespace envdoctor::compare_command {
namespace {

void declare(Arguments& arguments, Options& options) {
  arguments.option("file", options.arguments, "snapshots, JSON reports, or two arrays (.npy, .npz, .safetensors, .pt)",
                   {.shown = "A B [C...]", .required = true});
  arguments.option("--op", options.operation, "the operation that produced the arrays, such as matmul",
                   {.shown = "OPERATION", .words = compare::known_operations()});
  arguments.option("--depth", options.depth, "number of products or terms in each sum",
                   {.shown = "K", .between = {1, std::int64_t{1} << 40}});
  arguments.option("--rtol", options.rtol,
                   "a network's outputs may differ by this share of A's number (default by type: float32 1e-3)",
                   {.shown = "SHARE", .between = {0, 1e300}});
  arguments.option("--atol", options.atol, "and by this much (default by type: float32 1e-5)",
                   {.shown = "AMOUNT", .between = {0, 1e300}});
  arguments.footer(
      "Exit status: 0 equal, or different only by rounding; 1 results may differ; 2 the\ncommand line or an input file "
      "is "
      "invalid; 3 something needed is unknown.");
}

int arrays(const Options& options) {
  if (options.arguments.size() != 2) throw UsageError("compare takes exactly two arrays");
  const std::string &a = options.arguments[0], &b = options.arguments[1];
  const bool tolerance = options.rtol || options.atol;
  if (tolerance && !options.operation.empty() && options.operation != "network")
    throw UsageError("--rtol and --atol apply only to --op network: other operations have limits of their own");
  const auto differences = compare::compare_arrays(
      a, b, {tolerance ? "network" : options.operation, options.depth, options.rtol, options.atol});
  const std::string name_a = report_name(a, options.redact), name_b = report_name(b, options.redact);
  write_result(options, compare::text_of(differences, name_a, name_b), compare::json_of(differences, name_a, name_b));
  if (!std::ranges::all_of(differences, &compare::ArrayDifference::alike)) return 1;
  return std::ranges::all_of(differences, [](const auto& d) { return d.count == 0; }) ? 3 : 0;
}

int compare_files(const Options& options) {
  if (options.arguments.size() < 2) throw UsageError("compare needs at least two files");
  check_result_format(options, true);
  const auto is_array = [](const std::string& path) {
    std::error_code none;  // nothing may be read from a pipe before the whole of it is read
    return std::filesystem::is_regular_file(path, none) && compare::is_array_file(path);
  };
  if (std::ranges::all_of(options.arguments, is_array)) return arrays(options);
  if (const auto array = std::ranges::find_if(options.arguments, is_array); array != options.arguments.end())
    throw UsageError(*array + ": an array cannot be compared with a snapshot");
  if (!options.operation.empty() || options.depth > 0 || options.rtol || options.atol)
    throw UsageError("--op, --depth, --rtol and --atol apply only to arrays (.npy, .npz, .safetensors, .pt)");
  std::vector<Snapshot> snapshots;
  std::vector<std::string> names;
  for (const std::string& path : options.arguments) {
    snapshots.push_back(read_snapshot(path, options.redact));
    names.push_back(report_name(path, options.redact));
  }
  const auto comparison = compare::compare_snapshots(snapshots, names);
  write_result(options, compare::text_of(comparison), compare::json_of(comparison));
  return comparison.results_may_differ() ? 1 : comparison.results_unknown() ? 3 : 0;
}

}  // namespace

const Command command = {"compare", "compare snapshots or arrays", declare, compare_files, true};

}  // namespace envdoctor::compare_command

#include "app/commands/commands.h"
#include "app/commands/kernel_runs.h"
#include "app/output/output_files.h"
#include "evidence/json.h"

namespace envdoctor::capture_command {
namespace {

void declare(Arguments& arguments, Options& options) {
  arguments.option("--host-folder", options.host_folder, "write the files as read to a folder, for tests",
                   {.shown = "FOLDER"});
}

int capture(const Options& options) {
  const std::string json = to_json(gather_and_compute(options));
  for (const Output& output : options.outputs) write_file(output.path, json);
  if (options.outputs.empty() && options.host_folder.empty()) write_out(json);
  return 0;
}

}  // namespace

const Command command = {"capture", "write the evidence of check as a snapshot", declare, capture, true};

}  // namespace envdoctor::capture_command

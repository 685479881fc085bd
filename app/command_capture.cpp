#include "app/commands.h"
#include "app/compute.h"
#include "app/files.h"
#include "evidence/json.h"

namespace envdoctor {
namespace {

void declare(Arguments& arguments, Options& options) {
  arguments.option("--host-folder", options.host_folder, "write a folder with the files as read, for tests")
      .shown("FOLDER");
}

int capture(const Options& options) {
  const std::string json = to_json(gather_and_compute(options));
  for (const Output& output : options.outputs) write_file(output.path, json);
  if (options.outputs.empty() && options.host_folder.empty()) write_out(json);
  return 0;
}

}  // namespace

const Command capture_command = {"capture", "write what check would gather as a snapshot", declare, capture};

}  // namespace envdoctor

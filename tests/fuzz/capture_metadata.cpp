#include "host/files/capture_metadata.h"

#include <cstdlib>

#include "tests/support/fuzz.h"

using namespace envdoctor;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = fuzz_input(data, size);
  const auto nodes = parse_nodes(text);
  if (nodes.get()) {  // what was understood is written so that it is understood again
    std::string again;
    for (const auto& [path, node] : *nodes.get()) again += node_line(path, node);
    const auto reread = parse_nodes(again);
    if (!reread.get() || reread.get()->size() != nodes.get()->size()) std::abort();
  }
  const auto errors = parse_file_errors(text);
  if (errors.get()) {
    std::string again;
    for (const auto& [path, reason] : *errors.get()) again += file_error_line(path, reason);
    if (!parse_file_errors(again).is(*errors.get())) std::abort();
  }
  return 0;
}

std::vector<std::string> fuzz_seeds() {
  return {"# nodes\n/dev/nvidia0 char 0666 0 44 195 0 EPERM\n/dev/a%20b block 0600 1 2 3 4 -\n/x file 0644 0 0 0 0 ?\n",
          "/dev/kmsg EPERM\n/large longer than 1048576 bytes\n"};
}

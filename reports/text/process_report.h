#pragma once
// What `run` says afterwards, and `pid` of a running process.
#include <string>

#include "checks/facts/process_use.h"

namespace envdoctor {

// One line without its end: "ran on GPU 0 (83 % busy, peak 5.1 GiB, cuDNN 9.3 from the wheel)".
std::string use_line(const Watched& watched, const ProcessVerdict& verdict);

// The page of `pid`: nodes, libraries, variables, GPUs, and the line above.
std::string render_process(const Watched& watched, const ProcessVerdict& verdict);

}  // namespace envdoctor

#pragma once
#include <string>

#include "evidence/snapshot.h"

namespace envdoctor {

// For each device on which kernels ran: how many results were right and how closely, which arithmetic ran, and what
// could not be run. Also when all is well: this is the answer to whether results can be reproduced. Empty: nothing ran.
std::string arithmetic_text(const Snapshot& snapshot);

}  // namespace envdoctor

#pragma once
#include "evidence/software.h"
#include "host/host.h"

namespace envdoctor {

// The notebook kernel that this process was started from, found among its ancestors. Absent: none.
Reading<PythonPlace> notebook_above(const Host& host);

// "tensorflow 2.15.1" for each framework whose package lies in the environment at this prefix.
std::vector<std::string> frameworks_at(const Host& host, const std::string& prefix);

}  // namespace envdoctor

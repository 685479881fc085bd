#pragma once
// Who this process is, and what it may use.
#include <string_view>

#include "evidence/host.h"
#include "host/host.h"

namespace envdoctor {

// From the text of /proc/self/status: effective ids.
Reading<User> parse_user(std::string_view status);
// From the text of /proc/self/limits: soft limits.
Reading<Ulimits> parse_ulimits(std::string_view limits);
// Size of /dev/shm.
Number read_shm_mib(const Host& host);

}  // namespace envdoctor

#pragma once
// What the control groups leave this process.
#include "evidence/host_facts.h"
#include "host/files/files.h"

namespace envdoctor {

// The tightest limits from this process's own group up to the topmost one that can be seen, of version 1 and 2.
Reading<Cgroup> read_cgroup(const Files& files);

// "max 100000" -> absent, "250000 100000" -> 2.5.
Real cpu_max(std::string_view text);

}  // namespace envdoctor

#pragma once
// Questions to the running kernel that no file answers. For the live host only.
#include <cstdint>
#include <string>

#include "evidence/reading.h"

namespace envdoctor {

// "x86_64", "aarch64", …
Reading<std::string> machine();
// Size of the file system that holds `path`.
Reading<std::int64_t> file_system_size_mib(const std::string& path);
// What the kernel has printed since it started, as far as its buffer still holds it, at most the last 4 MiB: one record
// a line, "[seconds] text", oldest first. Failed with EPERM where this user may not read it. Never waits.
Reading<std::string> kernel_messages();

}  // namespace envdoctor

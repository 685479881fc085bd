#pragma once
// The processor as /proc and /sys describe it, parsed from text.
#include <cstdint>
#include <string_view>
#include <vector>

#include "evidence/host_facts.h"
#include "host/files/files.h"

namespace envdoctor {

// Model and instruction sets from the text of /proc/cpuinfo. The rest of the struct is unchanged.
Cpu parse_cpuinfo(std::string_view cpuinfo);
// MemTotal and MemAvailable from the text of /proc/meminfo.
Memory parse_meminfo(std::string_view meminfo);
// The numbers in a list as the kernel writes it, "0-3,8". Failed for anything else, and for more than 65536 of them.
Reading<std::vector<std::int64_t>> cpu_list(std::string_view text);

// Sockets, cores, threads and NUMA nodes without hwloc.
Cpu count_cpus(const Files& files, const Reading<std::string>& cpuinfo);

}  // namespace envdoctor

#pragma once
// /etc/ld.so.cache, the loader's index of the system's libraries.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/reading.h"

namespace envdoctor {

struct CacheEntry {
  std::string soname{};
  std::string path{};
  std::string machine{};  // as in ElfFacts; "" if the cache's flag isn't known here
  bool hwcap = false;     // for some CPUs only
};

// Takes "glibc-ld.so.cache1.1", alone or behind the older "ld.so-1.7.0". Failed with the place in the file otherwise.
Reading<std::vector<CacheEntry>> parse_ld_cache(std::string_view bytes);

}  // namespace envdoctor

#include "host/elf/loader.h"

#include "tests/support/fuzz.h"
#include "tests/support/make_ld_cache.h"

using namespace envdoctor;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  (void)parse_ld_cache(fuzz_input(data, size));
  return 0;
}

std::vector<std::string> fuzz_seeds() {
  const std::vector<MadeCacheEntry> entries = {
      {.soname = "libcuda.so.1", .path = "/lib/x86_64-linux-gnu/libcuda.so.1"},
      {.soname = "libcuda.so.1", .path = "/usr/lib32/libcuda.so.1", .flags = 3},
      {.soname = "libz.so.1", .path = "/lib/libz.so.1", .hwcap = 1}};
  return {make_ld_cache(entries), make_ld_cache(entries, true), make_ld_cache({})};
}

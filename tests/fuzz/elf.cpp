#include "host/elf/elf.h"

#include "host/elf/loader.h"
#include "tests/support/fuzz.h"
#include "tests/support/make_elf.h"

using namespace envdoctor;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  (void)elf_facts(fuzz_input(data, size), "fuzz");
  return 0;
}

std::vector<std::string> fuzz_seeds() {
  std::vector<std::string> seeds = {make_elf({.soname = "libx.so.1",
                                              .needed = {"liba.so.1", "libb.so.2"},
                                              .rpath = "$ORIGIN/..",
                                              .runpath = "/a:/b",
                                              .symbols = {"clIcdGetPlatformIDsKHR", "other"}})};
  // A real one, with the hash table that is usual today; a small one if the system still has it.
  const auto files = open_files("/");
  const Loader loader(*files, {});
  for (const char* soname : {"libdl.so.2", "libc.so.6"}) {
    const auto found = loader.look_up(soname);
    if (seeds.size() > 1 || !found.get()) continue;
    const auto content = files->read(found.get()->chosen.path, 16u << 20);
    if (content.get()) seeds.push_back(*content.get());
  }
  return seeds;
}

// For the bundle only: what g++ 12's runtime, linked in, asks of glibc 2.35 and 2.36, so that it starts on 2.34.
#include <dlfcn.h>
#include <link.h>
#include <sys/random.h>

#include <cstdint>

// Hidden: libraries that come with a newer glibc keep its own.
#pragma GCC visibility push(hidden)
extern "C" {

// As in glibc's dlfcn.h since 2.35: where an address's unwind table lies.
int _dl_find_object(void* address, dl_find_object* result) {
  struct Search {
    std::uintptr_t address;
    dl_find_object* result;
  } search{reinterpret_cast<std::uintptr_t>(address), result};
  const auto look = [](dl_phdr_info* object, std::size_t, void* data) {
    auto& wanted = *static_cast<Search*>(data);
    bool inside = false;
    const ElfW(Phdr)* unwind = nullptr;
    for (int i = 0; i < object->dlpi_phnum; ++i) {
      const ElfW(Phdr)& part = object->dlpi_phdr[i];
      const std::uintptr_t start = object->dlpi_addr + part.p_vaddr;
      if (part.p_type == PT_GNU_EH_FRAME) unwind = &part;
      if (part.p_type != PT_LOAD || wanted.address < start || wanted.address - start >= part.p_memsz) continue;
      inside = true;
      wanted.result->dlfo_map_start = reinterpret_cast<void*>(start);
      wanted.result->dlfo_map_end = reinterpret_cast<void*>(start + part.p_memsz);
    }
    if (!inside || !unwind) return 0;
    wanted.result->dlfo_eh_frame = reinterpret_cast<void*>(object->dlpi_addr + unwind->p_vaddr);
    return 1;
  };
  return dl_iterate_phdr(look, &search) == 1 ? 0 : -1;
}

std::uint32_t arc4random() {
  std::uint32_t number = 0;
  while (getrandom(&number, sizeof(number), 0) != sizeof(number)) {
  }
  return number;
}

}  // extern "C"
#pragma GCC visibility pop

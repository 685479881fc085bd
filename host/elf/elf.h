#pragma once
// What an ELF file says of itself, read as the dynamic loader would: by its program headers, without its sections.
#include <string>
#include <vector>

#include "evidence/reading.h"
#include "host/files/files.h"

namespace envdoctor {

struct ElfFacts {
  std::string machine{};  // "x86-64", "i386", "aarch64", …, else "machine 40"
  std::string soname{};  // empty if it has none
  std::vector<std::string> needed{};
  std::string rpath{};  // as written, colons and $ORIGIN included
  std::string runpath{};
};

// Failed, with `name` in the reason, for what isn't ELF, is cut short or contradicts itself.
Reading<ElfFacts> elf_facts(const std::string& bytes, const std::string& name);
// Reads of the file only what is needed: libraries of 2 GB are common.
Reading<ElfFacts> elf_facts(const Files& files, const std::string& path);

// The machine this program was built for.
std::string own_machine();

}  // namespace envdoctor

#pragma once
// The contents of an ELF file as the dynamic loader sees them: from its program headers, without its sections.
#include <string>
#include <vector>

#include "evidence/reading.h"
#include "host/files/files.h"

namespace envdoctor {

struct ElfFacts {
  std::string machine{};  // "x86-64", "i386", "aarch64", …, otherwise "machine 40"
  std::string soname{};   // empty if it has none
  std::vector<std::string> needed{};
  std::string rpath{};  // as written, colons and $ORIGIN included
  std::string runpath{};
};

// Failed, with `name` in the reason, for a file that isn't ELF, is truncated or is inconsistent.
Reading<ElfFacts> elf_facts(const std::string& bytes, const std::string& name);
// Reads only the needed parts of the file: libraries of 2 GB are common.
Reading<ElfFacts> elf_facts(const Files& files, const std::string& path);

// The machine that this program was built for.
std::string own_machine();

}  // namespace envdoctor

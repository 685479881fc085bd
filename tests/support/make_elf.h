#pragma once
// Shared libraries as bytes, for any machine: the parts that a loader reads, without code.
#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace envdoctor {

struct MadeElf {
  std::uint16_t machine = EM_X86_64;
  std::string soname{};
  std::vector<std::string> needed{};
  std::string rpath{};
  std::string runpath{};
  std::vector<std::string> symbols{};  // defined ones
};

// 64-bit, little-endian.
inline std::string make_elf(const MadeElf& made) {
  std::string strings(1, '\0');
  const auto name = [&](const std::string& text) {
    const std::uint64_t at = strings.size();
    strings += text + '\0';
    return at;
  };
  std::vector<Elf64_Sym> symbols(1);
  for (const std::string& symbol : made.symbols) {
    Elf64_Sym one{};
    one.st_name = static_cast<Elf64_Word>(name(symbol));
    one.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    one.st_shndx = 1;
    symbols.push_back(one);
  }
  std::vector<Elf64_Dyn> dynamic;
  const auto add = [&](std::int64_t tag, std::uint64_t value) {
    dynamic.push_back({.d_tag = tag, .d_un = {.d_val = value}});
  };
  for (const std::string& one : made.needed) add(DT_NEEDED, name(one));
  if (!made.soname.empty()) add(DT_SONAME, name(made.soname));
  if (!made.rpath.empty()) add(DT_RPATH, name(made.rpath));
  if (!made.runpath.empty()) add(DT_RUNPATH, name(made.runpath));
  const std::vector<std::uint32_t> hash = {1, static_cast<std::uint32_t>(symbols.size()), 0};

  const auto size = [](const auto& items) { return items.size() * sizeof(items[0]); };
  const std::uint64_t dynamic_at = sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr);
  const std::uint64_t symbols_at = dynamic_at + (dynamic.size() + 5) * sizeof(Elf64_Dyn);
  const std::uint64_t hash_at = symbols_at + size(symbols);
  const std::uint64_t strings_at = hash_at + size(hash);
  const std::uint64_t end = strings_at + strings.size();
  add(DT_STRTAB, strings_at);
  add(DT_STRSZ, strings.size());
  add(DT_SYMTAB, symbols_at);
  add(DT_HASH, hash_at);
  add(DT_NULL, 0);

  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_DYN;
  header.e_machine = made.machine;
  header.e_version = EV_CURRENT;
  header.e_phoff = sizeof(header);
  header.e_ehsize = sizeof(header);
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 2;
  Elf64_Phdr load{};
  load.p_type = PT_LOAD;
  load.p_filesz = load.p_memsz = end;
  Elf64_Phdr section{};
  section.p_type = PT_DYNAMIC;
  section.p_offset = section.p_vaddr = dynamic_at;
  section.p_filesz = section.p_memsz = size(dynamic);

  std::string out;
  const auto put = [&](const void* bytes, std::size_t count) { out.append(static_cast<const char*>(bytes), count); };
  put(&header, sizeof(header));
  put(&load, sizeof(load));
  put(&section, sizeof(section));
  put(dynamic.data(), size(dynamic));
  put(symbols.data(), size(symbols));
  put(hash.data(), size(hash));
  return out + strings;
}

}  // namespace envdoctor

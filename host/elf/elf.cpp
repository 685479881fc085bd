#include "host/elf/elf.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "host/files/open_in_root.h"

namespace envdoctor {
namespace {

using Handle = std::unique_ptr<Elf, int (*)(Elf*)>;

constexpr std::uint64_t longest_string = 4096;
constexpr std::size_t most_dynamic = 100'000;

std::string machine_name(const GElf_Ehdr& header) {
  struct Machine {
    int number;
    const char* wide;    // 64 bits
    const char* narrow;  // 32 bits
  };
  constexpr Machine machines[] = {{EM_X86_64, "x86-64", "x32"},       {EM_386, "i386", "i386"},
                                  {EM_AARCH64, "aarch64", "aarch64"}, {EM_ARM, "arm", "arm"},
                                  {EM_RISCV, "riscv64", "riscv32"},   {EM_S390, "s390x", "s390x"},
                                  {258, "loongarch64", "loongarch64"}};
  if (header.e_machine == EM_PPC64) return header.e_ident[EI_DATA] == ELFDATA2LSB ? "ppc64le" : "ppc64";
  for (const Machine& machine : machines)
    if (machine.number == header.e_machine)
      return header.e_ident[EI_CLASS] == ELFCLASS64 ? machine.wide : machine.narrow;
  return fmt::format("machine {}", header.e_machine);
}

// One file being read. A member that fails sets `problem` to the reason.
class Reader {
 public:
  Reader(Elf* elf, std::uint64_t size) : elf_(elf), size_(size) {}

  bool read(ElfFacts& facts) {
    GElf_Ehdr header;
    if (elf_kind(elf_) != ELF_K_ELF || !gelf_getehdr(elf_, &header)) return fail("not an ELF file");
    facts.machine = machine_name(header);
    // libelf does not report missing program headers.
    if (header.e_phnum != 0 &&
        (header.e_phoff > size_ || std::uint64_t{header.e_phnum} * header.e_phentsize > size_ - header.e_phoff))
      return fail("cut short: its program headers are missing");
    return read_segments() && (!dynamic_ || read_dynamic(facts));
  }
  std::string problem{};

 private:
  bool fail(std::string why) {
    problem = std::move(why);
    return false;
  }

  bool read_segments() {
    std::size_t count = 0;
    if (elf_getphdrnum(elf_, &count) != 0) return fail("its program headers can't be read");
    for (std::size_t i = 0; i < count; ++i) {
      GElf_Phdr segment;
      if (!gelf_getphdr(elf_, static_cast<int>(i), &segment)) return fail("cut short: its program headers are missing");
      if (segment.p_type != PT_LOAD && segment.p_type != PT_DYNAMIC) continue;
      if (segment.p_offset > size_ || segment.p_filesz > size_ - segment.p_offset)
        return fail(fmt::format("cut short: segment {} ends past the {} bytes of the file", i, size_));
      if (segment.p_type == PT_LOAD) {
        loads_.push_back(segment);
      } else {
        dynamic_ = segment;
      }
    }
    return true;
  }

  bool read_dynamic(ElfFacts& facts) {
    Elf_Data* data = chunk(dynamic_->p_offset, dynamic_->p_filesz, ELF_T_DYN);
    if (!data) return fail("its dynamic section can't be read");
    std::vector<std::uint64_t> needed;
    std::optional<std::uint64_t> soname, rpath, runpath;
    using Field = std::pair<std::int64_t, std::optional<std::uint64_t>*>;
    const Field texts[] = {{DT_SONAME, &soname}, {DT_RPATH, &rpath}, {DT_RUNPATH, &runpath}};
    GElf_Dyn entry;
    for (int i = 0; static_cast<std::size_t>(i) < most_dynamic && gelf_getdyn(data, i, &entry); ++i) {
      if (entry.d_tag == DT_NULL) break;
      const std::uint64_t value = entry.d_un.d_val;
      if (entry.d_tag == DT_NEEDED) needed.push_back(value);
      if (entry.d_tag == DT_STRSZ) strings_size_ = value;
      for (const auto& [tag, text] : texts)
        if (entry.d_tag == tag) *text = value;
      if (entry.d_tag == DT_STRTAB) strings_at_ = file_offset(value);
    }
    for (const std::uint64_t offset : needed) {
      if (!string_at(offset, facts.needed.emplace_back())) return false;
    }
    return (!soname || string_at(*soname, facts.soname)) && (!rpath || string_at(*rpath, facts.rpath)) &&
           (!runpath || string_at(*runpath, facts.runpath));
  }

  [[nodiscard]] std::optional<std::uint64_t> file_offset(std::uint64_t address) const {
    for (const GElf_Phdr& load : loads_) {
      if (address >= load.p_vaddr && address - load.p_vaddr < load.p_filesz)
        return load.p_offset + (address - load.p_vaddr);
    }
    return {};
  }

  [[nodiscard]] Elf_Data* chunk(std::uint64_t offset, std::uint64_t length, Elf_Type type) const {
    if (offset > size_ || length == 0 || length > size_ - offset) return nullptr;
    return elf_getdata_rawchunk(elf_, static_cast<std::int64_t>(offset), length, type);
  }

  bool string_at(std::uint64_t offset, std::string& into) {
    if (!strings_at_ || offset >= strings_size_ || *strings_at_ > size_ || offset > size_ - *strings_at_)
      return fail("a name lies outside its string table");
    const std::uint64_t begin = *strings_at_ + offset;
    const std::uint64_t length = std::min({strings_size_ - offset, size_ - begin, longest_string});
    Elf_Data* data = chunk(begin, length, ELF_T_BYTE);
    if (!data) return fail("a name lies outside its string table");
    const std::string_view text(static_cast<const char*>(data->d_buf), data->d_size);
    const std::size_t end = text.find('\0');
    if (end == std::string_view::npos) return fail("a name in it has no end");
    into = text.substr(0, end);
    return true;
  }

  Elf* elf_;
  std::uint64_t size_;
  std::vector<GElf_Phdr> loads_{};
  std::optional<GElf_Phdr> dynamic_{};
  std::optional<std::uint64_t> strings_at_{};
  std::uint64_t strings_size_ = 0;
};

Reading<ElfFacts> facts_of(const Handle& elf, std::uint64_t size, const std::string& name) {
  if (!elf) return failed(name + ": not an ELF file");
  ElfFacts facts;
  Reader reader(elf.get(), size);
  if (!reader.read(facts)) return failed(name + ": " + reader.problem);
  return facts;
}

}  // namespace

Reading<ElfFacts> elf_facts(const std::string& bytes, const std::string& name) {
  elf_version(EV_CURRENT);
  std::string copy = bytes;  // libelf needs a writable buffer
  const Handle elf(copy.empty() ? nullptr : elf_memory(copy.data(), copy.size()), elf_end);
  return facts_of(elf, copy.size(), name);
}

Reading<ElfFacts> elf_facts(const Files& files, const std::string& path) {
  elf_version(EV_CURRENT);
  const Reading<std::string> place = files.resolve(path);
  if (!place.get()) return place.missing();
  const Reading<FileStatus> status = files.status(path);
  if (!status.get()) return status.missing();
  if (status.get()->kind != FileStatus::Kind::file) return failed(path + ": not a plain file");
  const std::string root = files.root() == "/" ? "" : files.root();
  const Descriptor file(::open((root + *place.get()).c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat opened {};
  if (!file && errno == ENOENT) return failed(path + ": was not captured");
  if (!file || fstat(file.get(), &opened) != 0) return failed(path + ": " + errno_name());
  const Handle elf(elf_begin(file.get(), ELF_C_READ, nullptr), elf_end);
  return facts_of(elf, static_cast<std::uint64_t>(opened.st_size), path);
}

std::string own_machine() {
#if defined(__x86_64__)
  return "x86-64";
#elif defined(__aarch64__)
  return "aarch64";
#elif defined(__powerpc64__)
  return "ppc64le";
#elif defined(__riscv)
  return "riscv64";
#else
  return "";
#endif
}

}  // namespace envdoctor

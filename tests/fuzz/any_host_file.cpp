// Any file of a host. The first byte chooses who reads it, so that one corpus serves all readers.
#include <iterator>

#include "host/elf/elf.h"
#include "host/elf/loader.h"
#include "host/files/capture_metadata.h"
#include "probe/gpu/kfd.h"
#include "probe/gpu/nvidia_driver.h"
#include "probe/opencl/opencl_platforms.h"
#include "probe/os/cpu_info.h"
#include "probe/os/libraries.h"
#include "probe/os/mounts.h"
#include "probe/os/os_facts.h"
#include "tests/support/fake_files.h"
#include "tests/support/fuzz.h"
#include "tests/support/make_elf.h"
#include "tests/support/make_ld_cache.h"

using namespace envdoctor;

namespace {

void elf(const std::string& text) { (void)elf_facts(text, "fuzz"); }

void ld_cache(const std::string& text) { (void)parse_ld_cache(text); }

void icd(const std::string& text) {
  FakeFiles files;
  files.texts["/etc/OpenCL/vendors/a.icd"] = text;
  const Host host{.files = files, .env = {{"OCL_ICD_VENDORS", text.substr(0, 64)}}, .live = false};
  for (const char* kind : {"ocl-icd", "khronos"}) {
    (void)opencl::registered(host, {.folder = "/etc/OpenCL/vendors"}, kind);
    (void)opencl::registration(host, kind);
  }
  (void)opencl::loader_kind(text);
}

void capture_metadata(const std::string& text) {
  (void)parse_nodes(text);
  (void)parse_file_errors(text);
}

void toolkit(const std::string& text) {
  (void)version_of_version_json(text);
  (void)version_of_version_txt(text);
  (void)version_of_cuda_header(text);
}

void nvidia(const std::string& text) {
  (void)nvrm_version(text);
  (void)nvrm_kind(text);
  (void)parse_gpu_information(text);
}

void kfd(const std::string& text) {
  FakeFiles files;
  const std::string nodes = "/sys/class/kfd/kfd/topology/nodes/";
  for (const char* name : {"properties", "gpu_id", "name", "mem_banks/0/properties"})
    files.texts[nodes + "1/" + name] = files.texts[nodes + "2/" + name] = text;
  files.texts["/opt/rocm-6.2.0/.info/version"] = text;
  (void)read_kfd(files);
}

void processor(const std::string& text) {
  (void)parse_cpuinfo(text);
  (void)parse_meminfo(text);
  (void)cpu_list(text);
  (void)cpu_max(text);
}

void system(const std::string& text) {
  (void)os_name(text);
  const std::vector<Mount> mounts = parse_mounts(text);
  for (const Mount& mount : mounts) (void)option_of(mount, "size");
  (void)mount_of(mounts, "/dev/shm/x");
}

struct Reader {
  char letter;
  void (*read)(const std::string&);
};
constexpr Reader readers[] = {{'e', elf},     {'l', ld_cache}, {'i', icd}, {'s', capture_metadata},
                              {'t', toolkit}, {'n', nvidia},   {'k', kfd}, {'c', processor},
                              {'o', system}};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text = fuzz_input(data + 1, size - 1);
  for (const Reader& reader : readers) {
    if (reader.letter == static_cast<char>(*data)) reader.read(text);
  }
  return 0;
}

std::vector<std::string> fuzz_seeds() {
  auto seeds = seed_files("any_host_file");
  seeds.push_back("e" + make_elf({.soname = "libx.so.1",
                                  .needed = {"liba.so.1", "libb.so.2"},
                                  .rpath = "$ORIGIN/..",
                                  .runpath = "/a:/b",
                                  .symbols = {"clIcdGetPlatformIDsKHR", "other"}}));
  const std::vector<MadeCacheEntry> entries = {{.soname = "libcuda.so.1", .path = "/lib/x86_64-linux-gnu/libcuda.so.1"},
                                               {.soname = "libz.so.1", .path = "/lib/libz.so.1", .hwcap = 1}};
  seeds.push_back("l" + make_ld_cache(entries));
  seeds.push_back("l" + make_ld_cache(entries, true));
  return seeds;
}

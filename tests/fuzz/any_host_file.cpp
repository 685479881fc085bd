// Any file of a host. The first byte selects the reader, so that one corpus serves all readers.
#include <iterator>

#include "checks/engine/report.h"
#include "checks/expect/expectations.h"
#include "evidence/json.h"
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
#include "probe/probes.h"
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

// Many files of one host in one text: "=== /etc/os-release" stands above each, "=== /link -> target" is a link, and
// "=== NAME=VALUE" a variable.
void host(const std::string& text) {
  FakeFiles files;
  Host host{.files = files, .live = false};
  std::string* file = nullptr;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    const std::size_t arrow = line.find(" -> "), equals = line.find('=', 4);
    if (!line.starts_with("=== ")) {
      if (file) file->append(line).push_back('\n');
    } else if (arrow != line.npos) {
      files.links[line.substr(4, arrow - 4)] = line.substr(arrow + 4);
    } else if (line.substr(4, 1) == "/") {
      file = &files.texts[line.substr(4)];
    } else if (equals != line.npos) {
      host.env[line.substr(4, equals - 4)] = line.substr(equals + 1);
    }
    at = end + 1;
  }
  // The bus and the topology are read by libraries, from folders.
  std::vector<std::string> probes;
  for (const Probe& probe : all_probes()) {
    if (probe.start != probe_pci && probe.start != probe_cpu) probes.emplace_back(probe.name);
  }
  const Snapshot seen = gather(host, {.probes = probes});
  const std::string written = to_json(seen);
  if (to_json(snapshot_from_json(written, "host")) != written)
    broken_promise("a host's snapshot is read otherwise than it was written", text);
  (void)judge(seen, {.from_files = true});
}

void expectations(const std::string& text) {
  try {
    (void)judge({}, {.expectations = read_expectations(text, "fuzz"), .from_files = true});
  } catch (const BadExpectation&) {
  }
}

struct Reader {
  char letter;
  void (*read)(const std::string&);
};
constexpr Reader readers[] = {{'e', elf},     {'l', ld_cache}, {'i', icd},         {'s', capture_metadata},
                              {'t', toolkit}, {'n', nvidia},   {'k', kfd},         {'c', processor},
                              {'o', system},  {'h', host},     {'x', expectations}};

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

#include <cstdio>
#include <cstdlib>

#include "evidence/json.h"
#include "tests/support/fuzz.h"

using namespace envdoctor;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = fuzz_input(data, size);
  try {
    const std::string once = to_json(snapshot_from_json(text, "fuzz"));
    if (to_json(snapshot_from_json(once, "fuzz")) != once) {
      std::fprintf(stderr, "not the same when read again:\n%s\nfrom\n%s\n", once.c_str(), text.c_str());
      std::abort();
    }
  } catch (const BadDocument&) {
  }
  return 0;
}

std::vector<std::string> fuzz_seeds() {
  Snapshot host;
  host.host.fill().os = std::string("Debian GNU/Linux 12");
  host.env.fill()["CUDA_VISIBLE_DEVICES"] = std::string("0,1");
  host.env.fill()["LD_PRELOAD"] = failed("withheld");
  host.libraries.fill() = {{.soname = std::string("libcuda.so.1"), .found = false, .path = absent("not found")}};
  host.opencl.fill().error = std::string("CL_PLATFORM_NOT_FOUND_KHR");
  PciDevice gpu{.address = std::string("0000:65:00.0"), .numa_node = absent("-1")};
  host.pci.fill() = {gpu, gpu};
  host.python = failed("timeout");
  return {to_json(host), "{\"schema\":\"envdoctor.snapshot/1\"}",
          "{\"schema\":\"envdoctor.report/1\",\"snapshot\":{\"schema\":\"envdoctor.snapshot/"
          "1\",\"pci\":[{\"numa_node\":-1}]}}"};
}

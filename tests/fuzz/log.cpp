#include "knowledge/wordings/wordings.h"
#include "probe/paste/log_reader.h"
#include "tests/support/fuzz.h"

using namespace envdoctor;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  (void)read_log(fuzz_input(data, size), "fuzz");
  return 0;
}

std::vector<std::string> fuzz_seeds() {
  std::string all;
  for (const knowledge::LogPattern& row : knowledge::wordings()) {
    if (all.size() < 1500) all += row.example + "\n";
  }
  return {
      all, "PyTorch version: 2.4.1\nCUDA used to build PyTorch: 12.1\nIs CUDA available: False\nGPU 0: NVIDIA L4\n",
      "| NVIDIA-SMI 535.54.03  Driver Version: 535.54.03  CUDA Version: 12.2 |\n"
      "|   0  NVIDIA L4  On  | 00000000:07:00.0 Off |  0 |\n| N/A 31C P0 52W / 72W |  3MiB / 23034MiB | 0% Default |\n",
      "Number of platforms 1\n  Platform Name x\nNumber of devices 0\n",
      "\x1b[31mred\x1b[0m\r\n> 2024-05-01T12:00:00Z [rank0]: text\n"};
}

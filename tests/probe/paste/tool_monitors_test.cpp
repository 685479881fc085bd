#include <gtest/gtest.h>

#include <algorithm>

#include "probe/paste/log_reader.h"

namespace envdoctor::tool_monitors_test {
namespace {

using enum SymptomClass;

Nvidia nvidia_of(std::string_view text) { return read_log(text, "paste.txt").nvidia.or_empty(); }

const Symptom* symptom(const Snapshot& snapshot, SymptomClass class_, const char* subject) {
  const auto& log = snapshot.log.or_empty();
  const auto found = std::ranges::find_if(log, [&](const Symptom& one) { return one.is({class_, subject}); });
  return found == log.end() ? nullptr : &*found;
}

TEST(Gpustat, TellsMemoryWorkAndProcessesOfEachCard) {
  const Nvidia nvidia = nvidia_of(
      "box  Mon Mar  3 10:00:00 2025  550.90\n"
      "[0] NVIDIA A40        | 52'C,  97 % | 30151 / 46068 MB | kim:python/4711(21000M) gdm(4M)\n"
      "[1] NVIDIA A40        | 31'C,   0 % |     3 / 46068 MB |\n");
  ASSERT_EQ(nvidia.devices.or_empty().size(), 2U);
  const NvidiaDevice& first = nvidia.devices.get()->front();
  EXPECT_TRUE(first.name.is("NVIDIA A40"));
  EXPECT_TRUE(first.memory_total_mib.is(46068));
  EXPECT_TRUE(first.memory_free_mib.is(46068 - 30151));
  EXPECT_TRUE(first.utilization_percent.is(97));
  EXPECT_TRUE(first.temperature_c.is(52));
  ASSERT_EQ(nvidia.processes.or_empty().size(), 2U);
  EXPECT_TRUE(nvidia.processes.get()->front().pid.is(4711));
  EXPECT_TRUE(nvidia.processes.get()->front().name.is("python"));
  EXPECT_TRUE(nvidia.processes.get()->front().memory_mib.is(21000));
}

TEST(Gpustat, IsNotEveryLineInBrackets) {
  EXPECT_FALSE(nvidia_of("[0] step 12 | 52'C, warm | 12 / 30 MB/s\n").devices.get());
}

TEST(Nvitop, TellsCardsAndProcessesFromItsTables) {
  const Nvidia nvidia = nvidia_of(
      "│ NVITOP 1.3.2      Driver Version: 535.104.05      CUDA Driver Version: 12.2  │\n"
      "│   0  A100-SXM4-40GB      On   │ 00000000:07:00.0 Off │                    0 │ MEM: ▏ 3% │\n"
      "│ N/A   31C    P0    60W / 400W │   1234MiB / 40.00GiB │     12%      Default │\n"
      "│ Processes:                                                      kim@box │\n"
      "│ GPU     PID      USER  GPU-MEM %SM  %CPU  %MEM     TIME  COMMAND │\n"
      "│   0    4711 C     kim  1.20GiB  10   99.0  1.3  1:02:03  python train.py │\n");
  ASSERT_EQ(nvidia.devices.or_empty().size(), 1U);
  EXPECT_TRUE(nvidia.kernel_driver_version.is("535.104.05"));
  EXPECT_TRUE(nvidia.cuda_driver_version.is("12.2"));
  EXPECT_TRUE(nvidia.devices.get()->front().name.is("A100-SXM4-40GB"));
  EXPECT_TRUE(nvidia.devices.get()->front().memory_total_mib.is(40960));
  EXPECT_TRUE(nvidia.devices.get()->front().memory_free_mib.is(40960 - 1234));
  ASSERT_EQ(nvidia.processes.or_empty().size(), 1U);
  EXPECT_TRUE(nvidia.processes.get()->front().memory_mib.is(1228));
}

TEST(ProcessList, TellsEachProcessUntilItsRowsEnd) {
  const Nvidia nvidia =
      nvidia_of("PID      GPU Memory\n4711  5144MiB\n4712 python 2.5 GiB\n\nthat was all\n99 1 MiB\n");
  ASSERT_EQ(nvidia.processes.or_empty().size(), 2U);
  EXPECT_TRUE(nvidia.processes.get()->at(1).pid.is(4712));
  EXPECT_TRUE(nvidia.processes.get()->at(1).memory_mib.is(2560));
  EXPECT_FALSE(nvidia_of("PID of the server: 12, memory is fine\n4711 started\n").processes.get());
}

TEST(NcclTests, TellWhetherWhatWasSentArrived) {
  const char* start = "# nThread 1 nGpus 2 minBytes 8 maxBytes 1024\n";
  const Snapshot wrong =
      read_log(std::string(start) + "# Out of bounds values : 12 FAILED\n# Avg bus bandwidth    : 3.2\n", "paste.txt");
  ASSERT_NE(symptom(wrong, wrong_result, "peer-copy"), nullptr);
  EXPECT_EQ(symptom(wrong, used, "gpu"), nullptr);
  const Snapshot right =
      read_log(std::string(start) + "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 180.2\n", "paste.txt");
  EXPECT_EQ(symptom(right, wrong_result, "peer-copy"), nullptr);
  EXPECT_NE(symptom(right, used, "gpu"), nullptr);
}

TEST(DockerImage, TellsWhichCudaItAsksForAndWhetherItHidesGpus) {
  const Snapshot image = read_log(
      "$ docker image inspect trainer:2\n            \"Env\": [\n"
      "                \"NVIDIA_REQUIRE_CUDA=cuda>=12.4 brand=tesla,driver>=470,driver<471\",\n"
      "                \"NVIDIA_VISIBLE_DEVICES=void\",\n",
      "paste.txt");
  ASSERT_NE(symptom(image, noted, "image-needs-cuda"), nullptr);
  EXPECT_EQ(symptom(image, noted, "image-needs-cuda")->detail("cuda"), "12.4");
  EXPECT_NE(symptom(image, missing, "device-request-of-container"), nullptr);
  EXPECT_EQ(
      symptom(read_log("            \"NVIDIA_VISIBLE_DEVICES=all\",\n", "p"), missing, "device-request-of-container"),
      nullptr);
}

TEST(Strace, TellsALibraryThatNoFolderHolds) {
  const std::string tried =
      "openat(AT_FDCWD, \"/opt/lib/libcuda.so.1\", O_RDONLY|O_CLOEXEC) = -1 ENOENT (No such file or directory)\n";
  const Snapshot without = read_log(tried, "strace.txt");
  ASSERT_NE(symptom(without, missing, "library-by-ldd"), nullptr);
  EXPECT_EQ(symptom(without, missing, "library-by-ldd")->detail("library"), "libcuda.so.1");
  const Snapshot with =
      read_log(tried + "openat(AT_FDCWD, \"/usr/lib/libcuda.so.1\", O_RDONLY|O_CLOEXEC) = 3\n", "strace.txt");
  EXPECT_EQ(symptom(with, missing, "library-by-ldd"), nullptr) << "a later folder holds it";
}

}  // namespace
}  // namespace envdoctor::tool_monitors_test

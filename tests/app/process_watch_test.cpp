// Real processes that hold fake GPU nodes open and have fake libraries mapped, watched with a fake NVML.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "checks/facts/process_use.h"
#include "host/process/background_child.h"
#include "probe/process/process_read.h"
#include "probe/process/process_watch.h"
#include "reports/reports.h"
#include "tests/support/fakes.h"
#include "tests/support/process.h"

namespace envdoctor::process_watch_test {
namespace {

namespace fs = std::filesystem;

// A child that opens and maps files, and then waits to be killed.
class Worker {
 public:
  Worker(const std::vector<std::string>& open, const std::vector<std::string>& map) {
    int ready[2];
    EXPECT_EQ(pipe(ready), 0);
    pid_ = fork();
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      for (const std::string& path : open) ::open(path.c_str(), O_RDWR);
      for (const std::string& path : map)
        mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, ::open(path.c_str(), O_RDONLY), 0);
      (void)!write(ready[1], "x", 1);
      while (true) pause();
    }
    char byte = 0;
    (void)!::read(ready[0], &byte, 1);
    close(ready[0]);
    close(ready[1]);
  }
  ~Worker() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
};

class Watching : public testing::Test {
 protected:
  Watching() {
    fs::create_directories(folder_ + "/dev/dri");
    fs::create_directories(folder_ + "/site-packages/nvidia/cudnn/lib");
    fs::create_directories(folder_ + "/site-packages/nvidia_cudnn_cu12-9.3.0.75.dist-info");
    for (const std::string& file : {node("nvidia0"), node("nvidia-uvm"), node("nvidiactl"), driver_, cudnn_})
      std::ofstream(file) << std::string(4096, 'x');
  }
  ~Watching() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string node(const std::string& name) const { return folder_ + "/dev/" + name; }

  // Watches a worker for this long. `nvml` lists what the fake reports: lines "GPU PID MIB PERCENT", PID %.
  Watched watch(const Worker& worker, const std::string& nvml, double seconds) {
    std::string lines = nvml;
    for (auto at = lines.find('%'); at != lines.npos; at = lines.find('%'))
      lines.replace(at, 1, std::to_string(worker.pid()));
    std::ofstream(folder_ + "/nvml") << lines;
    setenv("FAKE_NVML_PROCESSES", (folder_ + "/nvml").c_str(), 1);
    const WatchOptions options{
        .nodes = folder_ + "/dev", .nvml = fake("nvml", way_), .redact = false, .gap = Milliseconds(100)};
    BackgroundChild watcher(watch_process(worker.pid(), options));
    usleep(static_cast<useconds_t>(seconds * 1e6));
    watcher.end(Milliseconds(10'000));
    EXPECT_NE(watcher.answer(), "") << watcher.why_over();
    return watched_from_json(watcher.answer(), "the watcher");
  }
  // Where PIDs can't be matched, as inside a container, the honest answer is another one.
  static bool pids_match() { return why_pids_differ(*open_files("/")).empty(); }

  std::string folder_ = test_folder();
  std::string driver_ = folder_ + "/libcuda.so.550.54.14";
  std::string cudnn_ = folder_ + "/site-packages/nvidia/cudnn/lib/libcudnn.so.9";
  std::string way_ = "healthy";
};

TEST_F(Watching, TellsThatItRanOnAGpu) {
  const Worker worker({node("nvidia0"), node("nvidia-uvm")}, {driver_, cudnn_});
  const Watched seen = watch(worker, "1 % 5222 83\n", 2);
  const ProcessVerdict verdict = judge_process(seen);
  if (!pids_match()) {
    EXPECT_EQ(verdict.use, DeviceUse::unknown);
    EXPECT_NE(verdict.why.find("container"), std::string::npos) << verdict.why;
    GTEST_SKIP() << "in a PID namespace: NVML's PIDs can't be matched, and it says so";
  }
  EXPECT_EQ(verdict.use, DeviceUse::ran);
  EXPECT_EQ(use_line(seen, verdict), "ran on GPU 1 (83 % busy, peak 5.1 GiB, cuDNN 9.3 from the wheel)");
}

TEST_F(Watching, TellsThatItWasIdle) {
  const Worker worker({node("nvidia0"), node("nvidia-uvm")}, {driver_});
  const Watched seen = watch(worker, "0 % 512 4\n", 8);  // long enough for two rounds on a busy host
  if (!pids_match()) GTEST_SKIP() << "in a PID namespace";
  const ProcessVerdict verdict = judge_process(seen);
  EXPECT_EQ(verdict.use, DeviceUse::idle);
  EXPECT_TRUE(verdict.busy_at_all);
  EXPECT_EQ(use_line(seen, verdict), "opened GPU 0, idle 96 % of the time (peak 512 MiB)");
}

TEST_F(Watching, TellsThatNoGpuWasOpened) {
  const Worker worker({node("nvidiactl")}, {});
  const Watched seen = watch(worker, "0 4711 512 90\n", 1);
  const ProcessVerdict verdict = judge_process(seen);
  EXPECT_EQ(verdict.use, DeviceUse::never_opened) << verdict.why;
  EXPECT_FALSE(verdict.busy_at_all);
  EXPECT_TRUE(use_line(seen, verdict).starts_with("never opened a GPU: ")) << use_line(seen, verdict);
}

TEST_F(Watching, CanNotTellWhereNvmlFails) {
  way_ = "segfault";
  const Worker worker({node("nvidia0"), node("nvidia-uvm")}, {driver_});
  const Watched seen = watch(worker, "", 1);
  const ProcessVerdict verdict = judge_process(seen);
  EXPECT_EQ(verdict.use, DeviceUse::unknown);
  if (!pids_match()) GTEST_SKIP() << "in a PID namespace NVML is not even asked";
  EXPECT_NE(verdict.why.find("SIGSEGV"), std::string::npos) << verdict.why;
}

TEST_F(Watching, SomebodyElsesWorkIsNotOurs) {
  const Worker worker({node("nvidia0"), node("nvidia-uvm")}, {driver_});
  const Watched seen = watch(worker, "0 4711 512 90\n", 4);
  if (!pids_match()) GTEST_SKIP() << "in a PID namespace";
  EXPECT_EQ(judge_process(seen).use, DeviceUse::idle);
  EXPECT_FALSE(judge_process(seen).busy_at_all);
}

TEST_F(Watching, CostsLessThanOnePercentOfACore) {
  const Worker worker({node("nvidia0")}, {driver_, cudnn_});
  setenv("FAKE_NVML_PROCESSES", (folder_ + "/nvml").c_str(), 1);
  rusage before{}, after{};
  getrusage(RUSAGE_CHILDREN, &before);
  {
    BackgroundChild watcher(watch_process(worker.pid(), {.nodes = folder_ + "/dev", .nvml = fake("nvml", "healthy")}));
    sleep(8);
    watcher.end(Milliseconds(10'000));
  }
  getrusage(RUSAGE_CHILDREN, &after);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  const double used =
      seconds(after.ru_utime) + seconds(after.ru_stime) - seconds(before.ru_utime) - seconds(before.ru_stime);
  // What is spent at once in the beginning and at the end counts as well: 0.1 s, whatever the duration.
  EXPECT_LT(used, 0.1 + 0.01 * 8) << used;
}

TEST(ProcessStat, TakesNamesWithBrackets) {
  const ProcessStat stat = parse_stat("42 (a) b (c)) S 7 42 42 0 -1 4 1 0 0 0 0 0 0 0 20 0 1 0 12345 0 0\n");
  EXPECT_EQ(stat.name, "a) b (c)");
  EXPECT_EQ(stat.parent, 7);
  EXPECT_EQ(stat.started, 12345);
  EXPECT_EQ(parse_stat("nonsense").parent, 0);
}

TEST(ProcessTreeLook, FindsGrandchildren) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (fork() == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      (void)!write(ready[1], "x", 1);
    }
    while (true) pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  const auto files = open_files("/");
  ProcessTree tree(*files, child);
  tree.look();
  EXPECT_EQ(tree.count(), 2);
  EXPECT_TRUE(tree.had(child));
  EXPECT_FALSE(tree.had(getpid()));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  tree.look();
  EXPECT_FALSE(tree.alive().contains(child));
}

TEST(DrmFdinfo, IsReadAsTheKernelDocumentsIt) {
  const DrmClient client = parse_fdinfo(
      "pos:\t0\nflags:\t02100002\ndrm-driver:\tamdgpu\ndrm-pdev:\t0000:03:00.0\ndrm-client-id:\t17\n"
      "drm-engine-compute:\t6000000 ns\ndrm-engine-capacity-compute:\t2\ndrm-engine-gfx:\t5 ns\n"
      "drm-memory-vram:\t2048 KiB\ndrm-memory-gtt:\t9999 KiB\n");
  EXPECT_EQ(client.driver, "amdgpu");
  EXPECT_EQ(client.address, "0000:03:00.0");
  EXPECT_EQ(client.busy_ns.at("compute"), 3'000'000);
  EXPECT_EQ(client.memory_mib, 2);
  EXPECT_TRUE(client.is_complete());
  EXPECT_FALSE(parse_fdinfo("drm-driver:\tnvidia-drm\n").is_complete());
}

TEST(MappedLibraries, AreThoseThatTellOfGpus) {
  const auto found = mapped_libraries(
      "7f00-7f01 r-xp 00000000 08:01 1 /usr/lib/libc.so.6\n"
      "7f02-7f03 r-xp 00000000 08:01 2 /opt/a b/libcudnn.so.9 (deleted)\n"
      "7f02-7f03 r--p 00000000 08:01 2 /opt/a b/libcudnn.so.9 (deleted)\n[heap]\n");
  EXPECT_EQ(found, std::vector<std::string>{"/opt/a b/libcudnn.so.9"});
}

TEST(GpuNodes, TellAskingFromComputing) {
  for (const char* name : {"nvidia0", "nvidia15", "nvidia-uvm", "dri/renderD128", "kfd", "dxg"})
    EXPECT_TRUE(is_compute_node(name)) << name;
  for (const char* name : {"nvidiactl", "dri/card0", "nvidia-modeset", "null", "nvidia-fs0"})
    EXPECT_FALSE(is_compute_node(name)) << name;
  EXPECT_TRUE(is_gpu_node("nvidiactl"));
  EXPECT_FALSE(is_gpu_node("null"));
}

}  // namespace
}  // namespace envdoctor::process_watch_test

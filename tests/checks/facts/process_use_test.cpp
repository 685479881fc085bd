#include "checks/facts/process_use.h"

#include <gtest/gtest.h>

namespace envdoctor::facts_process_use_test {
namespace {

Watched watched() {
  ProcessUse use{.pid = 42,
                 .program = std::string("python"),
                 .processes = 1,
                 .seconds = 60.0,
                 .samples = 60,
                 .opens = 0,
                 .unreadable = absent("all processes could be read"),
                 .outside = absent("no reason known")};
  use.nodes.fill();
  use.libraries.fill();
  use.gpus.fill();
  use.env.fill();
  Watched all{.process = use};
  all.device_nodes = std::vector{DeviceNode{.path = std::string("/dev/nvidia0"), .accessible = true}};
  return all;
}

ProcessUse& use_of(Watched& all) { return *all.process.get(); }

void map(Watched& all, const std::string& library, const std::string& path) {
  use_of(all).libraries.get()->push_back({.library = library, .path = path, .origin = std::string("pip")});
}

TEST(NeverOpened, NamesTheLikeliestCause) {
  Watched all = watched();
  EXPECT_EQ(judge_process(all).use, DeviceUse::never_opened);
  EXPECT_EQ(judge_process(all).why, "no library that uses a GPU was loaded");
  map(all, "torch", "/x/site-packages/torch/lib/libtorch_cpu.so");
  EXPECT_NE(judge_process(all).why.find("CPU-only build"), std::string::npos);
  map(all, "torch", "/x/site-packages/torch/lib/libtorch_cuda.so");
  map(all, "cuda", "/usr/lib/libcuda.so.1");
  EXPECT_NE(judge_process(all).why.find("found no device"), std::string::npos) << judge_process(all).why;
  all.device_nodes.get()->front().accessible = false;
  EXPECT_EQ(judge_process(all).why, "this user may not open /dev/nvidia0");
  use_of(all).env.get()->emplace("CUDA_VISIBLE_DEVICES", "-1");
  EXPECT_EQ(judge_process(all).why, "CUDA_VISIBLE_DEVICES=-1 hides every GPU from it");
  all.device_nodes.fill().clear();
  EXPECT_EQ(judge_process(all).why, "this host has no GPU node in /dev");
}

TEST(NeverOpened, IsNotSaidOfWhatCouldNotBeSeen) {
  Watched all = watched();
  use_of(all).outside = std::string("docker hands the work to its daemon");
  EXPECT_EQ(judge_process(all).use, DeviceUse::unknown);
  all = watched();
  use_of(all).unreadable = std::string("process 7 (sudo) may not be looked into");
  EXPECT_EQ(judge_process(all).use, DeviceUse::unknown);
  all = watched();
  use_of(all).seconds = 0.1;
  use_of(all).opens = 1;
  EXPECT_EQ(judge_process(all).use, DeviceUse::unknown);
  use_of(all).opens = failed("no inotify");
  EXPECT_EQ(judge_process(all).use, DeviceUse::unknown);
  use_of(all).opens = 0;
  EXPECT_EQ(judge_process(all).use, DeviceUse::never_opened);
  EXPECT_EQ(judge_process({.process = failed("the watcher died")}).use, DeviceUse::unknown);
}

TEST(Opened, IsJudgedByHowBusyTheGpuWasKept) {
  Watched all = watched();
  use_of(all).nodes.get()->push_back("/dev/nvidia0");
  use_of(all).gpus.get()->push_back({.seen_by = std::string("nvml"), .index = 0, .busy_percent = 83.0, .samples = 60});
  EXPECT_EQ(judge_process(all).use, DeviceUse::ran);
  use_of(all).gpus.get()->front().busy_percent = 4.0;
  EXPECT_EQ(judge_process(all).use, DeviceUse::idle);
  EXPECT_FALSE(computed_on_cpu(all, judge_process(all))) << "it has memory on a GPU";
  EXPECT_TRUE(judge_process(all).busy_at_all);
  use_of(all).gpus.get()->front().busy_percent = 0.0;
  EXPECT_FALSE(judge_process(all).busy_at_all);
  use_of(all).gpus.get()->front().busy_percent = failed("NVML doesn't report it");
  EXPECT_EQ(judge_process(all).use, DeviceUse::unknown);
  use_of(all).gpus = failed("inside a container");
  EXPECT_EQ(judge_process(all).use, DeviceUse::unknown);
  use_of(all).gpus.fill().clear();
  EXPECT_EQ(judge_process(all).use, DeviceUse::idle);  // opened, and never listed as computing
  EXPECT_TRUE(computed_on_cpu(all, judge_process(all))) << "it asked the driver, as is_available() does";
  use_of(all).seconds = 0.3;
  EXPECT_EQ(judge_process(all).use, DeviceUse::unknown);
}

TEST(Opened, AskingTheDriverIsNotOpeningAGpu) {
  Watched all = watched();
  use_of(all).nodes.get()->push_back("/dev/nvidiactl");
  EXPECT_EQ(judge_process(all).use, DeviceUse::never_opened);
}

}  // namespace
}  // namespace envdoctor::facts_process_use_test

// Facts from texts in combination: each pair of them shows a cause, and its healthy counterpart none.
#include <gtest/gtest.h>

#include <algorithm>

#include "checks/engine/report.h"
#include "tests/support/builders.h"
#include "tests/support/log_lines.h"

namespace envdoctor::pasted_facts_test {
namespace {

using enum SymptomClass;

std::string first(const Snapshot& snapshot) {
  const Report report = judge(snapshot, {.from_files = true});
  const auto found =
      std::ranges::find_if(report.findings, [](const Finding& f) { return f.severity != Severity::info; });
  return found == report.findings.end() ? "" : found->id;
}

bool finds(const Snapshot& snapshot, const std::string& id) {
  return std::ranges::any_of(findings(snapshot), [&](const Finding& one) { return one.id == id; });
}

Snapshot with_card(Snapshot snapshot, NvidiaDevice device) {
  snapshot.nvidia.fill().devices = std::vector{std::move(device)};
  return snapshot;
}

TEST(PastedFacts, ADriverOfAnyNameHoldsTheGpu) {
  EXPECT_EQ(first(log_of({{{present, "other-driver"}, {{"driver", "some_driver"}}}})), "driver.other-driver-bound");
}

TEST(PastedFacts, WhatOnlyRootMayDoIsAPermission) {
  EXPECT_EQ(first(log_of({{{failed, "hsa"}}, {{refused, "user-without-root"}}})), "driver.permission");
  EXPECT_FALSE(finds(log_of({{{refused, "user-without-root"}}}), "driver.permission")) << "nothing fails";
  EXPECT_FALSE(
      finds(log_of({{{failed, "hsa"}}, {{refused, "user-without-root"}, {{"neither", "even"}}}}), "driver.permission"));
  EXPECT_EQ(first(log_of({{{refused, "driver-daemon"}, {{"daemon", "nvidia-persistenced"}}}})), "driver.permission");
}

TEST(PastedFacts, AnExclusiveGpuWithWorkOnItIsBusy) {
  const NvidiaDevice exclusive{.index = std::int64_t{0},
                               .memory_total_mib = std::int64_t{16000},
                               .memory_free_mib = std::int64_t{15000},
                               .compute_mode = "exclusive_process"};
  const Snapshot busy_device = log_of({{{busy, "cuda-device"}}});
  EXPECT_EQ(first(with_card(busy_device, exclusive)), "driver.compute-mode");
  const auto found = findings(with_card(busy_device, exclusive));
  EXPECT_EQ(found.front().confidence, Confidence::likely);
  NvidiaDevice open = exclusive;
  open.compute_mode = "default";
  EXPECT_TRUE(findings(with_card(busy_device, open)).empty()) << "the default mode disproves it";
}

TEST(PastedFacts, MoreRanksThanGpusIsNoDoubleFilter) {
  const Snapshot ranks = log_of({{{noted, "visible-devices"}, {{"name", "CUDA_VISIBLE_DEVICES"}, {"value", "2,3"}}},
                                 {{noted, "ranks"}, {{"count", "8"}}},
                                 {{missing, "cuda-device-index"}}});
  EXPECT_EQ(first(ranks), "visibility.invalid-ordinal");
  const Snapshot one = log_of({{{noted, "visible-devices"}, {{"name", "CUDA_VISIBLE_DEVICES"}, {"value", "2,3"}}},
                               {{missing, "cuda-device-index"}}});
  EXPECT_EQ(first(one), "visibility.double-filter");
}

TEST(PastedFacts, ALossScaleNearNothingIsNotANumber) {
  EXPECT_EQ(first(log_of({{{noted, "loss-scale"}, {{"value", "2.5e-61"}}}})), "compute.fp16-nan");
  EXPECT_EQ(first(log_of({{{noted, "loss-scale"}, {{"minimum", "already at minimum"}}}})), "compute.fp16-nan");
  EXPECT_EQ(first(log_of({{{noted, "loss-scale"}, {{"value", "32768.0"}}}})), "") << "the first steps of any training";
}

TEST(PastedFacts, AFewOfManyLayersOnTheGpuIsHardlyUse) {
  const auto layers = [](const char* given, const char* all) {
    return log_of({{{used, "gpu"}}, {{noted, "offloaded-layers"}, {{"given", given}, {"of", all}}}});
  };
  EXPECT_EQ(first(layers("1", "35")), "usage.detected-unused");
  EXPECT_EQ(first(layers("20", "35")), "");
  EXPECT_EQ(first(layers("33", "33")), "");
  EXPECT_EQ(first(layers("1", "2")), "");
}

TEST(PastedFacts, SinglePrecisionAloneIsCoarseWhereThereIsTf32) {
  const auto errors = [](const char* single, const char* capability, const char* twice) {
    return log_of(
        {{{noted, "error-of-precision"}, {{"precision", "fp32"}, {"value", single}, {"capability", capability}}},
         {{noted, "error-of-precision"}, {{"precision", "fp64"}, {"value", twice}}}});
  };
  EXPECT_EQ(first(errors("3e-4", "8.6", "1e-16")), "compute.tf32");
  EXPECT_EQ(first(errors("3e-4", "7.5", "1e-16")), "") << "no TF32 there";
  EXPECT_EQ(first(errors("1e-7", "8.6", "1e-16")), "");
  EXPECT_EQ(first(errors("3e-4", "8.6", "2e-4")), "") << "no better in double precision";
}

TEST(PastedFacts, AToolkitThatDroppedTheCardMakesNoCodeForIt) {
  const auto stated = [](const char* capability, const char* cuda) {
    Snapshot snapshot =
        log_of({{{noted, "stated-gpu"}, {{"capability", capability}}}, {{noted, "stated-cuda"}, {{"version", cuda}}}});
    snapshot.texts = std::vector<ReadText>{
        {.source = "job.log",
         .lines = std::int64_t{9},
         .notable = std::vector<TextLine>{{.line = std::int64_t{9}, .text = "RuntimeError: the compiler failed"}}}};
    return snapshot;
  };
  EXPECT_EQ(first(stated("3.0", "11.2")), "runtime.arch-unsupported");
  EXPECT_EQ(first(stated("7.5", "11.2")), "");
  Snapshot quiet = stated("3.0", "11.2");
  quiet.texts.get()->front().notable.fill().clear();
  EXPECT_EQ(first(quiet), "") << "nothing failed";
}

TEST(PastedFacts, ProcessesThatFillTheCardTogetherLeaveNoRoom) {
  const auto shared = [](std::vector<std::int64_t> memory) {
    Snapshot snapshot = log_of({{{exhausted, "any-gpu-memory"}}});
    auto& processes = snapshot.nvidia.fill().processes.fill();
    for (const std::int64_t mib : memory)
      processes.push_back({.pid = static_cast<std::int64_t>(processes.size()) + 1, .memory_mib = mib});
    return snapshot;
  };
  EXPECT_TRUE(finds(shared({5000, 4800, 2000}), "memory.occupied"));
  EXPECT_FALSE(finds(shared({14000, 300}), "memory.occupied")) << "that is the program itself";
  EXPECT_FALSE(finds(shared({700, 500}), "memory.occupied"));
}

TEST(PastedFacts, AGpuAtWorkForNobodyIsHeldByWhatEnded) {
  const auto monitor = [](std::int64_t percent) {
    Snapshot snapshot = with_card(log_of({}), {.index = std::int64_t{6},
                                               .memory_total_mib = std::int64_t{81920},
                                               .memory_free_mib = std::int64_t{70000},
                                               .utilization_percent = percent});
    snapshot.nvidia.fill().processes.fill();
    snapshot.texts =
        std::vector<ReadText>{{.source = "job.log",
                               .lines = std::int64_t{9},
                               .notable = std::vector<TextLine>{{.line = std::int64_t{9}, .text = "no such process"}}}};
    return snapshot;
  };
  EXPECT_EQ(first(monitor(100)), "memory.occupied");
  EXPECT_EQ(first(monitor(0)), "");
  Snapshot contained = monitor(100);
  contained.host.fill().container = "docker";
  EXPECT_FALSE(finds(contained, "memory.occupied")) << "a container never sees the processes";
}

TEST(PastedFacts, APackageListOfAnotherReleaseIsOfAnotherPython) {
  const auto notebook = [](const char* runs, const char* listed) {
    Snapshot snapshot = log_of({});
    snapshot.texts = std::vector<ReadText>{{.source = "job.log", .lines = std::int64_t{9}}};
    snapshot.tensorflow.fill().version = runs;
    snapshot.python.fill().packages.fill()["tensorflow"] = listed;
    return snapshot;
  };
  EXPECT_EQ(first(notebook("2.4.0", "2.9.1")), "python.wrong-environment");
  EXPECT_FALSE(finds(notebook("2.9.1", "2.9.1+nv23.1"), "python.wrong-environment"));
}

TEST(PastedFacts, TwoPythonsOfOneTextAnswerOtherwise) {
  Snapshot two = log_of({});
  two.texts = std::vector<ReadText>{{.source = "job.log", .lines = std::int64_t{9}}};
  two.torch.fill().version = "2.1.0";
  two.torch.fill().cuda_available = false;
  two.python.fill().version = "3.10.9";
  two.contradictions = std::vector<Contradiction>{{.path = "/torch/version", .value = "2.3.0+cu121"},
                                                  {.path = "/torch/cuda_available", .value = "true"}};
  EXPECT_FALSE(finds(two, "python.wrong-environment")) << "one Python, before and after an update";
  two.contradictions.get()->push_back({.path = "/python/version", .value = "3.11.3"});
  EXPECT_EQ(first(two), "python.wrong-environment");
}

TEST(PastedFacts, ACardInMigModeBesideOthersLeavesOneDevice) {
  Snapshot mixed = log_of({});
  mixed.nvidia.fill().devices =
      std::vector<NvidiaDevice>{{.index = std::int64_t{0}, .mig = false}, {.index = std::int64_t{1}, .mig = true}};
  mixed.torch.fill().device_count = std::int64_t{1};
  EXPECT_EQ(first(mixed), "visibility.mig-single-instance");
  mixed.torch.fill().device_count = std::int64_t{2};
  EXPECT_EQ(first(mixed), "");
}

TEST(PastedFacts, AnImageAsksForADriverOfItsCuda) {
  Snapshot image = log_of({{{noted, "image-needs-cuda"}, {{"cuda", "13.0"}}}});
  image.nvidia.fill().kernel_driver_version = "535.104.05";
  image.nvidia.fill().cuda_driver_version = "12.2";
  EXPECT_TRUE(finds(image, "driver.too-old"));
  image.log.get()->front().details["cuda"] = "12.0";
  EXPECT_FALSE(finds(image, "driver.too-old"));
}

TEST(PastedFacts, AListOfReleasesThatEndsEarlyIsAnOldPips) {
  const auto refused = [](const char* newest) {
    return log_of({{{missing, "package-version"}, {{"requirement", "tensorflow"}, {"newest", newest}}}});
  };
  EXPECT_EQ(first(refused("2.0.0b1")), "python.pip-too-old");
  EXPECT_FALSE(finds(refused("2.0.0b1"), "python.version-unsupported"));
  EXPECT_EQ(first(refused("2.11.1")), "python.version-unsupported");
}

TEST(PastedFacts, OpenclReachesAGpuThatTorchDoesNot) {
  Snapshot snapshot = log_of({{{missing, "cuda"}}});
  EXPECT_EQ(first(snapshot), "driver.unreachable");
  snapshot.opencl.fill().platforms = std::vector<OpenclPlatform>{
      {.name = "AMD Accelerated Parallel Processing", .devices = std::vector<OpenclDevice>{{.type = "gpu"}}}};
  EXPECT_EQ(first(snapshot), "runtime.cpu-only-build");
}

TEST(PastedFacts, AnEngineThatFindsNoFilesHasADriverElsewhere) {
  EXPECT_EQ(first(log_of({{{missing, "driver-files-for-container"}}})), "visibility.container-hidden");
  EXPECT_EQ(first(log_of({{{missing, "driver-files-for-container"}}, {{missing, "nvidia-smi"}}})),
            "driver.not-installed");
}

TEST(PastedFacts, CupyIsBuiltForTheCudaThatItFinds) {
  const auto cupy = [](const char* linked, const char* local) {
    return log_of({{{noted, "linked-and-local-cuda"}, {{"linked", linked}, {"local", local}}}});
  };
  EXPECT_EQ(first(cupy("11", "12")), "runtime.cuda-mismatch");
  EXPECT_EQ(first(cupy("12", "12")), "");
}

TEST(PastedFacts, MemoryOfNobodyIsInTheWayOfAProgramThatRanOut) {
  const auto full = [](std::int64_t free) {
    Snapshot snapshot =
        with_card(log_of({{{exhausted, "any-gpu-memory"}}}),
                  {.index = std::int64_t{0}, .memory_total_mib = std::int64_t{24000}, .memory_free_mib = free});
    snapshot.nvidia.fill().processes.fill();
    snapshot.texts = std::vector<ReadText>{
        {.source = "job.log",
         .lines = std::int64_t{9},
         .notable = std::vector<TextLine>{{.line = std::int64_t{9}, .text = "CUDA out-of-memory"}}}};
    return snapshot;
  };
  EXPECT_TRUE(finds(full(9000), "memory.occupied"));
  EXPECT_FALSE(finds(full(23500), "memory.occupied"));
}

TEST(PastedFacts, AnEmptyValueBeforeACommandHidesEveryGpu) {
  Snapshot hidden = log_of({{{noted, "visible-devices"}, {{"name", "CUDA_VISIBLE_DEVICES"}, {"value", "python"}}},
                            {{missing, "cuda-device"}}});
  hidden.log.get()->front().text = "CUDA_VISIBLE_DEVICES= python train.py";
  EXPECT_EQ(first(hidden), "visibility.empty");
}

}  // namespace
}  // namespace envdoctor::pasted_facts_test

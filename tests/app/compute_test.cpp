// Kernels that the user did not request don't run on a GPU that others use.
#include "app/commands/kernel_runs.h"

#include <gtest/gtest.h>

namespace envdoctor::compute_test {
namespace {

// A card whose driver can't be opened: every attempt reports it.
struct ComputeOnACard : testing::Test {
  Snapshot host{};
  const kernels::Target card = {
      .subject = "cuda:0", .backend = "cuda", .library = "/no/such/libcuda.so", .gpu = "0000:65:00.0"};
  void SetUp() override {
    host.nvidia.fill().devices = std::vector<NvidiaDevice>{
        {.index = 0, .pci_address = "0000:65:00.0", .utilization_percent = 0},
    };
    host.nvidia.fill().processes = std::vector<NvidiaProcess>{};
  }
  std::string why(Insist insist) {
    Snapshot snapshot = host;
    add_compute(snapshot, {card}, {.effort = kernels::Effort::tiny, .kernels = {"triad"}}, insist);
    const auto& rows = *snapshot.compute_not_run.get();
    EXPECT_EQ(rows.size(), 1U);
    return rows.empty() ? "" : *rows.front().why.get();
  }
  bool was_tried(Insist insist) { return why(insist).find("library not found") != std::string::npos; }
};

TEST_F(ComputeOnACard, TriesOneThatIsFree) { EXPECT_TRUE(was_tried(Insist::no)) << why(Insist::no); }

TEST_F(ComputeOnACard, StaysOffOneThatOthersUseUnlessItIsNamed) {
  host.nvidia.get()->processes = std::vector<NvidiaProcess>{{.pid = 4711, .gpu = 0}};
  EXPECT_EQ(why(Insist::no), "busy: process 4711 uses it; 'envdoctor verify --device' runs anyway");
  EXPECT_EQ(why(Insist::unless_busy), why(Insist::no));
  EXPECT_TRUE(was_tried(Insist::yes));
}

TEST_F(ComputeOnACard, StaysOffOneThatMayBeInUseUnlessKernelsWereAskedFor) {
  host.nvidia = failed("NVML is not there");
  EXPECT_EQ(why(Insist::no).rfind("busy: ", 0), 0U) << why(Insist::no);
  EXPECT_TRUE(was_tried(Insist::unless_busy));
}

}  // namespace
}  // namespace envdoctor::compute_test

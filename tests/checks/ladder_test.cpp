#include "checks/ladder.h"

#include <gtest/gtest.h>

#include "tests/support/examples.h"

namespace envdoctor {
namespace {

std::vector<Ladder> ladders_of(const Snapshot& snapshot, const std::vector<Finding>& findings = {}) {
  return build_ladders(snapshot, gpus_of(snapshot), findings);
}

RungState state(const Ladder& ladder, Rung rung) { return ladder.rungs.at(static_cast<std::size_t>(rung)).state; }

TEST(Ladder, OfAHealthyHostHoldsThroughRuntimeInBothStacks) {
  const auto ladders = ladders_of(example("healthy"));
  ASSERT_EQ(ladders.size(), 2U);
  EXPECT_EQ(ladders[0].stack, "cuda");
  EXPECT_TRUE(holds_through(ladders[0], Rung::runtime));
  EXPECT_TRUE(holds_through(ladders[1], Rung::compute));
  EXPECT_EQ(ladders[0].first_broken(), nullptr);
}

TEST(Ladder, WithoutEvidenceIsUnknownNotBroken) {
  Snapshot snapshot;
  snapshot.pci = example("healthy").pci;
  const auto ladder = ladders_of(snapshot).at(0);
  EXPECT_EQ(state(ladder, Rung::hardware), RungState::holds);
  EXPECT_EQ(state(ladder, Rung::user_driver), RungState::unknown);
  EXPECT_FALSE(holds_through(ladder, Rung::runtime));
}

TEST(Ladder, IsBrokenWhereAFindingStands) {
  Snapshot snapshot;
  snapshot.pci = example("healthy").pci;
  const std::vector<Finding> findings = {{.id = "driver.version-mismatch", .rung = Rung::user_driver}};
  const auto ladder = ladders_of(snapshot, findings).at(0);
  ASSERT_NE(ladder.first_broken(), nullptr);
  EXPECT_EQ(ladder.first_broken()->rung, Rung::user_driver);
  EXPECT_EQ(ladder.first_broken()->why, "driver.version-mismatch");
  EXPECT_EQ(state(ladder, Rung::visibility), RungState::unknown);
}

TEST(Ladder, ALibraryThatWasFoundProvesNothingOfTheDriver) {
  Snapshot snapshot = example("healthy");
  snapshot.nvidia = {};
  snapshot.device_nodes = {};
  const auto ladder = ladders_of(snapshot).at(0);
  EXPECT_EQ(state(ladder, Rung::runtime), RungState::holds);
  EXPECT_EQ(state(ladder, Rung::user_driver), RungState::unknown);
}

TEST(Ladder, AFindingBelowAProvedRungBreaksNothing) {
  const std::vector<Finding> findings = {{.id = "driver.permission", .rung = Rung::device_node}};
  EXPECT_EQ(ladders_of(example("healthy"), findings).at(0).first_broken(), nullptr);
}

TEST(Ladder, WhatTheCudaDriverListsIsHardwareEvenIfTheBusShowsNone) {
  Snapshot snapshot = example("healthy");
  snapshot.pci = absent("no /sys/bus/pci");
  const auto ladders = ladders_of(snapshot);
  ASSERT_FALSE(ladders.empty());
  EXPECT_EQ(state(ladders[0], Rung::hardware), RungState::holds);
}

TEST(Ladder, OfAGpuThatIsNotGrantedDoesNotApplyFromVisibilityOn) {
  Snapshot snapshot = example("healthy");
  auto& pci = *snapshot.pci.get();
  pci.push_back(pci.front());
  pci.back().address = "0000:66:00.0";
  snapshot.host.get()->container = "kubernetes";
  const auto gpus = gpus_of(snapshot);
  ASSERT_EQ(gpus.size(), 2U);
  EXPECT_TRUE(gpus[0].granted);
  EXPECT_FALSE(gpus[1].granted);
  const auto ladder = ladders_of(snapshot).at(2);
  EXPECT_EQ(ladder.subject, "gpu:0000:66:00.0");
  EXPECT_EQ(state(ladder, Rung::hardware), RungState::holds);
  EXPECT_EQ(state(ladder, Rung::visibility), RungState::not_applicable);
  EXPECT_EQ(ladder.first_broken(), nullptr);
}

TEST(Ladder, AnOpenclFindingLeavesTheCudaLadderAlone) {
  const Gpu gpu{.address = "0000:65:00.0", .vendor = Vendor::nvidia};
  EXPECT_FALSE(concerns({.id = "opencl.no-icd"}, gpu, "cuda"));
  EXPECT_TRUE(concerns({.id = "opencl.no-icd"}, gpu, "opencl"));
  EXPECT_TRUE(concerns({.id = "visibility.empty"}, gpu, "opencl"));
  EXPECT_FALSE(concerns({.id = "driver.permission", .evidence = {{.path = "/rocm/devices"}}}, gpu, "cuda"));
}

}  // namespace
}  // namespace envdoctor

#pragma once
#include <gtest/gtest.h>

#include "tests/support/devices.h"

namespace envdoctor {

// Every row that ran is within its bound and repeatable; only missing capabilities kept kernels from running.
inline void expect_correct(const Snapshot& snapshot) {
  for (const ComputeResult& row : *snapshot.compute.get()) {
    const Agreement& agreement = *row.agreement.get();
    EXPECT_TRUE(agreement.outcome.is("same-bits") || agreement.outcome.is("within-bound")) << describe(snapshot);
  }
  for (const ComputeNotRun& row : *snapshot.compute_not_run.get())
    EXPECT_TRUE(row.why.get()->starts_with("missing: ") || row.why.get()->starts_with("time: ")) << describe(snapshot);
}

}  // namespace envdoctor

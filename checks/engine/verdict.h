#pragma once
#include "checks/engine/report.h"
#include "checks/facts/gpus.h"

namespace envdoctor {

// An error about one stack becomes a warning where the GPU has another working stack and this one was not requested.
void downgrade_severity(std::vector<Finding>& findings, const std::vector<GpuStack>& stacks,
                        const std::vector<Gpu>& gpus, const Snapshot& snapshot);

// Adds expect.* findings for expectations in the options that this host doesn't meet, or that couldn't be checked.
void judge_expectations(Report& report);
// N of the last gpus=N; -1: no number is expected.
std::int64_t expected_gpus(const JudgeOptions& options);
// "2026-11-21": the day of this evidence, UTC; empty: unknown.
std::string captured_day(const Snapshot& snapshot);
// Moves what the options waive from findings to waived, and adds a finding for every expired waiver.
void apply_waivers(Report& report);

// Says where evidence that is a field of the snapshot was read: the source of the nearest entry above it, if there is
// one.
void add_source(Evidence& evidence, const Snapshot& snapshot);

// Reports what is known and what is not where no finding explains why a text ends in an error. After reach_verdict.
void describe_undetermined(Report& report);

// Sets verdict and verdict_why from findings and stacks. Fails closed.
void reach_verdict(Report& report);
void reach_verdict_of_devices(Report& report);  // options.of_devices
void reach_verdict_of_model(Report& report);    // options.of_model

}  // namespace envdoctor

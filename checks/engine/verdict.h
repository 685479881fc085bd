#pragma once
#include "checks/facts/gpus.h"
#include "checks/engine/report.h"

namespace envdoctor {

// An error about one stack becomes a warning where the GPU has another stack that works and nobody asked for this one.
void downgrade_severity(std::vector<Finding>& findings, const std::vector<GpuStack>& stacks, const std::vector<Gpu>& gpus, const Snapshot& snapshot);

// Adds expect.* findings for what the options say this host must be and it is not, or couldn't be shown to be.
void judge_expectations(Report& report);
// N of the last gpus=N; -1: nothing is expected.
std::int64_t expected_gpus(const JudgeOptions& options);
// "2026-11-21": the day on which this evidence was gathered, UTC; empty: not known.
std::string captured_day(const Snapshot& snapshot);
// Moves what the options waive from findings to waived, and adds a finding for every waiver that is over.
void apply_waivers(Report& report);

// Says what is known and what is not where no finding tells why a text ends in an error. After reach_verdict.
void describe_undetermined(Report& report);

// Sets verdict and verdict_why from findings and stacks. Fails closed.
void reach_verdict(Report& report);
void reach_verdict_of_devices(Report& report);  // options.of_devices
void reach_verdict_of_model(Report& report);    // options.of_model

}  // namespace envdoctor

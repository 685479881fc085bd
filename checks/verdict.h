#pragma once
#include "checks/gpus.h"
#include "checks/report.h"

namespace envdoctor {

// An error about one stack becomes a warning where the GPU has another stack that works and nobody asked for this one.
void soften(std::vector<Finding>& findings, const std::vector<Ladder>& ladders, const std::vector<Gpu>& gpus, const Snapshot& snapshot);

// Adds expect.* findings for what the options say this host must be; gpus=0 takes hardware.no-gpu back.
void judge_expectations(Report& report);

// Sets verdict and verdict_why from findings and ladders. Fails closed.
void reach_verdict(Report& report);

}  // namespace envdoctor

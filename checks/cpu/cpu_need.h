#pragma once
// How many CPUs feeding this host's GPUs takes, and how bad it is to have fewer.
#include "checks/engine/diagnosis.h"

namespace envdoctor::cpu {

constexpr double cpus_per_gpu = 2;  // one to drive it, one to load data

// For the GPUs that this job was given; for one where there is none, so that a host without any is measured too.
double needed(const Snapshot& snapshot);

// A limit matters where there is something to feed; elsewhere it is told and no more.
Severity severity_of_limit(const Snapshot& snapshot);

// torch warns that fewer CPUs may be used than workers are asked for, and the machine has at least twice as many.
bool bound_by_torch_count(const Facts& facts);

}  // namespace envdoctor::cpu

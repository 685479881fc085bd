#pragma once
#include <string>

#include "evidence/snapshot.h"

namespace envdoctor {

// For each device that was timed: every kernel's time with its uncertainty, its rate, the share of the device's peak,
// and how many times faster it is than the fastest of this host's CPU devices. Empty: nothing was timed.
std::string speed_text(const Snapshot& snapshot);

// "k=m=n=1024", "n=4Mi rounds=512": sizes of one alone are left out, so that "" may come of it.
std::string size_text(const ComputeResult& result);

// What a device had to do, so that equal names are equal work: "gemm fp32 k=m=n=1024", "copy-in pageable bytes=64Mi".
std::string problem_name(const ComputeResult& result);

// "78.7 us", "1.94 ms".
std::string time_text(double ms);

// The median in milliseconds; nothing if the row wasn't timed or was refused.
const double* median_ms(const ComputeResult& result);

// Whether this is one of the host's CPU devices: our own C++, or what OpenCL calls a CPU.
bool is_cpu(const Snapshot& snapshot, const std::string& device);

}  // namespace envdoctor

#pragma once
#include <functional>
#include <vector>

#include "evidence/compute.h"
#include "kernels/device.h"
#include "kernels/time_run.h"

namespace envdoctor::kernels {

// Copies of `bytes` in all ways that the device has: to it and from it, from any memory and from pinned memory (on a
// GPU from that of each NUMA node of the host, where there are several), and from one place of it to another; on
// `host`, which may be null, memory to memory. Rows "copy-in", "copy-out", "copy-device", with the variant "pageable"
// or "pinned". What arrived is compared after it was timed: a copy that brought anything else has no speed. A rate
// counts every byte once.
std::vector<ComputeResult> bench_copies(Device& device, Device* host, std::size_t bytes, std::uint64_t seed,
                                        double empty_run_ms, const TimeRules& rules,
                                        const std::function<void(const std::string&)>& step);

}  // namespace envdoctor::kernels

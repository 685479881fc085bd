#pragma once
#include "evidence/gpu_stacks.h"
#include "host/cuda.h"
#include "probe/session.h"

namespace envdoctor {

using TellNvidia = std::function<void(const Nvidia&)>;  // as in probe/nvml.h

// What the CUDA driver tells an application started in this environment. Creates no context.
Nvidia read_cuda(cuda::Api& api, bool redact, const TellNvidia& tell);

// Reads the CUDA driver in a child; what a child that dies leaves unknown becomes failed. `over` is
// called when that is in the snapshot.
void start_cuda(Session& session, const std::string& soname_or_path, Limits limits, std::function<void()> over = {});

}  // namespace envdoctor

#pragma once
#include "evidence/gpu_stacks.h"
#include "host/nvml.h"
#include "probe/session.h"

namespace envdoctor {

// Told what is known so far, before the calls that may not come back.
using TellNvidia = std::function<void(const Nvidia&)>;

// What NVML says of this host's GPUs. Initialises, and shuts down if that went well.
Nvidia read_nvml(nvml::Api& api, bool redact, const TellNvidia& tell);

// One GPU whose handle NVML gave.
NvidiaDevice read_nvml_device(nvml::Api& api, unsigned index, nvml::Device handle, bool redact);

// Reads NVML in a child; what a child that dies leaves unknown becomes failed. `over` is
// called when that is in the snapshot.
void start_nvml(Session& session, const std::string& soname_or_path, Limits limits, std::function<void()> over = {});

}  // namespace envdoctor

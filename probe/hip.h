#pragma once
#include "evidence/gpu_stacks.h"
#include "host/hip.h"
#include "probe/session.h"

namespace envdoctor {

using TellRocm = std::function<void(const Rocm&)>;  // told what is known so far

// What HIP tells an application started in this environment. The gfx target and serial number are KFD's to tell.
Rocm read_hip(hip::Api& api, const TellRocm& tell);

// Reads HIP in a child; what a child that dies leaves unknown becomes failed.
void start_hip(Session& session, const std::vector<std::string>& sonames_or_paths, Limits limits);

}  // namespace envdoctor

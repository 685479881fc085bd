#pragma once
#include "evidence/gpu_stacks.h"
#include "host/level_zero.h"
#include "probe/session.h"

namespace envdoctor {

using TellLevelZero = std::function<void(const LevelZero&)>;  // told what is known so far

// What the Level Zero loader tells an application: the devices of all its drivers, in its order.
LevelZero read_level_zero(level_zero::Api& api, const TellLevelZero& tell);

// Reads Level Zero in a child; what a child that dies leaves unknown becomes failed.
void start_level_zero(Session& session, const std::string& soname_or_path, Limits limits);

}  // namespace envdoctor

#pragma once
// Everything that the file of a diagnosis includes.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checks/engine/diagnosis.h"
#include "checks/facts/conditions.h"
#include "checks/facts/distro.h"
#include "checks/facts/facts.h"
#include "checks/facts/gpus.h"
#include "checks/facts/presence.h"
#include "knowledge/codes/constants.h"

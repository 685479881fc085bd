#pragma once
#include "checks/engine/report.h"

namespace envdoctor {

// Two to five lines: the host and its compute software. Only known facts.
std::string host_summary(const Snapshot& snapshot);

// "99 diagnoses checked: 1 failed, 35 passed, 25 unknown, 38 not applicable"
std::string check_counts(const Report& report);

// The findings that this one causes, in the report's order.
std::vector<const Finding*> consequences_of(const Finding& finding, const std::vector<Finding>& all);

// "no known cause in these 212 lines", and for each excluded diagnosis its id and the fact that rules it out.
std::string no_known_cause(const Undetermined& undetermined);
std::vector<std::string> excluded_words(const Undetermined& undetermined);

// "/opencl/icds/0" or "kern.log:12".
std::string place_of(const Evidence& evidence);

// GPUs of one name whose layers are in the same states.
struct GpuGroup {
  std::vector<std::string> subjects{};
  std::vector<const GpuStack*> stacks{};  // the stacks of the first of them
};
std::vector<GpuGroup> groups_of(const std::vector<GpuStack>& stacks);

// A layer's state as one character of a report: marks in the order ok, broken, unknown, not applicable.
using Marks = const char* const[4];
inline const char* mark(LayerState state, const Marks& marks) { return marks[static_cast<std::size_t>(state)]; }

}  // namespace envdoctor

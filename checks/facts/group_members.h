#pragma once
// A message with several possible causes: the members of its group, the likeliest first, each with the deciding
// command.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checks/engine/finding.h"
#include "checks/facts/symptoms.h"

namespace envdoctor {

struct GroupMember {
  const char* cause;
  const char* shows;  // the command's output if this is the cause
  const char* command;
};

// Of driver.unreachable and opencl.no-platform, for the stack that the logs mention; empty for every other id.
std::span<const GroupMember> group_members(std::string_view id, const Facts& facts);

// The member of one of the groups by its cause, inside a container or outside; null: none.
const GroupMember* group_member(std::string_view cause, bool in_container);

// What to check to distinguish the members, in their order.
std::vector<Fix> deciding_commands(std::span<const GroupMember> members);

// Writes a group's members into its finding.
void describe_group(Finding& finding, const Facts& facts);

}  // namespace envdoctor

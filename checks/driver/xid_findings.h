#pragma once
// Xids, the NVIDIA kernel module's numbered errors, as causes: knowledge/codes/xid.json maps each to a diagnosis.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "checks/engine/finding.h"
#include "evidence/snapshot.h"

namespace envdoctor {

struct LoggedXid {
  std::int64_t code = 0;
  std::string gpu{};  // its address; empty: the line names none
  std::vector<Evidence> evidence{};
  bool only_mentioned = false;  // a person mentions its number; no kernel line was read
  [[nodiscard]] std::string subject() const { return gpu.empty() ? "host" : "gpu:" + gpu; }
};

// The Xids that mean this diagnosis, each once, from the kernel's log since boot and from logs that were passed in.
std::vector<LoggedXid> xids_of(const Snapshot& snapshot, std::string_view id);

// A channel that is torn down after a program's own fault doesn't respond either: whether the Xid is a timeout beside
// an Xid of a program's fault on the same GPU.
bool follows_program_fault(const LoggedXid& xid, const Snapshot& snapshot);

// Writes the meaning of this Xid into its finding. One that only needs a reset is not reported as a GPU off the bus.
void describe_xid(Finding& finding, const LoggedXid& xid, const Snapshot& snapshot);

}  // namespace envdoctor

#pragma once
// Xids, the NVIDIA kernel module's numbered errors, as causes: knowledge/codes/xid.json says which diagnosis each means.
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
  bool only_mentioned = false;  // somebody names its number; no line of the kernel's was read
  [[nodiscard]] std::string subject() const { return gpu.empty() ? "host" : "gpu:" + gpu; }
};

// The Xids that mean this diagnosis, each once, from the kernel's log since boot and from logs that were handed in.
std::vector<LoggedXid> xids_of(const Snapshot& snapshot, std::string_view id);

// Writes what this Xid means into the finding made of it. One that only needs a reset isn't told as a GPU off the bus.
void tell_xid(Finding& finding, const LoggedXid& xid, const Snapshot& snapshot);

}  // namespace envdoctor

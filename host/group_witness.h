#pragma once
// Whether a signal that we got went to our whole process group. The kernel doesn't say; a process that does nothing but
// stand in the group and take note does.
#include <sys/types.h>

#include "host/descriptor.h"

namespace envdoctor {

class GroupWitness {
 public:
  // Forks it. All signals must be blocked here; it keeps none of our descriptors, and ends when we do.
  GroupWitness();
  ~GroupWitness();
  GroupWitness(const GroupWitness&) = delete;
  GroupWitness& operator=(const GroupWitness&) = delete;

  // Whether it got this signal from this sender too; waits some milliseconds for it. Without a witness: false.
  [[nodiscard]] bool saw(int signal, pid_t sender) const;

 private:
  pid_t pid_ = -1;
  Descriptor notes_{};
};

}  // namespace envdoctor

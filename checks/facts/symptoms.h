#pragma once
// A snapshot with its symptoms looked up by kind, and the other facts that decide what a symptom means.
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/snapshot.h"

namespace envdoctor {

class Facts {
 public:
  explicit Facts(const Snapshot& snapshot);
  [[nodiscard]] const Snapshot& snapshot() const { return snapshot_; }
  operator const Snapshot&() const { return snapshot_; }  // NOLINT: functions of a snapshot also accept its facts

  // The symptoms of one kind, in the order of the logs.
  [[nodiscard]] const std::vector<const Symptom*>& all(const Kind& kind) const;
  // The first symptom of the first of these kinds that was seen; null: none.
  [[nodiscard]] const Symptom* first(std::initializer_list<Kind> kinds) const;
  [[nodiscard]] bool saw(std::initializer_list<Kind> kinds) const { return first(kinds) != nullptr; }
  // A symptom of this kind whose detail starts with this value; null: none.
  [[nodiscard]] const Symptom* with(const Kind& kind, const char* detail, std::string_view value) const;
  // The lines that look like a fault but are harmless.
  [[nodiscard]] const std::vector<const Symptom*>& harmless() const { return harmless_; }

  [[nodiscard]] bool used() const { return used_; }  // a program says that it works on a device
  [[nodiscard]] bool container() const;              // known to be one, or marked so by a host name or a file
  [[nodiscard]] bool wsl() const;                    // known to be WSL2, or marked so by a path or a kernel's name
  // The host's own answers say that the CUDA driver lists a device, whatever a log says.
  [[nodiscard]] bool driver_works() const;
  // There is a reason why no NVIDIA driver answers: consequences of that are no separate causes.
  [[nodiscard]] bool driver_dead() const;

 private:
  const Snapshot& snapshot_;
  std::map<Kind, std::vector<const Symptom*>> by_kind_{};  // subjects point into the snapshot
  std::vector<const Symptom*> harmless_{};
  bool used_ = false;
};

// Printed by a framework that envdoctor itself queried: a product of 64 x 64 numbers and a model of five.
bool asked_by_us(const Symptom& symptom);

// A condition of many rules: no program says that it works on a device.
inline bool not_used(const Facts& facts) { return !facts.used(); }

}  // namespace envdoctor

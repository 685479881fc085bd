#pragma once
// A snapshot with its symptoms looked up by kind, and the second facts that decide what a symptom means.
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
  operator const Snapshot&() const { return snapshot_; }  // NOLINT: whoever asks of a snapshot may be handed its facts

  // The symptoms of one kind, in the order of the logs.
  [[nodiscard]] const std::vector<const Symptom*>& all(const Kind& kind) const;
  // The first symptom of the first of these kinds that was seen; null: none.
  [[nodiscard]] const Symptom* first(std::initializer_list<Kind> kinds) const;
  [[nodiscard]] bool saw(std::initializer_list<Kind> kinds) const { return first(kinds) != nullptr; }
  // A symptom of this kind whose detail starts with this value; null: none.
  [[nodiscard]] const Symptom* with(const Kind& kind, const char* detail, std::string_view value) const;
  // The lines that read like a fault and are none.
  [[nodiscard]] const std::vector<const Symptom*>& harmless() const { return harmless_; }

  [[nodiscard]] bool used() const { return used_; }  // a program says that it works on a device
  [[nodiscard]] bool container() const;              // known to be one, or marked so by a host name or a file
  [[nodiscard]] bool wsl() const;                    // known to be WSL2, or marked so by a path or a kernel's name
  // The host's own answers say that the CUDA driver lists a device, whatever a log says.
  [[nodiscard]] bool driver_works() const;
  // A reason is seen why no NVIDIA driver answers at all: what follows from that is no cause of its own.
  [[nodiscard]] bool driver_dead() const;

 private:
  const Snapshot& snapshot_;
  std::map<Kind, std::vector<const Symptom*>> by_kind_{};  // subjects lie in the snapshot
  std::vector<const Symptom*> harmless_{};
  bool used_ = false;
};

// Printed by a framework that envdoctor itself asked: a product of 64 x 64 numbers and a model of five.
bool asked_by_us(const Symptom& symptom);

// A condition of many rules: no program says that it works on a device.
inline bool not_used(const Facts& facts) { return !facts.used(); }

}  // namespace envdoctor

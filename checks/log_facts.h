#pragma once
// What the logs say, looked up by event, and the second facts that decide what a message means.
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "checks/check.h"
#include "evidence/snapshot.h"

namespace envdoctor {

class LogFacts {
 public:
  explicit LogFacts(const Snapshot& snapshot);
  [[nodiscard]] const Snapshot& snapshot() const { return snapshot_; }

  // The events of one kind, in the order of the logs.
  [[nodiscard]] const std::vector<const LogEvent*>& all(std::string_view event) const;
  [[nodiscard]] bool saw(std::initializer_list<std::string_view> events) const;
  // An event of this kind whose field starts with this value.
  [[nodiscard]] const LogEvent* with(std::string_view event, const char* field, std::string_view value) const;

  [[nodiscard]] bool used() const { return used_; }  // a program says that it works on a device
  [[nodiscard]] bool container() const;              // known to be one, or marked so by a host name or a file
  [[nodiscard]] bool wsl() const;                    // known to be WSL2, or marked so by a path or a kernel's name
  // The host's own answers say that the CUDA driver lists a device, whatever a log says.
  [[nodiscard]] bool driver_works() const;
  // A reason is seen why no NVIDIA driver answers at all: what follows from that is no cause of its own.
  [[nodiscard]] bool driver_dead() const;

 private:
  const Snapshot& snapshot_;
  std::map<std::string, std::vector<const LogEvent*>, std::less<>> by_event_{};
  bool used_ = false;
};

// The value of an event's field; empty: none.
std::string field_of(const LogEvent& event, const char* name);

// "cuinit-failed: code CUDA_ERROR_NO_DEVICE", as evidence with its place.
Evidence seen_event(const LogEvent& event);

// A condition of many rules: no program says that it works on a device.
inline bool not_used(const LogFacts& facts) { return !facts.used(); }

// One message, the cause it points to and how surely, if `when` holds. `field` must start with `value`, if given.
struct LogRule {
  const char* event;
  const char* id;
  Confidence sure;
  bool (*when)(const LogFacts&) = nullptr;
  const char* field = nullptr;
  const char* value = nullptr;
};

// A finding of this id with this event as its first evidence.
Finding& log_finding(Answers& answers, const LogEvent& event, const char* id, Confidence sure,
                     std::string subject = "host");

using LogRules = std::vector<LogRule>;
const LogRules& log_driver_rules();
const LogRules& log_kernel_rules();
const LogRules& log_container_rules();
const LogRules& log_runtime_rules();
const LogRules& log_opencl_rules();
const LogRules& log_python_rules();
const LogRules& log_usage_rules();
const LogRules& log_visibility_rules();
const LogRules& log_compute_rules();

// Those that need more than a row.
void log_compute(const LogFacts& facts, Answers& answers);
void log_cpu(const LogFacts& facts, Answers& answers);
void log_cuinit(const LogFacts& facts, Answers& answers);
void log_driver_versions(const LogFacts& facts, Answers& answers);
void log_kfd(const LogFacts& facts, Answers& answers);
void log_libraries(const LogFacts& facts, Answers& answers);
void log_memory(const LogFacts& facts, Answers& answers);
void log_modules(const LogFacts& facts, Answers& answers);
void log_placement(const LogFacts& facts, Answers& answers);
void log_visibility(const LogFacts& facts, Answers& answers);
void log_xid(const LogFacts& facts, Answers& answers);

// Every table of rules there is.
std::vector<const LogRules*> all_log_rules();

// All of it but the benign lines.
void log_all(const LogFacts& facts, Answers& answers);

}  // namespace envdoctor

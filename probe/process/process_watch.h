#pragma once
// A process tree watched from outside until it ends: the nodes it opened, the libraries it mapped, and its use of each
// GPU.
#include <map>
#include <optional>
#include <set>
#include <string>

#include "evidence/watched_process.h"
#include "host/host.h"
#include "host/process/background_child.h"
#include "host/vendor/nvml_api.h"
#include "probe/process/process_read.h"
#include "probe/redaction/redact.h"

namespace envdoctor {

class NvmlRounds {
 public:
  explicit NvmlRounds(nvml::Api& api, bool copies = false) : api_(api), copies_(copies) {}
  // "" or why NVML can't be asked.
  std::string begin();
  // One round: each GPU with its utilisation, and each process with its memory and its use of the GPU since the
  // previous round.
  NvmlRound round();

 private:
  nvml::Api& api_;
  bool copies_;
  std::map<unsigned, std::uint64_t> seen_us_{};  // by GPU: the newest sample
};

// Answers a document with a `round` each time, until it is asked to end. With `copies` each GPU's link is measured too.
BackgroundChild::Work nvml_rounds(const std::string& soname_or_path, Milliseconds gap, bool copies = false);

struct WatchOptions {
  std::string nodes = "/dev";              // the folder of the device nodes
  std::string nvml = "libnvidia-ml.so.1";  // soname or path
  bool redact = true;
  Milliseconds gap{1000};            // between two samples, after the first second
  std::set<std::int64_t> besides{};  // descendants that don't count
  Milliseconds every{0};             // interval of intermediate answers; 0: only one at the end
};

// Combines the samples. Times are seconds since the watch began.
class ProcessWatch {
 public:
  ProcessWatch(const Host& host, std::int64_t pid, WatchOptions options);

  void look(double now);  // samples /proc
  void take(const NvmlRound& round, double now);
  void lost_nvml(const std::string& why) { no_nvml_ = why; }  // there are no further rounds
  [[nodiscard]] bool holds_nvidia() const { return holds_nvidia_; }
  [[nodiscard]] ProcessUse result(double now, std::int64_t opens) const;
  [[nodiscard]] const Identity& owner() const { return owner_; }  // the process's user, from its environment

 private:
  struct Load {  // of one GPU, caused by our processes
    RoundDevice device{};
    double busy_sum = 0;
    std::int64_t rounds = 0, peak_mib = 0;
    bool memory_known = false;
    std::string busy_unknown{};
  };
  struct Drm {
    std::string driver{};
    double since = 0, last = 0;
    std::map<std::string, std::map<std::string, std::pair<std::int64_t, std::int64_t>>> busy{};  // client, engine
    std::int64_t peak_mib = 0, samples = 0;
  };
  struct Maps {
    double due = 0, wait = 0.2;
    std::size_t nodes = 0;
  };
  void read_maps(std::int64_t pid, double now, std::size_t nodes);
  void take_clients(const std::map<std::string, std::map<std::string, DrmClient>>& clients, double now);
  void spend(double now);
  [[nodiscard]] List<ProcessGpu> gpus() const;
  [[nodiscard]] ProcessTime time() const;
  [[nodiscard]] std::vector<ProcessLibrary> libraries() const;

  const Host& host_;
  std::int64_t pid_;
  WatchOptions options_;
  ProcessTree tree_;
  std::int64_t samples_ = 0, rounds_ = 0;
  bool holds_nvidia_ = false;
  std::set<std::string> nodes_{}, libraries_{}, outside_{};
  std::map<std::int64_t, Maps> maps_{};
  std::map<std::int64_t, Load> loads_{};
  std::map<std::string, Drm> drm_{};              // by PCI address
  std::map<std::int64_t, std::int64_t> spent_{};  // CPU time by PID, in clock ticks
  double looked_ = 0, round_ = -1, busy_s_ = 0, copying_s_ = 0, storage_s_ = 0, runnable_s_ = 0;
  std::int64_t held_mib_ = 0;
  bool copies_known_ = false;
  std::string program_{}, unreadable_{}, no_nvml_{};
  Map<Text> env_{};
  Identity owner_{};
};

// Why NVML's process list can't be matched with the PIDs seen here; empty: it can.
std::string why_pids_differ(const Files& files);

// Runs in a background child that watches `pid` and answers once, at the end: the host's GPU nodes and `process`.
BackgroundChild::Work watch_process(std::int64_t pid, const WatchOptions& options);

}  // namespace envdoctor

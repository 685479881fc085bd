#pragma once
// One collection of evidence: the probes' inputs and their results.
#include <functional>
#include <string>
#include <string_view>

#include "evidence/snapshot.h"
#include "host/host.h"
#include "host/process/subprocess.h"

namespace envdoctor {

struct GatherOptions {
  bool quick = false;
  bool redact = true;
  bool launches = true;                 // a tiny kernel on each OpenCL device; not where reference kernels follow
  std::vector<std::string> families{};  // diagnosis families that are requested; empty: all
  std::vector<std::string> probes{};    // names of the only probes to run; empty: all
  Milliseconds whole{120'000};
  Milliseconds framework{60'000};  // for each framework that is asked
  std::string python{};            // the selected Python: a path, an environment, a kernel; empty: the active one
  std::string by{};                // "envdoctor 0.1.0"
  std::function<void(const std::vector<std::string>&)> progress{};
};

// The snapshot that a child reported before it died.
Snapshot early_answer(const Ended& ended);

class Session {
 public:
  Session(const Host& host, const GatherOptions& options);
  const Host& host;
  const GatherOptions& options;

  // Whether a diagnosis of this family is requested.
  [[nodiscard]] bool wants(std::string_view family) const;

  // Adds evidence to the snapshot; existing values stay (fill_in).
  void add(const Snapshot& part);
  // What has been gathered so far. Parts of probes that run in children arrive later.
  [[nodiscard]] const Snapshot& so_far() const { return snapshot_; }

  // Runs `work` in a child. If it answers, its part is added and `done` is called with it; otherwise `done` gets an
  // empty part and records what is missing. Either way probes[name] records status and duration; several children of
  // one probe share its name, and the worst status and the longest duration are kept. `culprit` is the file to blame if
  // it dies.
  void start(const std::string& probe, const std::string& culprit, Limits limits,
             std::function<Snapshot(const Channel&)> work,
             std::function<void(const Ended&, const Snapshot&)> done = {});

  // Runs `work` in a child that answers on its own whenever it has something new. `done` gets its last answer,
  // even if the child then failed. Nothing is added or recorded: `done` has to do that.
  void collect(const std::string& probe, Limits limits, const std::function<void(const Channel&)>& work,
               std::function<void(const Ended&, const Snapshot&)> done);

  // The same for several children that share what `shared` loads (SubprocessGroup::start_sharing).
  struct Task {
    std::function<void(const Channel&)> work{};
    std::function<void(const Ended&, const Snapshot&)> done{};
  };
  void collect_sharing(const std::string& probe, Limits limits, std::function<void()> shared, std::vector<Task> tasks);

  // Starts a program that answers parts of a snapshot by frames on its descriptor 3 (SubprocessGroup::exec_framed);
  // then as collect().
  void exec_framed(const std::string& name, Limits limits, std::vector<std::string> argv, std::vector<std::string> env,
                   std::function<void(const Ended&, const Snapshot&)> done);

  void record(const std::string& probe, ProbeStatus status);
  // Names the file that `culprit`, as given to start(), turned out to be.
  void blame(const std::string& probe, const std::string& culprit, const std::string& file);
  void record(const std::string& probe, const std::string& culprit, const Ended& ended);

  Snapshot finish();  // waits for everything that was started

 private:
  SubprocessGroup group_{};
  Snapshot snapshot_{};
};

}  // namespace envdoctor

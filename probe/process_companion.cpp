// The loop around ProcessWatch: when to look, so that looking costs less than half a percent of a core.
#include <poll.h>

#include <algorithm>
#include <chrono>

#include "evidence/json.h"
#include "host/node_opens.h"
#include "probe/node_list.h"
#include "probe/process_nvml.h"
#include "probe/process_watch.h"
#include "probe/redact.h"

namespace envdoctor {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double dearest = 0.005;  // share of a core
constexpr double credit_s = 0.05;  // processor time that may be spent at once
constexpr std::int64_t most_nvml_mib = 4096;
constexpr Milliseconds nvml_silence{10'000};

std::vector<std::string> watched_nodes(const std::vector<DeviceNode>& nodes, const std::string& folder) {
  std::vector<std::string> paths;
  for (const DeviceNode& node : nodes) {
    const std::string& path = *node.path.get();
    if (path.starts_with(folder + "/") && is_compute_node(path.substr(folder.size() + 1))) paths.push_back(path);
  }
  return paths;
}

class Loop {
 public:
  Loop(std::int64_t pid, const WatchOptions& options)
      : options_(options),
        files_(open_files("/")),
        host_{.files = *files_},
        watch_(host_, pid, options),
        nodes_(list_nodes(*files_)),
        opens_(watched_nodes(nodes_, options.nodes)) {}

  void run(const Channel& channel, int ending) {
    double gap = 0.005;
    for (bool over = false; !over;) {
      const double before = cpu_seconds();
      watch_.look(now());
      mind_nvml();
      const double cost = cpu_seconds() - before;
      gap = std::min(gap * 2, std::chrono::duration<double>(options_.gap).count());
      over = wait(ending, now() + std::max(gap, cost / dearest));
    }
    watch_.look(now());
    if (nvml_) {
      nvml_.end(Milliseconds(500));
      take_round();
    }
    answer(channel);
  }

 private:
  [[nodiscard]] double now() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  [[nodiscard]] bool may_spend() const { return cpu_seconds() < credit_s + dearest * now(); }

  // Until it is time for a look, somebody opened a node, or all is over (then true).
  bool wait(int ending, double until) {
    while (true) {
      const double left = until - now();
      if (left <= 0) return false;
      pollfd polled[] = {{.fd = ending, .events = POLLIN, .revents = 0},
                         {.fd = opens_.descriptor(), .events = POLLIN, .revents = 0},
                         {.fd = nvml_ ? nvml_.descriptor() : -1, .events = POLLIN, .revents = 0}};
      if (!may_spend()) polled[1].fd = -1;
      ::poll(polled, 3, static_cast<int>(left * 1000) + 1);
      if (polled[0].revents != 0) return true;
      if (polled[2].revents != 0) take_round();
      if (opens_.read() && may_spend()) return false;
    }
  }

  void mind_nvml() {
    if (!nvml_ && !asked_nvml_ && watch_.holds_nvidia() && why_pids_differ(*files_).empty()) {
      asked_nvml_ = true;
      nvml_ = Companion(nvml_rounds(options_.nvml, options_.gap));
      last_round_ = Clock::now();
    }
    if (!nvml_) return;
    if (Clock::now() - last_round_ > nvml_silence + options_.gap) nvml_.stop("NVML gave no answer within 10 s");
    if (nvml_.memory_mib() > most_nvml_mib) nvml_.stop("NVML took more than 4 GiB");
    if (!nvml_) watch_.lost_nvml(nvml_.why_over());
  }

  void take_round() {
    const bool news = nvml_.read();
    if (news) {
      last_round_ = Clock::now();
      try {
        if (const Watched told = watched_from_json(nvml_.answer(), "NVML"); told.round.get())
          watch_.take(*told.round.get());
      } catch (const BadDocument& bad) {
        watch_.lost_nvml(bad.what());
      }
    } else if (!nvml_ && !nvml_.why_over().empty() && nvml_.answer().empty()) {
      watch_.lost_nvml("NVML: " + nvml_.why_over());
    }
  }

  void answer(const Channel& channel) {
    Watched watched{.process = watch_.result(now(), opens_.descriptor() < 0 ? -1 : opens_.count())};
    for (DeviceNode& node : nodes_) {
      if (node.accessible.outcome() == Outcome::not_probed) node.accessible = may_open(*node.path.get());
    }
    watched.device_nodes = nodes_;
    if (options_.redact) redact(watched, identity_of(host_));
    channel.answer(to_json(watched));
  }

  Clock::time_point start_ = Clock::now(), last_round_{};
  WatchOptions options_;
  std::unique_ptr<Files> files_;
  Host host_;
  ProcessWatch watch_;
  std::vector<DeviceNode> nodes_;
  NodeOpens opens_;
  Companion nvml_{};
  bool asked_nvml_ = false;
};

}  // namespace

Companion::Work watch_process(std::int64_t pid, const WatchOptions& options) {
  return [=](const Channel& channel, int ending) { Loop(pid, options).run(channel, ending); };
}

}  // namespace envdoctor

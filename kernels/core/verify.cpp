#include "kernels/core/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <thread>

#include "evidence/json.h"
#include "kernels/core/problem_run.h"

namespace envdoctor::kernels {
namespace {

using Groups = std::deque<std::vector<const Kernel*>>;  // one child each, one after the other

// The remaining work of one device, and its answers. Its lanes run in parallel.
struct DeviceQueue {
  Target target{};
  std::vector<Groups> lanes{};
  std::vector<ComputeResult> results{};
  std::vector<ComputeNotRun> not_run{};
};

// How a device's kernels are distributed over children: every `lanes`th kernel to each lane, because neighbours take
// similar time.
std::vector<Groups> lanes_of(const std::vector<const Kernel*>& kernels, const Target& target, Effort effort,
                             Order order) {
  constexpr std::size_t all = 1 << 20;
  std::size_t lanes = 1, group_size = 4;
  if (target.backend == "framework") {
    group_size = all;  // it takes longer to start than its kernels take
  } else if (order == Order::sequential) {
    group_size = effort == Effort::full ? 1 : all;  // full runs take long: each kernel has its own time limit
  } else if (effort == Effort::quick) {
    // The short form mostly opens and compiles: once for all kernels, or on several cores at once. A GPU gets
    // one child, because it may allow only one.
    group_size = all;
    if (target.backend == "opencl" && target.is_cpu) lanes = std::clamp(std::thread::hardware_concurrency(), 1U, 4U);
  }
  std::vector<Groups> out(lanes);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    Groups& groups = out[i % lanes];
    if (groups.empty() || groups.back().size() == group_size) groups.emplace_back();
    groups.back().push_back(kernels[i]);
  }
  return out;
}

class Verification {
 public:
  Verification(const std::vector<Target>& targets, const std::vector<const Kernel*>& kernels,
               const VerifyOptions& options, const ChildWork& work, Order order)
      : kernels_(kernels), options_(options), work_(work), order_(order) {
    for (const Target& target : targets)
      queues_.push_back({.target = target, .lanes = lanes_of(kernels, target, options.effort, order)});
  }

  Snapshot run() {
    const std::size_t at_once = order_ == Order::concurrent ? queues_.size() : std::min<std::size_t>(1, queues_.size());
    for (std::size_t i = 0; i < at_once; ++i) {
      for (std::size_t lane = 0; lane < queues_[i].lanes.size(); ++lane) start_next(i, lane);
    }
    group_.run(options_.whole, options_.progress);
    Snapshot snapshot;
    auto& results = snapshot.compute.fill();
    auto& not_run = snapshot.compute_not_run.fill();
    for (DeviceQueue& queue : queues_) {
      move_sorted(queue.results, results);
      move_sorted(queue.not_run, not_run);
    }
    return snapshot;
  }

 private:
  // In the order of the given kernels, from any lane.
  template <class Row>
  void move_sorted(std::vector<Row>& rows, std::vector<Row>& to) const {
    const auto place = [this](const Row& row) {
      return std::ranges::find_if(kernels_, [&](const Kernel* kernel) { return row.kernel.is(kernel->name); });
    };
    std::ranges::stable_sort(rows, {}, place);
    std::ranges::move(rows, std::back_inserter(to));
  }

  void start_next(std::size_t index, std::size_t lane) {
    DeviceQueue& queue = queues_[index];
    Groups& groups = queue.lanes[lane];
    if (groups.empty()) {
      if (order_ == Order::sequential && index + 1 < queues_.size()) start_next(index + 1, 0);
      return;
    }
    const Job job{.target = queue.target, .kernels = groups.front()};
    groups.pop_front();
    VerifyOptions how = options_;
    how.limits.time = std::min(how.limits.time, time_share(index));
    group_.start(
        queue.target.subject, how.limits,
        [this, job, how](const Channel& channel) {
          work_(job, how,
                {.partial_result = [&](const Snapshot& part) { channel.answer(to_json(part)); },
                 .step = [&](const std::string& what) { channel.step(what); }});
        },
        [this, index, lane, job](const Ended& ended) {
          collect(queues_[index], lane, job, ended);
          start_next(index, lane);
        });
  }

  // If run one after the other, the devices share the available time, minus the time to end children.
  Milliseconds time_share(std::size_t index) const {
    if (order_ == Order::concurrent) return options_.limits.time;
    const auto devices = static_cast<int>(queues_.size() - index);
    const auto groups = static_cast<int>(queues_[index].lanes.front().size()) + 1;
    const auto spent = std::chrono::duration_cast<Milliseconds>(std::chrono::steady_clock::now() - start_);
    const Milliseconds left = std::max(Milliseconds(1000), options_.whole * 9 / 10 - spent);
    // Groups differ, and one may hang: at most a third for one of many.
    return std::max(Milliseconds(1000), left / devices / std::min(3, groups));
  }

  void collect(DeviceQueue& queue, std::size_t lane, const Job& job, const Ended& ended) {
    Snapshot part;
    std::string why = ended.how == Ended::How::answered ? "" : ended.why;
    try {
      if (!ended.answer.empty()) part = snapshot_from_json(ended.answer, "the answer of " + queue.target.subject);
    } catch (const BadDocument& bad) {
      why = bad.what();
    }
    std::ranges::copy(part.compute.or_empty(), std::back_inserter(queue.results));
    std::ranges::copy(part.compute_not_run.or_empty(), std::back_inserter(queue.not_run));
    if (ended.how != Ended::How::answered || ended.status != 0) record_failure(queue, lane, job, ended, why);
  }

  // Blames the kernel during which the child ended; the others of its group get another child.
  void record_failure(DeviceQueue& queue, std::size_t lane, const Job& job, const Ended& ended,
                      const std::string& why) {
    Groups& groups = queue.lanes[lane];
    ComputeNotRun row{.device = queue.target.subject,
                      .why = fmt::format("{}: {}", text(ended.how), why.empty() ? ended.why : why)};
    if (ended.step.find(fmt::format(": {}", naming_step)) != ended.step.npos) return;  // all rows had run
    if (ended.step.starts_with("opening") || ended.step.empty()) {
      groups.clear();  // the device can't be opened at all, which one lane reports for all
      if (std::ranges::any_of(queue.not_run, [](const ComputeNotRun& row_before) { return !row_before.kernel.get(); }))
        return;
    } else if (ended.step.find(": building") != ended.step.npos && job.kernels.size() > 1) {
      for (auto kernel = job.kernels.rbegin(); kernel != job.kernels.rend(); ++kernel) groups.push_front({*kernel});
      return;
    } else {
      const std::string name = ended.step.substr(0, ended.step.find_first_of(" :"));
      const auto culprit = std::ranges::find(job.kernels, name, &Kernel::name);
      row.kernel = name;
      if (culprit != job.kernels.end() && culprit + 1 != job.kernels.end())
        groups.push_front({culprit + 1, job.kernels.end()});
    }
    queue.not_run.push_back(row);
  }

  const std::vector<const Kernel*>& kernels_;
  const VerifyOptions& options_;
  const ChildWork& work_;
  Order order_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  SubprocessGroup group_{};
  std::vector<DeviceQueue> queues_{};
};

}  // namespace

std::vector<const Kernel*> selected_kernels(const std::vector<Kernel>& roster, const VerifyOptions& options) {
  std::vector<const Kernel*> out;
  for (const Kernel& kernel : roster) {
    if (options.kernels.empty() || std::ranges::find(options.kernels, kernel.name) != options.kernels.end())
      out.push_back(&kernel);
  }
  return out;
}

Snapshot verify(const std::vector<Target>& targets, const VerifyOptions& options) {
  const bool frameworks = !targets.empty() && std::ranges::all_of(targets, [](const Target& target) {
    return target.backend == "framework";
  });
  return run_in_children(targets, selected_kernels(frameworks ? framework_kernels() : all_kernels(), options), options,
                         verify_job, Order::concurrent);
}

Snapshot run_in_children(const std::vector<Target>& targets, const std::vector<const Kernel*>& kernels,
                         const VerifyOptions& options, const ChildWork& work, Order order) {
  return Verification(targets, kernels, options, work, order).run();
}

}  // namespace envdoctor::kernels

#include "kernels/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <memory>
#include <thread>

#include "evidence/json.h"

namespace envdoctor::kernels {
namespace {

using Groups = std::deque<std::vector<const Kernel*>>;  // a child each, one after the other

// What one device has still to do, and what it has answered. Its lanes are worked through side by side.
struct Line {
  Target target{};
  std::vector<Groups> lanes{};
  std::vector<ComputeResult> results{};
  std::vector<ComputeNotRun> not_run{};
};

// How a device's kernels are spread over children.
struct Spread {
  std::size_t lanes = 1;
  std::size_t in_a_group = 4;
};

Spread spread(const Target& target, Effort effort, Turns turns) {
  constexpr std::size_t all = 1 << 20;
  // A framework takes longer to start than its kernels take.
  if (target.backend == "framework") return {.in_a_group = all};
  // What is timed in full takes long: each kernel has time of its own.
  if (turns == Turns::one_after_the_other) return {.in_a_group = effort == Effort::full ? 1 : all};
  if (effort != Effort::quick) return {};
  // The short form is mostly opening and compiling: once for all kernels, or on several cores at once. A GPU gets one
  // child, since it may take no more.
  const bool on_cores = target.backend == "opencl" && target.is_cpu;
  return {.lanes = on_cores ? std::clamp(std::thread::hardware_concurrency(), 1U, 4U) : 1U, .in_a_group = all};
}

// Every `lanes`th kernel to each lane, as neighbours are much alike.
std::vector<Groups> lanes_of(const std::vector<const Kernel*>& kernels, const Spread& spread) {
  std::vector<Groups> lanes(spread.lanes);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    Groups& groups = lanes[i % spread.lanes];
    if (groups.empty() || groups.back().size() == spread.in_a_group) groups.emplace_back();
    groups.back().push_back(kernels[i]);
  }
  return lanes;
}

class Verification {
 public:
  Verification(const std::vector<Target>& targets, const std::vector<const Kernel*>& kernels,
               const VerifyOptions& options, const ChildWork& work, Turns turns)
      : kernels_(kernels), options_(options), work_(work), turns_(turns) {
    for (const Target& target : targets)
      lines_.push_back(std::make_unique<Line>(
          Line{.target = target, .lanes = lanes_of(kernels, spread(target, options.effort, turns))}));
  }

  Snapshot run() {
    const std::size_t at_once = turns_ == Turns::side_by_side ? lines_.size() : std::min<std::size_t>(1, lines_.size());
    for (std::size_t i = 0; i < at_once; ++i) {
      for (std::size_t lane = 0; lane < lines_[i]->lanes.size(); ++lane) start_next(i, lane);
    }
    crew_.run(options_.whole, options_.progress);
    Snapshot snapshot;
    auto& results = snapshot.compute.fill();
    auto& not_run = snapshot.compute_not_run.fill();
    for (const auto& line : lines_) {
      in_order(line->results);
      in_order(line->not_run);
      std::ranges::move(line->results, std::back_inserter(results));
      std::ranges::move(line->not_run, std::back_inserter(not_run));
    }
    return snapshot;
  }

 private:
  // As the kernels were given, whichever lane brought them.
  template <class Row>
  void in_order(std::vector<Row>& rows) const {
    const auto place = [this](const Row& row) {
      return std::ranges::find_if(kernels_, [&](const Kernel* kernel) { return row.kernel.is(kernel->name); });
    };
    std::ranges::stable_sort(rows, {}, place);
  }

  void start_next(std::size_t index, std::size_t lane) {
    Line& line = *lines_[index];
    Groups& groups = line.lanes[lane];
    if (groups.empty()) {
      if (turns_ == Turns::one_after_the_other && index + 1 < lines_.size()) start_next(index + 1, 0);
      return;
    }
    const Job job{.target = line.target, .kernels = groups.front()};
    groups.pop_front();
    VerifyOptions how = options_;
    how.limits.time = std::min(how.limits.time, share_of_what_is_left(index));
    crew_.start(
        line.target.subject, how.limits,
        [this, job, how](const Channel& channel) {
          work_(job, how,
                {.so_far = [&](const Snapshot& part) { channel.answer(to_json(part)); },
                 .step = [&](const std::string& what) { channel.step(what); }});
        },
        [this, index, lane, job](const Ended& ended) {
          take(*lines_[index], lane, job, ended);
          start_next(index, lane);
        });
  }

  // One after the other, the devices share what time there is, less what ending children takes.
  Milliseconds share_of_what_is_left(std::size_t index) const {
    if (turns_ == Turns::side_by_side) return options_.limits.time;
    const auto devices = static_cast<int>(lines_.size() - index);
    const auto groups = static_cast<int>(lines_[index]->lanes.front().size()) + 1;
    const auto spent = std::chrono::duration_cast<Milliseconds>(std::chrono::steady_clock::now() - start_);
    const Milliseconds left = std::max(Milliseconds(1000), options_.whole * 9 / 10 - spent);
    // Groups differ, and one may hang: no more than a third for one of many.
    return std::max(Milliseconds(1000), left / devices / std::min(3, groups));
  }

  void take(Line& line, std::size_t lane, const Job& job, const Ended& ended) {
    Snapshot part;
    std::string why = ended.how == Ended::How::answered ? "" : ended.why;
    try {
      if (!ended.answer.empty()) part = snapshot_from_json(ended.answer, "the answer of " + line.target.subject);
    } catch (const BadDocument& bad) {
      why = bad.what();
    }
    if (part.compute.get()) std::ranges::move(*part.compute.get(), std::back_inserter(line.results));
    if (part.compute_not_run.get()) std::ranges::move(*part.compute_not_run.get(), std::back_inserter(line.not_run));
    if (ended.how != Ended::How::answered || ended.status != 0) came_to_grief(line, lane, job, ended, why);
  }

  // The kernel in whose work the child ended is told; the others of its group get another child.
  void came_to_grief(Line& line, std::size_t lane, const Job& job, const Ended& ended, const std::string& why) {
    Groups& groups = line.lanes[lane];
    ComputeNotRun row{.device = line.target.subject,
                      .why = fmt::format("{}: {}", text(ended.how), why.empty() ? ended.why : why)};
    if (ended.step.starts_with("opening") || ended.step.empty()) {
      groups.clear();  // the device can't be had at all, which one lane says for all
      if (std::ranges::any_of(line.not_run, [](const ComputeNotRun& told) { return !told.kernel.get(); })) return;
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
    line.not_run.push_back(row);
  }

  const std::vector<const Kernel*>& kernels_;
  const VerifyOptions& options_;
  const ChildWork& work_;
  Turns turns_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  Crew crew_{};
  std::vector<std::unique_ptr<Line>> lines_{};
};

}  // namespace

std::vector<const Kernel*> wanted_kernels(const std::vector<Kernel>& roster, const VerifyOptions& options) {
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
  return in_children(targets, wanted_kernels(frameworks ? framework_kernels() : all_kernels(), options), options,
                     verify_job, Turns::side_by_side);
}

Snapshot in_children(const std::vector<Target>& targets, const std::vector<const Kernel*>& kernels,
                     const VerifyOptions& options, const ChildWork& work, Turns turns) {
  return Verification(targets, kernels, options, work, turns).run();
}

}  // namespace envdoctor::kernels

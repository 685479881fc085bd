#include "kernels/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <memory>

#include "evidence/json.h"

namespace envdoctor::kernels {
namespace {

constexpr std::size_t kernels_in_a_group = 4;

// What one device has still to do, and what it has answered.
struct Line {
  Target target{};
  std::deque<std::vector<const Kernel*>> groups{};
  std::vector<ComputeResult> results{};
  std::vector<ComputeNotRun> not_run{};
};

class Verification {
 public:
  Verification(const std::vector<Target>& targets, const std::vector<const Kernel*>& kernels,
               const VerifyOptions& options, const ChildWork& work, Turns turns)
      : options_(options), work_(work), turns_(turns) {
    for (const Target& target : targets) {
      // A framework takes longer to start than its kernels take: all in one group. What is timed in full takes long:
      // each kernel has time of its own.
      const bool each_alone = turns == Turns::one_after_the_other && options.effort == Effort::full;
      const std::size_t at_once = target.backend == "framework" ? std::max<std::size_t>(1, kernels.size())
                                  : each_alone                  ? 1
                                                                : kernels_in_a_group;
      Line& line = *lines_.emplace_back(std::make_unique<Line>());
      line.target = target;
      for (std::size_t at = 0; at < kernels.size(); at += at_once)
        line.groups.emplace_back(kernels.begin() + static_cast<std::ptrdiff_t>(at),
                                 kernels.begin() + static_cast<std::ptrdiff_t>(std::min(kernels.size(), at + at_once)));
    }
  }

  Snapshot run() {
    for (std::size_t i = 0;
         i < (turns_ == Turns::side_by_side ? lines_.size() : std::min<std::size_t>(1, lines_.size())); ++i)
      start_next(i);
    crew_.run(options_.whole, options_.progress);
    Snapshot snapshot;
    auto& results = snapshot.compute.fill();
    auto& not_run = snapshot.compute_not_run.fill();
    for (const auto& line : lines_) {
      std::ranges::move(line->results, std::back_inserter(results));
      std::ranges::move(line->not_run, std::back_inserter(not_run));
    }
    return snapshot;
  }

 private:
  void start_next(std::size_t index) {
    Line& line = *lines_[index];
    if (line.groups.empty()) {
      if (turns_ == Turns::one_after_the_other && index + 1 < lines_.size()) start_next(index + 1);
      return;
    }
    const Job job{.target = line.target, .kernels = line.groups.front()};
    line.groups.pop_front();
    VerifyOptions how = options_;
    how.limits.time = std::min(how.limits.time, share_of_what_is_left());
    crew_.start(
        line.target.subject, how.limits,
        [this, job, how](const Channel& channel) {
          work_(job, how,
                {.so_far = [&](const Snapshot& part) { channel.answer(to_json(part)); },
                 .step = [&](const std::string& what) { channel.step(what); }});
        },
        [this, index, job](const Ended& ended) {
          take(*lines_[index], job, ended);
          start_next(index);
        });
  }

  // One after the other, what is still to do shares what time there is, less what ending children takes.
  Milliseconds share_of_what_is_left() const {
    if (turns_ == Turns::side_by_side) return options_.limits.time;
    std::size_t groups = 1;
    for (const auto& line : lines_) groups += line->groups.size();
    const auto spent = std::chrono::duration_cast<Milliseconds>(std::chrono::steady_clock::now() - start_);
    const Milliseconds left = std::max(Milliseconds(1000), options_.whole * 9 / 10 - spent);
    // Groups differ: one may take what three would on average.
    return std::max(Milliseconds(1000), left * 3 / static_cast<int>(groups + 2));
  }

  void take(Line& line, const Job& job, const Ended& ended) {
    Snapshot part;
    std::string why = ended.how == Ended::How::answered ? "" : ended.why;
    try {
      if (!ended.answer.empty()) part = snapshot_from_json(ended.answer, "the answer of " + line.target.subject);
    } catch (const BadDocument& bad) {
      why = bad.what();
    }
    if (part.compute.get()) std::ranges::move(*part.compute.get(), std::back_inserter(line.results));
    if (part.compute_not_run.get()) std::ranges::move(*part.compute_not_run.get(), std::back_inserter(line.not_run));
    if (ended.how != Ended::How::answered || ended.status != 0) came_to_grief(line, job, ended, why);
  }

  // The kernel in whose work the child ended is told; the others of its group get another child.
  void came_to_grief(Line& line, const Job& job, const Ended& ended, const std::string& why) {
    ComputeNotRun row{.device = line.target.subject,
                      .why = fmt::format("{}: {}", text(ended.how), why.empty() ? ended.why : why)};
    if (ended.step.starts_with("opening") || ended.step.empty()) {
      line.groups.clear();  // the device can't be had at all
    } else if (ended.step.find(": building") != ended.step.npos && job.kernels.size() > 1) {
      for (auto kernel = job.kernels.rbegin(); kernel != job.kernels.rend(); ++kernel)
        line.groups.push_front({*kernel});
      return;
    } else {
      const std::string name = ended.step.substr(0, ended.step.find_first_of(" :"));
      const auto culprit = std::ranges::find(job.kernels, name, &Kernel::name);
      row.kernel = name;
      if (culprit != job.kernels.end() && culprit + 1 != job.kernels.end())
        line.groups.push_front({culprit + 1, job.kernels.end()});
    }
    line.not_run.push_back(row);
  }

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

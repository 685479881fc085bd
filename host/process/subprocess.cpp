#include "host/process/subprocess.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <memory>

#include "host/process/subprocess_child.h"
#include "host/process/subprocess_run.h"

namespace envdoctor {

namespace {

constexpr Milliseconds memory_interval{25};
constexpr Milliseconds tick_interval{100};
constexpr Milliseconds blind_interval{10};  // where the kernel has no pidfd

}  // namespace

std::string_view text(Ended::How how) {
  static constexpr std::array names = {"answered", "crash", "exit", "timeout", "memory", "malformed"};
  return names.at(static_cast<std::size_t>(how));
}

SubprocessGroup::SubprocessGroup() {
  struct sigaction act {};
  act.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &act, nullptr);  // ignored, as some parents hand it down, it would hide how children end
}

SubprocessGroup::~SubprocessGroup() {
  for (const Child& child : children_) {
    child.signal(SIGKILL);
    if (child.pid > 0) waitpid(child.pid, nullptr, WNOHANG);
  }
}

void SubprocessGroup::start(std::string name, Limits limits, Work work, Done done) {
  Child child{.name = std::move(name), .limits = limits, .done = std::move(done)};
  child.launch(children_, [&](int frames) { do_work([&] { work(Channel(frames)); }, frames); });
  children_.push_back(std::move(child));
}

void SubprocessGroup::exec(std::string name, Limits limits, std::vector<std::string> argv, std::vector<std::string> env,
                           Done done) {
  Child child{.name = std::move(name), .limits = limits, .done = std::move(done), .program = true};
  child.launch(children_, [&](int frames) { become_program(argv, env, frames); });
  children_.push_back(std::move(child));
}

void SubprocessGroup::exec_framed(std::string name, Limits limits, std::vector<std::string> argv,
                                  std::vector<std::string> env, Done done) {
  Child child{.name = std::move(name), .limits = limits, .done = std::move(done)};
  child.launch(children_, [&](int frames) { become_program(argv, env, frames, true); });
  children_.push_back(std::move(child));
}

void SubprocessGroup::run(Milliseconds whole, const std::function<void(const std::vector<std::string>&)>& tick) {
  const Clock::time_point end = Clock::now() + whole;
  Clock::time_point next_memory = Clock::now();
  Clock::time_point next_tick = Clock::now() + tick_interval;
  int signal = 0;
  {
    const HeldSignals held;
    while (!children_.empty() && signal == 0) {
      std::vector<pollfd> polled;
      Clock::time_point next = std::min(next_memory, tick ? next_tick : end);
      for (const Child& child : children_) {
        for (const Descriptor* one : {&child.process, &child.frames, &child.output, &child.printed}) {
          if (*one) polled.push_back({.fd = one->get(), .events = POLLIN, .revents = 0});
        }
        if (!child.process) next = std::min(next, Clock::now() + blind_interval);
        if (child.result) next = Clock::now();
      }
      const auto wait = std::max(std::chrono::nanoseconds(0), std::chrono::nanoseconds(next - Clock::now()));
      const timespec pause{.tv_sec = wait.count() / 1'000'000'000, .tv_nsec = wait.count() % 1'000'000'000};
      ppoll(polled.data(), polled.size(), &pause, &held.while_waiting());
      signal = HeldSignals::arrived();

      const Clock::time_point now = Clock::now();
      const bool look_at_memory = now >= next_memory;
      if (look_at_memory) next_memory = now + memory_interval;
      for (Child& child : children_) {
        child.advance(now, look_at_memory);
        if (now >= end)
          child.stop(Ended::How::timed_out,
                     "stopped because the time limit of the whole run expired" + child.said.place(), now);
      }
      // Taken out before their `done` is called, which may start more.
      const auto over =
          std::stable_partition(children_.begin(), children_.end(), [](const Child& c) { return !c.result; });
      std::vector<Child> ended(std::make_move_iterator(over), std::make_move_iterator(children_.end()));
      children_.erase(over, children_.end());
      for (const Child& child : ended) {
        if (child.done) child.done(*child.result);
      }
      if (tick && now >= next_tick && !children_.empty()) {
        next_tick = now + tick_interval;
        std::vector<std::string> names;
        for (const Child& child : children_) names.push_back(child.name);
        tick(names);
      }
    }
    if (signal != 0) {
      for (const Child& child : children_) child.signal(SIGKILL);
    }
  }
  if (signal != 0) raise(signal);
}

// Children that share what was loaded before they were forked. Their grandparent, this process, becomes their parent
// when the one they were forked from ends: it is made the subreaper for that.

namespace {

constexpr Limits sharing{.time = Milliseconds(2000)};

struct Plan {
  std::vector<SubprocessGroup::Member> members{};
  std::vector<ChildPipes> pipes{};
};

std::function<void(int)> body_of(const SubprocessGroup::Work& work) {
  return [&work](int frames) { do_work([&] { work(Channel(frames)); }, frames); };
}

// In the process that has loaded what is shared: forks one member.
pid_t fork_member(Plan& plan, std::size_t index, pid_t grandparent) {
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child != 0) {
    if (child > 0) setpgid(child, child);  // or it would be ended with our group
    return child;
  }
  for (std::size_t i = 0; i < plan.pipes.size(); ++i) {
    if (i != index) plan.pipes[i] = {};
  }
  while (getppid() == parent) usleep(50);
  run_child(grandparent, plan.pipes[index], body_of(plan.members[index].work));
}

// What was forked, as bytes; empty if one is missing.
std::vector<pid_t> forked(const Ended& ended, std::size_t count) {
  std::vector<pid_t> pids(count);
  if (ended.how != Ended::How::answered || ended.answer.size() != count * sizeof(pid_t)) return {};
  std::memcpy(pids.data(), ended.answer.data(), ended.answer.size());
  return pids;
}

}  // namespace

void SubprocessGroup::start_sharing(std::function<void()> shared, std::vector<Member> members) {
  const auto plan = std::make_shared<Plan>(Plan{.members = std::move(members)});
  bool ready = plan->members.size() > 1 && prctl(PR_SET_CHILD_SUBREAPER, 1) == 0;
  for (std::size_t i = 0; ready && i < plan->members.size(); ++i) ready = plan->pipes.emplace_back().open(false);
  const auto start_separately = [this, plan] {
    for (Member& member : plan->members)
      start(std::move(member.name), member.limits, std::move(member.work), std::move(member.done));
  };
  if (!ready) return start_separately();
  const auto work = [plan, shared = std::move(shared), grandparent = getpid()](const Channel& channel) {
    shared();
    std::string pids;
    for (std::size_t i = 0; i < plan->members.size(); ++i) {
      const pid_t pid = fork_member(*plan, i, grandparent);
      if (pid < 0) _exit(1);
      pids.append(reinterpret_cast<const char*>(&pid), sizeof(pid));
    }
    channel.answer(pids);
  };
  start(plan->members.front().name, sharing, work, [this, plan, start_separately](const Ended& ended) {
    const std::vector<pid_t> pids = forked(ended, plan->members.size());
    if (pids.empty()) return start_separately();
    for (std::size_t i = 0; i < pids.size(); ++i) {
      Member& member = plan->members[i];
      Child child{.name = std::move(member.name), .limits = member.limits, .done = std::move(member.done)};
      child.adopt(pids[i], std::move(plan->pipes[i]));
      children_.push_back(std::move(child));
    }
  });
}

}  // namespace envdoctor

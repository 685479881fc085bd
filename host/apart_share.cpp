// Children that share what was loaded before they were forked. Their grandparent, this process, becomes their parent
// when the one they were forked from ends: it is made the subreaper for that.
#include <sys/prctl.h>
#include <unistd.h>

#include <cstring>
#include <memory>

#include "host/apart_child.h"
#include "host/apart_run.h"

namespace envdoctor {
namespace {

constexpr Limits sharing{.time = Milliseconds(2000)};

struct Plan {
  std::vector<Crew::Member> members{};
  std::vector<ChildPipes> pipes{};
};

std::function<void(int)> body_of(const Crew::Work& work) {
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

void Crew::start_sharing(std::function<void()> shared, std::vector<Member> members) {
  const auto plan = std::make_shared<Plan>(Plan{.members = std::move(members)});
  bool ready = plan->members.size() > 1 && prctl(PR_SET_CHILD_SUBREAPER, 1) == 0;
  for (std::size_t i = 0; ready && i < plan->members.size(); ++i) ready = plan->pipes.emplace_back().open(false);
  const auto apart = [this, plan] {
    for (Member& member : plan->members)
      start(std::move(member.name), member.limits, std::move(member.work), std::move(member.done));
  };
  if (!ready) return apart();
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
  start(plan->members.front().name, sharing, work, [this, plan, apart](const Ended& ended) {
    const std::vector<pid_t> pids = forked(ended, plan->members.size());
    if (pids.empty()) return apart();
    for (std::size_t i = 0; i < pids.size(); ++i) {
      Member& member = plan->members[i];
      Child child{.name = std::move(member.name), .limits = member.limits, .done = std::move(member.done)};
      child.adopt(pids[i], std::move(plan->pipes[i]));
      children_.push_back(std::move(child));
    }
  });
}

}  // namespace envdoctor

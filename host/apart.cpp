#include "host/apart.h"

#include <poll.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>

#include "host/apart_child.h"
#include "host/apart_run.h"
#include "host/apart_signals.h"

namespace envdoctor {
namespace {

constexpr Milliseconds memory_interval{25};
constexpr Milliseconds tick_interval{100};
constexpr Milliseconds blind_interval{10};  // where the kernel has no pidfd

}  // namespace

std::string_view text(Ended::How how) {
  switch (how) {
    case Ended::How::answered:
      return "answered";
    case Ended::How::crashed:
      return "crash";
    case Ended::How::exited:
      return "exit";
    case Ended::How::timed_out:
      return "timeout";
    case Ended::How::out_of_memory:
      return "memory";
    case Ended::How::malformed:
      return "malformed";
  }
  return "malformed";
}

Crew::Crew() {
  struct sigaction act {};
  act.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &act, nullptr);  // ignored, as some parents hand it down, it would hide how children end
}

Crew::~Crew() {
  for (const Child& child : children_) {
    child.signal(SIGKILL);
    if (child.pid > 0) waitpid(child.pid, nullptr, WNOHANG);
  }
}

void Crew::start(std::string name, Limits limits, Work work, Done done) {
  Child child{.name = std::move(name), .limits = limits, .done = std::move(done)};
  child.launch(children_, [&](int frames) { do_work([&] { work(Channel(frames)); }, frames); });
  children_.push_back(std::move(child));
}

void Crew::exec(std::string name, Limits limits, std::vector<std::string> argv, std::vector<std::string> env,
                Done done) {
  Child child{.name = std::move(name), .limits = limits, .done = std::move(done), .program = true};
  child.launch(children_, [&](int frames) { become_program(argv, env, frames); });
  children_.push_back(std::move(child));
}

void Crew::ask(std::string name, Limits limits, std::vector<std::string> argv, std::vector<std::string> env,
               Done done) {
  Child child{.name = std::move(name), .limits = limits, .done = std::move(done)};
  child.launch(children_, [&](int frames) { become_program(argv, env, frames, true); });
  children_.push_back(std::move(child));
}

void Crew::run(Milliseconds whole, const std::function<void(const std::vector<std::string>&)>& tick) {
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
          child.stop(Ended::How::timed_out, "stopped as the time for the whole run was up" + child.place(), now);
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

}  // namespace envdoctor

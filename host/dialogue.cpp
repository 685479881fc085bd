#include "host/dialogue.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "host/apart_child.h"
#include "host/apart_run.h"

namespace envdoctor {
namespace {

constexpr char question_frame = 'q';
constexpr int memory_interval_ms = 50;

}  // namespace

Dialogue::Dialogue(const std::vector<std::string>& argv, const std::vector<std::string>& env, int shared,
                   std::int64_t memory_mib)
    : memory_mib_(memory_mib) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw DialogueOver(fmt::format("no socket: {}", std::strerror(errno)));
  socket_ = Descriptor(ends[0]);
  const Descriptor other(ends[1]);
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ < 0) throw DialogueOver(fmt::format("no process: {}", std::strerror(errno)));
  if (pid_ == 0) {
    become_child(parent, 2, 2);
    become_program(argv, env, other.get(), true, shared);
  }
  signal(SIGPIPE, SIG_IGN);  // it may end while we ask
}

Dialogue::~Dialogue() {
  if (pid_ <= 0) return;
  kill(-pid_, SIGKILL);
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

std::string Dialogue::ask(const std::string& question, const std::function<void(const std::string&)>& step) {
  if (pid_ <= 0) throw DialogueOver("it has ended");
  write_frame(socket_.get(), question_frame, question);
  const int before = said_.answers;
  char bytes[65536];
  while (said_.answers == before) {
    pollfd ready{.fd = socket_.get(), .events = POLLIN, .revents = 0};
    if (::poll(&ready, 1, memory_interval_ms) <= 0) {
      check_memory();
      continue;
    }
    const ssize_t count = ::read(socket_.get(), bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) over("");
    const std::string last = said_.step;
    said_.take({bytes, static_cast<std::size_t>(count)});
    if (said_.bad()) over(said_.why_bad());
    if (step && said_.step != last) step(said_.step);
  }
  return said_.answer;
}

void Dialogue::check_memory() {
  if (resident_mib(pid_) > memory_mib_) over(fmt::format("took more than {} MiB of memory", memory_mib_));
}

void Dialogue::over(const std::string& why) {
  const std::string place = said_.step.empty() ? "" : " in " + said_.step;
  if (!why.empty()) kill(pid_, SIGKILL);
  int status = 0;
  bool known = false;
  for (int i = 0; i < 200 && !(known = waitpid(pid_, &status, WNOHANG) == pid_); ++i) {
    if (i == 100) kill(pid_, SIGKILL);  // it closed its side and lives on
    usleep(1000);
  }
  kill(-pid_, SIGKILL);
  pid_ = -1;
  if (!why.empty()) throw DialogueOver(why + place);
  if (!said_.trouble.empty()) throw DialogueOver(said_.trouble);
  if (known && WIFSIGNALED(status))
    throw DialogueOver(fmt::format("ended by {}{}", signal_name(WTERMSIG(status)), place));
  if (known) throw DialogueOver(fmt::format("ended with status {}{}", WEXITSTATUS(status), place));
  throw DialogueOver("ended" + place);
}

}  // namespace envdoctor

#include "host/group_witness.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "host/foreground.h"

namespace envdoctor {
namespace {

constexpr int patience_ms = 20;

struct Note {
  int signal = 0;
  pid_t sender = 0;
};

[[noreturn]] void witness(int notes) {
  sigset_t all;
  sigfillset(&all);
  while (true) {
    siginfo_t info{};
    const Note note{sigwaitinfo(&all, &info), info.si_pid};
    if (note.signal > 0 && ::write(notes, &note, sizeof note) != sizeof note) _exit(0);
  }
}

}  // namespace

GroupWitness::GroupWitness() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return;
  notes_ = Descriptor(ends[0]);
  const Descriptor writing(ends[1]);
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ != 0) return;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nothing, stream);
  close_inherited();
  witness(writing.get());
}

GroupWitness::~GroupWitness() {
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

bool GroupWitness::saw(int signal, pid_t sender) const {
  if (pid_ <= 0) return false;
  pollfd ready{.fd = notes_.get(), .events = POLLIN, .revents = 0};
  Note note;
  while (::poll(&ready, 1, patience_ms) > 0 && ::read(notes_.get(), &note, sizeof note) == sizeof note) {
    if (note.signal == signal && note.sender == sender) return true;
  }
  return false;
}

}  // namespace envdoctor

#include "host/apart_signals.h"

#include <iterator>

namespace envdoctor {
namespace {

volatile std::sig_atomic_t noted = 0;
void note(int number) { noted = number; }

}  // namespace

HeldSignals::HeldSignals() {
  noted = 0;
  sigset_t held;
  sigemptyset(&held);
  for (std::size_t i = 0; i < std::size(numbers_); ++i) {
    const int number = numbers_[i];
    struct sigaction act {};
    act.sa_handler = number == SIGPIPE ? SIG_IGN : note;
    sigaction(number, nullptr, &old_[i]);
    if (old_[i].sa_handler != SIG_IGN) sigaction(number, &act, nullptr);  // nohup's wish holds
    if (number != SIGPIPE) sigaddset(&held, number);
  }
  sigprocmask(SIG_BLOCK, &held, &before_);
}

HeldSignals::~HeldSignals() {
  for (std::size_t i = 0; i < std::size(numbers_); ++i) sigaction(numbers_[i], &old_[i], nullptr);
  sigprocmask(SIG_SETMASK, &before_, nullptr);
}

int HeldSignals::arrived() { return noted; }

}  // namespace envdoctor

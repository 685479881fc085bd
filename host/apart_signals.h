#pragma once
#include <csignal>

namespace envdoctor {

// While it lives, Ctrl-C and its like are noted instead of ending us, so that children can be ended first; they arrive
// only during a ppoll() with `while_waiting()`. A broken pipe is ignored.
class HeldSignals {
 public:
  HeldSignals();
  ~HeldSignals();  // as it was before
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  [[nodiscard]] const sigset_t& while_waiting() const { return before_; }
  // The signal that came, or 0.
  [[nodiscard]] static int arrived();

 private:
  static constexpr int numbers_[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
  struct sigaction old_[5]{};
  sigset_t before_{};
};

}  // namespace envdoctor

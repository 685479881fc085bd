#pragma once
// A child that runs beside us for as long as we need it, and answers whenever it has something new. Unlike the children
// of a SubprocessGroup nothing waits for it: its owner polls its descriptor.
#include <sys/types.h>

#include <functional>
#include <string>

#include "host/files/descriptor.h"
#include "host/process/subprocess.h"
#include "host/process/subprocess_child.h"

namespace envdoctor {

class BackgroundChild {
 public:
  // In the child: `ending` becomes readable when the child must give its last answer and return.
  using Work = std::function<void(const Channel& channel, int ending)>;

  BackgroundChild() = default;  // none
  explicit BackgroundChild(const Work& work);
  ~BackgroundChild();
  BackgroundChild(BackgroundChild&& other) noexcept;
  BackgroundChild& operator=(BackgroundChild&& other) noexcept;

  explicit operator bool() const { return pid_ > 0; }
  [[nodiscard]] int descriptor() const { return frames_.get(); }
  // Reads what has arrived, without waiting. True if there is a new answer.
  bool read();
  // The last answer; empty: none yet.
  [[nodiscard]] const std::string& answer() const { return said_.answer; }
  // Why there will be no further answer: "ended by SIGSEGV in nvmlInit". Empty while it lives.
  [[nodiscard]] const std::string& why_over() const { return why_; }
  // Asks it to end and waits that long for its last answer; then kills it, or leaves it behind if even that fails.
  void end(Milliseconds patience);
  // Ends it now and records `why`; without a reason, how it ended by itself.
  void stop(const std::string& why);
  [[nodiscard]] std::int64_t memory_mib() const;  // 0: ended, or unknown

 private:
  pid_t pid_ = -1;
  Descriptor frames_{}, ending_{};
  Frames said_{};
  std::string why_{};
};

}  // namespace envdoctor

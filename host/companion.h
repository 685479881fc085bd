#pragma once
// A child that lives beside us for as long as we need it, and answers as often as it has something new. Unlike a Crew's
// it is not waited for: whoever holds it looks when its descriptor is readable.
#include <sys/types.h>

#include <functional>
#include <string>

#include "host/apart.h"
#include "host/apart_frames.h"
#include "host/descriptor.h"

namespace envdoctor {

class Companion {
 public:
  // In the child: `ending` becomes readable when it is to give its last answer and return.
  using Work = std::function<void(const Channel& channel, int ending)>;

  Companion() = default;  // none
  explicit Companion(const Work& work);
  ~Companion();
  Companion(Companion&& other) noexcept;
  Companion& operator=(Companion&& other) noexcept;

  explicit operator bool() const { return pid_ > 0; }
  [[nodiscard]] int descriptor() const { return frames_.get(); }
  // Takes what has come, without waiting. True if there is a new answer.
  bool read();
  // The last answer; empty: none yet.
  [[nodiscard]] const std::string& answer() const { return said_.answer; }
  // Why there will be no further answer: "ended by SIGSEGV in nvmlInit". Empty while it lives.
  [[nodiscard]] const std::string& why_over() const { return why_; }
  // Asks it to end and waits that long for its last answer; then it is killed, or left behind if even that fails.
  void end(Milliseconds patience);
  // Ends it now and notes why.
  void stop(const std::string& why);
  [[nodiscard]] std::int64_t memory_mib() const;  // 0: gone, or not known

 private:
  void reap(const std::string& why);
  pid_t pid_ = -1;
  Descriptor frames_{}, ending_{};
  Frames said_{};
  std::string why_{};
};

}  // namespace envdoctor

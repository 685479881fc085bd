#include "app/serve/bounded_answer.h"

#include <fmt/format.h>

#include "app/options/options.h"

namespace envdoctor {

BoundedAnswer bounded_answer(const Limits& limits, const std::function<std::string()>& work) {
  BoundedAnswer found{BoundedAnswer::How::broke, "no process could be started"};
  SubprocessGroup group;
  const auto answer = [&](const Channel& channel) {
    try {
      channel.answer("a" + work());
    } catch (const UsageError& error) {
      channel.answer(std::string("r") + error.what());
    }
  };
  group.start("answer", limits, answer, [&](const Ended& ended) {
    if (ended.how == Ended::How::answered && !ended.answer.empty()) {
      const bool refused = ended.answer.front() == 'r';
      found = {refused ? BoundedAnswer::How::refused : BoundedAnswer::How::answered, ended.answer.substr(1)};
    } else {
      found.text = "the work was ended: " + ended.why;
    }
  });
  group.run(limits.time + std::chrono::seconds(2));
  SubprocessGroup::reap_ended();
  return found;
}

}  // namespace envdoctor

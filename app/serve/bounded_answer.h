#pragma once
// Handles untrusted requests in a child with limits, so that no input can crash, block or exhaust the server.
#include <functional>
#include <string>

#include "host/process/subprocess.h"

namespace envdoctor {

struct BoundedAnswer {
  // refused: the input is wrong; broke: crashed, took too long or too much memory.
  enum class How { answered, refused, broke };
  How how = How::answered;
  std::string text{};  // the answer, or why there is none
};

// A UsageError that the work throws becomes `refused`.
BoundedAnswer bounded_answer(const Limits& limits, const std::function<std::string()>& work);

}  // namespace envdoctor

#pragma once
// Whether a watched process used a GPU: the answer of `run` and `pid`.
#include <string>

#include "evidence/watched_process.h"

namespace envdoctor {

enum class DeviceUse {
  ran,           // on a GPU that it kept busy
  idle,          // it opened a GPU and hardly used it
  never_opened,  // no GPU node was opened
  unknown        // couldn't tell
};

struct ProcessVerdict {
  DeviceUse use = DeviceUse::unknown;
  std::string why{};          // never opened: the likeliest cause; unknown: what stood in the way. No full stop
  bool busy_at_all = false;   // some work was seen on a GPU
};

// Why no program that is started now can use a GPU, as far as the nodes tell; empty: one may.
std::string why_no_gpu(const List<DeviceNode>& nodes);

// From what was watched, and the nodes that the host has.
ProcessVerdict judge_process(const Watched& watched);

// The cuDNN that was mapped; null: none was, or the libraries are not known.
const ProcessLibrary* cudnn_of(const ProcessUse& use);

}  // namespace envdoctor

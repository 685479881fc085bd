#pragma once
// Whether a watched process used a GPU: the answer of `run` and `pid`.
#include <string>

#include "evidence/watched_process.h"

namespace envdoctor {

enum class DeviceUse {
  ran,           // it kept a GPU busy
  idle,          // it opened a GPU but hardly used it
  never_opened,  // no GPU node was opened
  unknown        // not enough is known
};

struct ProcessVerdict {
  DeviceUse use = DeviceUse::unknown;
  std::string why{};         // never opened: the likeliest cause; unknown: what is missing. No full stop
  bool busy_at_all = false;  // some work was seen on a GPU
};

// Why no program that is started now can use a GPU, as far as the nodes show; empty: it may.
std::string why_no_gpu(const List<DeviceNode>& nodes);

// From the watched process and the host's nodes.
ProcessVerdict judge_process(const Watched& watched);

// Whether it surely computed on the CPU: it never opened a GPU, or the driver, which it only asked (as
// torch.cuda.is_available() does), never listed it as computing.
bool computed_on_cpu(const Watched& watched, const ProcessVerdict& verdict);

// The cuDNN that was mapped; null: none was, or the libraries are unknown.
const ProcessLibrary* cudnn_of(const ProcessUse& use);

}  // namespace envdoctor

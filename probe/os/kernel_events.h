#pragma once
// GPU messages in the text of the kernel's log.
#include <string_view>
#include <vector>

#include "evidence/gpu_stacks.h"
#include "evidence/symptom.h"

namespace envdoctor {

struct KernelEvents {
  std::vector<Symptom> events{};  // of the last 200 lines that mention GPUs; `line` counts from 1 in the text
  std::vector<Xid> xid{};         // each pair of code and GPU once, in order of first appearance
};

// Only lines of the current boot count: those after the last "Linux version" in the text.
KernelEvents parse_kernel_log(std::string_view text);

}  // namespace envdoctor

#pragma once
// NVML asked again and again which processes use which GPU, in a companion.
#include <map>
#include <string>

#include "evidence/watched_process.h"
#include "host/process/background_child.h"
#include "host/vendor/nvml_api.h"

namespace envdoctor {

class NvmlRounds {
 public:
  explicit NvmlRounds(nvml::Api& api) : api_(api) {}
  // "" or why NVML can't be asked.
  std::string begin();
  // One round: each GPU with its utilisation, and each process with its memory and how busy it kept the GPU since the
  // round before.
  NvmlRound round();

 private:
  nvml::Api& api_;
  std::map<unsigned, std::uint64_t> seen_us_{};  // by GPU: the newest sample
};

// Answers a document with a `round` each time, until it is told to end.
BackgroundChild::Work nvml_rounds(const std::string& soname_or_path, Milliseconds gap);

}  // namespace envdoctor

#pragma once
// Changes to a command that tell a cause if they help (helping_changes.json).
#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace envdoctor::knowledge {

struct HelpingChange {
  std::string change{};                   // its name
  bool of_speed = false;                  // it helps a slow command, not one that fails
  std::unique_ptr<re2::RE2> pattern{};
};

// The change that this part of a command makes: "NCCL_P2P_DISABLE=1", "--shm-size=8g", "$ sudo modprobe
// nvidia", "+torch.backends.cuda.matmul.allow_tf32 = False", "without LD_LIBRARY_PATH=/opt/lib". Null: none that is
// known.
const HelpingChange* helping_change(std::string_view part);

}  // namespace envdoctor::knowledge

// A tensor that is copied from one GPU to the other and arrives as zeros.
#include <algorithm>

#include "probe/paste/number_blocks.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"
#include "probe/tools/tool_symptom.h"

namespace envdoctor {

bool starts_peer_copies(std::string_view line) { return contains(line, "device='cuda:"); }

Snapshot parse_peer_copies(const std::string& text) {
  Snapshot snapshot;
  const std::vector<NumberBlock> blocks = number_blocks(text);
  const auto lines = lines_of(text);
  const auto all_zero = [](const NumberBlock& block) {
    return std::ranges::all_of(block.array.numbers, [](double number) { return number == 0; });
  };
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    const NumberBlock &sent = blocks[i - 1], &arrived = blocks[i];
    const std::string_view code = arrived.statement;
    const bool copies = contains(code, ".to(") || contains(code, ".cuda(") || contains(code, ".copy_(");
    if (!copies || !sent.device.starts_with("cuda:") || !arrived.device.starts_with("cuda:") ||
        sent.device == arrived.device || sent.array.numbers.size() != arrived.array.numbers.size() ||
        contains(code, "cpu") || all_zero(sent) || !all_zero(arrived))
      continue;
    add_symptom(snapshot, {SymptomClass::wrong_result, "peer-copy"}, arrived.row, trimmed(lines[arrived.row]));
    break;
  }
  return snapshot;
}

}  // namespace envdoctor

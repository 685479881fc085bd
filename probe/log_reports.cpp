#include "probe/log_reports.h"

#include <algorithm>

#include "evidence/merge.h"

namespace envdoctor {
namespace {

constexpr std::size_t longest_report = std::size_t{256} * 1024;

}  // namespace

const std::vector<LogReportKind>& log_report_kinds() {
  static const std::vector<LogReportKind> kinds = {};
  return kinds;
}

void LogReports::line(std::string_view line) {
  for (const LogReportKind& kind : log_report_kinds()) {
    const bool open = std::ranges::any_of(blocks_, [&kind](const Block& b) { return b.kind == &kind; });
    if (open || !kind.starts(line)) continue;
    Block& block = blocks_.emplace_back(Block{.kind = &kind});
    for (std::size_t i = 0; i < std::size(before_); ++i) {
      const std::string& earlier = before_[(next_before_ + i) % std::size(before_)];
      if (!earlier.empty()) block.text += earlier + '\n';
    }
  }
  for (Block& block : blocks_) {
    if (block.text.size() + line.size() < longest_report) block.text.append(line).push_back('\n');
  }
  before_[next_before_].assign(line);
  next_before_ = (next_before_ + 1) % std::size(before_);
}

Snapshot LogReports::finish() {
  Snapshot all;
  for (const Block& block : blocks_) fill_in(all, block.kind->parse(block.text));
  return all;
}

}  // namespace envdoctor

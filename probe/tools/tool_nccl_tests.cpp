// nccl-tests: whether transfers between GPUs were correct, and whether several processes are each the first rank.
#include <re2/re2.h>

#include <set>

#include "knowledge/lazy_regex.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"
#include "probe/tools/tool_symptom.h"

namespace envdoctor {

bool starts_nccl_tests(std::string_view line) {
  return line.starts_with("# nThread ") || line.starts_with("# nccl-tests version") ||
         line.starts_with("# Out of bounds values");
}

Snapshot parse_nccl_tests(const std::string& text) {
  using enum SymptomClass;
  static const LazyRegex verdict(R"(# Out of bounds values : (\d+) (OK|FAILED)\s*)", RE2::Latin1);
  static const LazyRegex bandwidth(R"(# Avg bus bandwidth +: ([\d.]+)\s*)", RE2::Latin1);
  static const LazyRegex first_rank(R"(#\s+Rank\s+0 (?:Group\s+\d+ )?Pid\s+(\d+) on\s.*)", RE2::Latin1);
  Snapshot snapshot;
  std::size_t row = 0;
  bool wrong = false;
  std::set<std::string> first_ranks;
  for (const std::string_view line : lines_of(text)) {
    const std::size_t at = row++;
    if (!line.starts_with("# ") || line.size() > 200) continue;
    const re2::StringPiece piece(line.data(), line.size());
    std::string count, word, rate, process;
    if (RE2::FullMatch(piece, first_rank, &process) && first_ranks.insert(process).second && first_ranks.size() == 2)
      add_symptom(snapshot, {duplicate, "first-rank"}, at, line);
    if (RE2::FullMatch(piece, verdict, &count, &word) && word == "FAILED") {
      wrong = true;
      add_symptom(snapshot, {wrong_result, "peer-copy"}, at, line).details["wrong"] = count;
    }
    if (RE2::FullMatch(piece, bandwidth, &rate) && !wrong && number_of<double>(rate).value_or(0) > 0)
      add_symptom(snapshot, {used, "gpu"}, at, line).details["gbps"] = rate;
  }
  return snapshot;
}

}  // namespace envdoctor

#include "probe/paste/log_reader.h"

#include <algorithm>
#include <functional>

#include "evidence/json.h"
#include "evidence/merge.h"
#include "knowledge/wordings/wordings.h"
#include "probe/redact.h"

namespace envdoctor {
namespace {

constexpr std::size_t longest_line = std::size_t{16} * 1024;
constexpr std::int64_t kept_of_equal = 3;
constexpr std::int64_t kept_of_kind = 64;

std::uint64_t fingerprint(const knowledge::LogMatch& match) {
  std::string key = match.class_ + ' ' + match.subject + ' ' + match.program + ' ' + match.code;
  for (const auto& [name, value] : match.details) key.append(1, '\0').append(name).append(1, '\0').append(value);
  return std::hash<std::string>{}(key);
}

}  // namespace

LogReader::LogReader(std::string source, bool redact) : source_(std::move(source)), redact_(redact) {}

void LogReader::feed(std::string_view chunk) {
  while (!chunk.empty()) {
    if (partial_.empty() && chunk[0] == '\n') {
      chunk.remove_prefix(take_empty_lines(chunk));
      continue;
    }
    const std::size_t end = chunk.find('\n');
    const std::string_view piece = chunk.substr(0, end);
    const bool whole = end != std::string_view::npos && partial_.empty();
    if (!whole) partial_.append(piece.substr(0, longest_line - partial_.size()));
    if (end == std::string_view::npos) return;
    take_line(whole ? piece : partial_);
    partial_.clear();
    chunk.remove_prefix(end + 1);
  }
}

// Of many in a row a report needs no more than a few.
std::size_t LogReader::take_empty_lines(std::string_view chunk) {
  constexpr std::size_t needed = 4;
  const std::size_t lines = std::min(chunk.find_first_not_of('\n'), chunk.size());
  line_ += static_cast<std::int64_t>(lines);
  for (std::size_t i = 0; i < std::min(lines, needed); ++i) reports_.line({}, line_, matcher_);
  return lines;
}

void LogReader::take_line(std::string_view piece) {
  ++line_;
  const std::string_view line = plain_log_line(piece.substr(0, longest_line), plain_);
  std::vector<knowledge::LogMatch> matches = matcher_.match(line);
  reports_.line(line, line_, matcher_);
  for (knowledge::LogMatch& match : matches) {
    for (const auto& [pointer, value] : match.fills) {
      if (filled_.sources.get() && filled_.sources.get()->contains(pointer)) continue;
      Snapshot field = snapshot_with(pointer, value);
      set_sources(field, source_, line_);
      fill_in(filled_, field);
    }
    Seen& seen = seen_[fingerprint(match)];
    if (++seen.count > kept_of_equal) continue;
    if (seen.count == 1) {
      if (++kinds_[match.class_ + ' ' + match.subject] > kept_of_kind) {
        seen_.erase(fingerprint(match));
        continue;
      }
      seen.first = events_.size();
    }
    Symptom& event = events_.emplace_back();
    event.class_ = match.class_;
    event.subject = match.subject;
    if (!match.code.empty()) event.code = match.code;
    if (!match.program.empty()) event.program = match.program;
    event.source = source_;
    event.line = line_;
    event.details = std::move(match.details);
  }
}

Snapshot LogReader::finish() {
  if (!partial_.empty()) take_line(partial_);
  partial_.clear();
  for (const auto& [key, seen] : seen_) {
    if (seen.count > 1) events_[seen.first].details["count"] = std::to_string(seen.count);
  }
  Snapshot snapshot = reports_.finish(source_);
  fill_in(snapshot, filled_);
  snapshot.log = std::move(events_);
  if (redact_) redact(snapshot, {});
  return snapshot;
}

Snapshot read_log(std::string_view text, const std::string& source_name) {
  LogReader reader(source_name);
  reader.feed(text);
  return reader.finish();
}

}  // namespace envdoctor

#include "probe/transcript/framed_text.h"

#include <re2/re2.h>

#include <algorithm>
#include <set>
#include <vector>

#include "evidence/json.h"
#include "host/text.h"
#include "knowledge/lazy_regex.h"
#include "probe/paste/paste_text.h"
#include "probe/text_piece.h"

namespace envdoctor {
namespace {

constexpr std::size_t fewest_lines = 4;
using Lines = std::vector<std::string_view>;

bool is_blank(std::string_view line) { return trimmed(line).empty(); }

// Each line without what matches the form at its beginning; its first group is the name that all lines share, or empty.
std::optional<std::string> without_prefix(const Lines& lines, const RE2& form) {
  std::string text, shared;
  bool first = true;
  for (const std::string_view line : lines) {
    re2::StringPiece rest = piece_of(line), name;
    if (!is_blank(line)) {
      if (!RE2::Consume(&rest, form, &name) || (!first && name != shared)) return std::nullopt;
      if (first) shared = std::string(name);
      first = false;
    }
    text.append(rest.data(), rest.size()).append(1, '\n');
  }
  return text;
}

// " 12  import torch": numbers that rise by one on each line, as cat -n and editors show them. Shorter texts may be
// lists, such as that of a machine's GPUs.
std::optional<std::string> without_numbers(const Lines& lines) {
  static const LazyRegex form(R"(\s{0,6}(\d{1,5})(?:[:|]? ?\t| ?[:|] |  ))", RE2::Latin1),
      alone(R"(\s*(\d{1,5})[:|]?\s*)", RE2::Latin1);
  constexpr std::size_t longest_list = 16;
  if (lines.size() <= longest_list) return std::nullopt;
  std::string text;
  int expected = 0;
  for (const std::string_view line : lines) {
    re2::StringPiece rest = piece_of(line);
    int number = 0;
    if (!RE2::Consume(&rest, form, &number)) {
      if (!RE2::FullMatch(rest, alone, &number)) return std::nullopt;
      rest = {};
    }
    if (expected > 0 && number != expected) return std::nullopt;
    expected = number + 1;
    text.append(rest.data(), rest.size()).append(1, '\n');
  }
  return text;
}

// "0: " of the tasks that srun --label names: few numbers, each before many lines.
std::optional<std::string> without_tasks(const Lines& lines) {
  static const LazyRegex form(R"((\d{1,4}):(?: |$))", RE2::Latin1);
  constexpr std::size_t lines_of_task = 4;
  std::set<std::string> tasks;
  std::string text;
  for (const std::string_view line : lines) {
    re2::StringPiece rest = piece_of(line);
    std::string task;
    if (!is_blank(line)) {
      if (!RE2::Consume(&rest, form, &task)) return std::nullopt;
      tasks.insert(task);
    }
    text.append(rest.data(), rest.size()).append(1, '\n');
  }
  return tasks.size() * lines_of_task <= lines.size() ? std::optional(text) : std::nullopt;
}

// "`nvidia-smi -L`": back quotes around each line.
std::optional<std::string> without_back_quotes(const Lines& lines) {
  std::string text;
  for (std::string_view line : lines) {
    if (!is_blank(line)) {
      if (line.size() < 2 || line.front() != '`' || line.back() != '`') return std::nullopt;
      line = line.substr(1, line.size() - 2);
    }
    text.append(line).append(1, '\n');
  }
  return text;
}

// The message of an object that has nothing else to say, as a log of a container engine or of a service writes it.
std::string message_of(std::string_view line) {
  constexpr std::string_view of_message[] = {"/log", "/msg", "/message"};
  constexpr std::string_view around[] = {"/stream", "/time",     "/ts",     "/timestamp", "/level",
                                         "/logger", "/severity", "/caller", "/name",      "/attrs"};
  std::string message;
  for (const auto& [place, value] : json_values(line)) {
    if (std::ranges::find(of_message, place) != std::end(of_message))
      message = value;
    else if (std::ranges::find(around, place) == std::end(around))
      return {};
  }
  return message;
}

// {"log":"…\n","stream":"stderr","time":"…"} of Docker's files, {"level":"error","msg":"…"} of services.
std::optional<std::string> out_of_json(const Lines& lines) {
  std::string text;
  for (const std::string_view line : lines) {
    if (!is_blank(line)) {
      if (!line.starts_with("{\"") || !line.ends_with('}')) return std::nullopt;
      std::string one = message_of(line);
      if (one.empty() && !contains(line, "\"\"")) return std::nullopt;  // of an empty line
      while (one.ends_with('\n') || one.ends_with('\r')) one.pop_back();
      std::ranges::replace(one, '\n', ' ');
      text += one;
    }
    text += '\n';
  }
  return text;
}

}  // namespace

std::optional<std::string> without_frame(std::string_view text) {
  // Of the kernel's lines the readers know the beginning themselves.
  static const LazyRegex of_journal(R"((?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d) \S+ ([a-z][\w./@-]*)\[\d+\]: ?)",
                                    RE2::Latin1);
  static const LazyRegex of_logging(R"(()\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} - [\w.-]+ - [A-Z]+ - )", RE2::Latin1);
  static const LazyRegex of_pytest(R"(()E {3,7}|E$)", RE2::Latin1), bullet(R"(()[-*] )", RE2::Latin1);
  Lines lines;
  for (const std::string_view line : lines_of(text)) lines.push_back(line);
  while (!lines.empty() && is_blank(lines.back())) lines.pop_back();
  if (lines.size() < fewest_lines) return std::nullopt;
  for (const LazyRegex* form : {&of_journal, &of_logging, &of_pytest, &bullet}) {
    if (auto bare = without_prefix(lines, *form)) return bare;
  }
  if (auto bare = without_numbers(lines)) return bare;
  if (auto bare = without_tasks(lines)) return bare;
  if (auto bare = without_back_quotes(lines)) return bare;
  return out_of_json(lines);
}

}  // namespace envdoctor

// Predicts the output of print() statements.
#include "probe/transcript/transcript_prints.h"

#include <algorithm>

#include "probe/paste/paste_text.h"

namespace envdoctor {
namespace {

constexpr std::size_t most_parts = 24, most_held = 64;

bool quote(char c) { return c == '\'' || c == '"'; }

// The place after a string literal whose quote mark is at `at`.
std::size_t end_of_string(std::string_view code, std::size_t at) {
  const char mark = code[at];
  const std::string_view triple = code.substr(at, 3);
  if (triple.size() == 3 && triple[1] == mark && triple[2] == mark) {
    const std::size_t end = code.find(triple, at + 3);
    return end == code.npos ? code.size() : end + 3;
  }
  for (++at; at < code.size(); ++at) {
    if (code[at] == '\\')
      ++at;
    else if (code[at] == mark)
      return at + 1;
  }
  return code.size();
}

// Pieces between separators outside of strings and brackets. A comment ends the code.
std::vector<std::string_view> split(std::string_view code, char separator) {
  std::vector<std::string_view> found;
  int depth = 0;
  std::size_t begin = 0, at = 0;
  while (at < code.size()) {
    const char c = code[at];
    if (quote(c)) {
      at = end_of_string(code, at);
      continue;
    }
    if (c == '#') break;
    depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
    if (c == separator && depth == 0) {
      found.push_back(trimmed(code.substr(begin, at - begin)));
      begin = at + 1;
    }
    ++at;
  }
  found.push_back(trimmed(code.substr(begin, std::min(at, code.size()) - begin)));
  return found;
}

class Announcement {
 public:
  explicit Announcement(const HeldAnswers& held) : held_(held) {}

  void words(std::string_view text) {
    if (parts_.empty() || parts_.back().question || parts_.back().unknown) parts_.emplace_back();
    parts_.back().words += text;
  }
  void value(std::string_view expression) {
    PrintPart part;
    part.question = asked(expression);
    part.unknown = !part.question;
    parts_.push_back(std::move(part));
  }
  void argument(std::string_view text) {
    const auto summands = split(text, '+');
    for (const std::string_view one : summands) literal(one) || formatted(one) || (value(one), true);
  }
  [[nodiscard]] bool knows(std::string_view expression) const { return asked(expression).has_value(); }
  std::vector<PrintPart> take() {
    if (parts_.size() > most_parts) parts_.resize(most_parts);
    return std::move(parts_);
  }

 private:
  std::optional<Question> asked(std::string_view expression) const {
    if (const auto held = held_.find(trimmed(expression)); held != held_.end()) return held->second;
    auto question = question_of(expression);
    if (question) return question;
    // len(gpus), where gpus holds an answer.
    const std::string_view text = trimmed(expression);
    if (text.starts_with("len(") && text.ends_with(")")) {
      if (const auto held = held_.find(trimmed(text.substr(4, text.size() - 5))); held != held_.end()) {
        question = held->second;
        question->length = true;
      }
    }
    return question;
  }

  // The text of a literal, with its escapes as a terminal shows them.
  void plain(std::string_view text) {
    std::string shown;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\\' && i + 1 < text.size()) {
        ++i;
        shown += text[i] == 'n' || text[i] == 't' ? ' ' : text[i];
      } else {
        shown += text[i];
      }
    }
    words(shown);
  }

  // A text in which {…} marks a value; `values`: the values in order; null: the braces contain them.
  void braces(std::string_view text, const std::vector<std::string_view>* values) {
    std::size_t next = 0;
    while (!text.empty()) {
      const std::size_t open = text.find('{');
      plain(text.substr(0, open));
      if (open == text.npos) return;
      const std::size_t close = text.find('}', open);
      if (close == text.npos) return;
      std::string_view inner = text.substr(open + 1, close - open - 1);
      text.remove_prefix(close + 1);
      if (values) {
        inner = next < values->size() ? (*values)[next] : std::string_view();
        ++next;
      } else if (inner.ends_with("=")) {
        words(inner);
        inner.remove_suffix(1);
      } else if (const std::size_t colon = inner.rfind(':');
                 colon != inner.npos && inner.find('(', colon) == inner.npos) {
        inner = inner.substr(0, colon);
      }
      if (inner.ends_with("!r") || inner.ends_with("!s")) inner.remove_suffix(2);
      value(inner);
    }
  }

  // Only a string literal.
  bool literal(std::string_view text) {
    std::size_t at = 0;
    bool f = false;
    while (at < text.size() && at < 2 && std::string_view("rRbBuUfF").find(text[at]) != std::string_view::npos) {
      f = f || text[at] == 'f' || text[at] == 'F';
      ++at;
    }
    if (at >= text.size() || !quote(text[at]) || end_of_string(text, at) != text.size()) return false;
    const std::string_view inner = text.substr(at + 1, text.size() - at - 2);
    f ? braces(inner, nullptr) : plain(inner);
    return true;
  }

  // "…{}…".format(a, b) and "…%s…" % (a, b)
  bool formatted(std::string_view text) {
    if (text.empty() || !quote(text[0])) return false;
    const std::size_t end = end_of_string(text, 0);
    if (end < 2) return false;
    const std::string_view inner = text.substr(1, end - 2);
    std::string_view rest = trimmed(text.substr(end));
    if (rest.starts_with(".format(") && rest.ends_with(")")) {
      const auto values = split(rest.substr(8, rest.size() - 9), ',');
      braces(inner, &values);
      return true;
    }
    if (!rest.starts_with("%")) return false;
    rest = trimmed(rest.substr(1));
    if (rest.starts_with("(") && rest.ends_with(")")) rest = rest.substr(1, rest.size() - 2);
    const auto values = split(rest, ',');
    std::string_view left = inner;
    for (std::size_t next = 0; !left.empty(); ++next) {
      const std::size_t sign = left.find('%');
      plain(left.substr(0, sign));
      if (sign == left.npos || sign + 1 >= left.size()) break;
      value(next < values.size() ? values[next] : std::string_view());
      left.remove_prefix(sign + 2);
    }
    return true;
  }

  const HeldAnswers& held_;
  std::vector<PrintPart> parts_{};
};

// The arguments of "print(…)" or Python 2's "print …". None: no print.
std::optional<std::string_view> printed_by(std::string_view statement) {
  if (statement.starts_with("print(") && statement.ends_with(")")) return statement.substr(6, statement.size() - 7);
  if (statement.starts_with("print ") && !statement.starts_with("print (") && !statement.starts_with("print ="))
    return statement.substr(6);
  return std::nullopt;
}

bool keyword_argument(std::string_view text) {
  for (const std::string_view name : {"sep=", "end=", "file=", "flush="})
    if (text.starts_with(name)) return true;
  return false;
}

bool variable_name(std::string_view text) {
  return !text.empty() && text.size() < 40 && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

void assign(std::string_view statement, HeldAnswers& held) {
  const std::size_t equals = statement.find('=');
  if (equals == statement.npos || equals + 1 >= statement.size() || statement[equals + 1] == '=') return;
  const std::string_view name = trimmed(statement.substr(0, equals));
  if (!variable_name(name)) return;
  if (const auto old = held.find(name); old != held.end()) held.erase(old);
  if (auto question = question_of(statement.substr(equals + 1)); question && held.size() < most_held)
    held.emplace(name, std::move(*question));
}

struct Matching {
  const std::vector<PrintPart>& parts;
  AnswersInLine found{};
  int tries = 300;

  // Whether `text` is the output of the parts from `next` on.
  bool rest(std::size_t next, std::string_view text) {
    if (--tries < 0) return false;
    if (next == parts.size()) return trimmed(text).empty();
    const PrintPart& part = parts[next];
    if (!part.question && !part.unknown) {
      std::string_view words = part.words;
      if (next == 0) words.remove_prefix(std::min(words.find_first_not_of(" \n"), words.size()));
      if (next + 1 == parts.size()) words = words.substr(0, words.find_last_not_of(" \n") + 1);
      if (!text.starts_with(words)) return false;
      return rest(next + 1, text.substr(words.size()));
    }
    const bool last = next + 1 == parts.size();
    const std::string_view stop = last ? std::string_view() : std::string_view(parts[next + 1].words);
    for (std::size_t end = last ? text.size() : 0;; ++end) {
      if (!last) {
        if (stop.empty()) return false;  // two adjacent values can't be separated
        end = text.find(stop, end);
        // Trailing blanks are often lost.
        if (end == text.npos && trimmed(stop).empty()) end = text.size();
        if (end == text.npos) return false;
      }
      const std::string_view value = text.substr(0, end);
      const bool may = part.unknown || may_answer(*part.question, value);
      const std::size_t before = found.size();
      if (may && part.question) found.emplace_back(*part.question, value);
      if (may && rest(next + 1, text.substr(end))) return true;
      found.resize(before, {Question{}, {}});
      if (last || end >= text.size()) return false;
    }
  }
};

}  // namespace

bool AnnouncedLine::labelled() const {
  return std::ranges::any_of(parts, [](const PrintPart& part) { return trimmed(part.words).size() >= 3; });
}

bool AnnouncedLine::may_be(std::string_view line) const {
  if (parts.empty()) return false;
  const std::string_view words = trimmed(parts.front().words);
  return line.starts_with(words);
}

bool AnnouncedLine::asks() const {
  return std::ranges::any_of(parts, [](const PrintPart& part) { return part.question.has_value(); });
}

bool AnnouncedLine::asks_for_list() const {
  return parts.size() == 1 && parts[0].question && !parts[0].question->length &&
         parts[0].question->call->form == ValueForm::list;
}

bool AnnouncedLine::asks_for_version() const {
  return parts.size() == 1 && parts[0].question && parts[0].question->call->form == ValueForm::version;
}

std::optional<AnswersInLine> AnnouncedLine::answers_in(std::string_view line) const {
  Matching matching{.parts = parts};
  if (!matching.rest(0, trimmed(line))) return std::nullopt;
  return std::move(matching.found);
}

std::vector<AnnouncedLine> announced_by(std::string_view code, bool echo, HeldAnswers& held) {
  constexpr std::size_t longest = 1024;
  std::vector<AnnouncedLine> lines;
  if (code.size() > longest) return lines;
  const auto statements = split(code, ';');
  for (std::size_t i = 0; i < statements.size(); ++i) {
    const std::string_view statement = statements[i];
    Announcement announcement(held);
    if (const auto printed = printed_by(statement)) {
      bool first = true;
      for (const std::string_view argument : split(*printed, ',')) {
        if (keyword_argument(argument)) continue;
        if (!first) announcement.words(" ");
        first = false;
        announcement.argument(argument);
      }
      lines.push_back({announcement.take(), false});
    } else if (echo && i + 1 == statements.size() && announcement.knows(statement)) {
      announcement.value(statement);
      lines.push_back({announcement.take(), true});
    } else if (const auto values = split(statement, ',');
               echo && i + 1 == statements.size() && values.size() > 1 &&
               std::ranges::any_of(values, [&](std::string_view one) { return announcement.knows(one); })) {
      // "a, b" is shown as a tuple.
      for (std::size_t k = 0; k < values.size(); ++k) {
        announcement.words(k == 0 ? "(" : ", ");
        announcement.value(values[k]);
      }
      announcement.words(")");
      lines.push_back({announcement.take(), true});
    } else {
      assign(statement, held);
    }
  }
  return lines;
}

}  // namespace envdoctor

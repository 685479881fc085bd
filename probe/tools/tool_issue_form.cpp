// Issue forms in which projects ask a reporter for versions: "### TensorFlow version" with the answer below it, or
// "- **OS Platform and Distribution**: Windows 10" in one line.
#include <re2/re2.h>

#include "knowledge/lazy_regex.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"
#include "probe/text_piece.h"

namespace envdoctor {
namespace {

constexpr std::size_t longest_answer = 160;

struct FormQuestion {
  const RE2& form;  // of the whole question
  void (*answer)(Snapshot&, const std::string& text);
};

// The last number with a point: TensorFlow's version text begins with its git description.
std::string version_in(const std::string& text) {
  static const LazyRegex form(R"((\d{1,2}(?:\.\d{1,3}){1,2}(?:(?:a|b|rc|\.dev)\d+)?(?:\+[a-z]+\d*)?))", RE2::Latin1);
  re2::StringPiece rest(text);
  std::string found, last;
  while (RE2::FindAndConsume(&rest, form, &found)) last = found;
  return last;
}

// Fills the version of a framework unless an earlier question has filled it.
template <auto framework>
void framework_version(Snapshot& snapshot, const std::string& text) {
  const std::string version = version_in(text);
  if (!version.empty()) fill_once((snapshot.*framework).fill().version, version);
}

void platform(Snapshot& snapshot, const std::string& text) {
  static const LazyRegex windows(R"((?i).*\bwin(?:dows)?[ -]?(?:1[01]|[78]|server|\b).*)", RE2::Latin1);
  static const LazyRegex wsl(R"((?i).*\bwsl ?2?\b.*)", RE2::Latin1);
  static const LazyRegex linux_(R"((?i).*\b(?:linux|ubuntu|debian|centos|fedora|red ?hat|rhel|arch|mint|suse).*)",
                                RE2::Latin1);
  static const LazyRegex apple(R"((?i).*\b(?:mac ?os|os ?x|darwin)\b.*)", RE2::Latin1);
  const bool several = RE2::FullMatch(text, windows) && RE2::FullMatch(text, linux_);
  if (several || RE2::FullMatch(text, wsl)) return;  // it doesn't say which side is meant
  Text& into = snapshot.host.fill().platform;
  if (RE2::FullMatch(text, windows)) fill_once(into, "windows");
  if (RE2::FullMatch(text, apple)) fill_once(into, "macos");
  if (RE2::FullMatch(text, linux_)) fill_once(into, "linux");
}

const std::vector<FormQuestion>& form_questions() {
  static const LazyRegex tensorflow(R"((?i)(?:tensorflow|tensorflow-gpu|tf) version(?: \(use command below\))?)",
                                    RE2::Latin1);
  static const LazyRegex torch(R"((?i)(?:pytorch|torch) version)", RE2::Latin1);
  static const LazyRegex system(
      R"((?i)(?:os|operating system|os version|os platform(?: and distribution)?)(?: \((?:e\.g|if)[^)]{0,60}\))?)",
      RE2::Latin1);
  static const std::vector<FormQuestion> all = {{tensorflow, framework_version<&Snapshot::tensorflow>},
                                                {torch, framework_version<&Snapshot::torch>},
                                                {system, platform}};
  return all;
}

const FormQuestion* form_question(std::string_view text) {
  for (const FormQuestion& one : form_questions()) {
    if (RE2::FullMatch(piece_of(text), one.form)) return &one;
  }
  return nullptr;
}

// Without the signs of lists, headings and bold print around it.
std::string_view plain(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t#*-|_");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t*|_:") - begin + 1);
}

}  // namespace

bool starts_issue_form(std::string_view line) {
  if (line.size() > longest_answer) return false;
  return form_question(plain(line)) || form_question(plain(line.substr(0, line.find(':'))));
}

Snapshot parse_issue_form(const std::string& text) {
  Snapshot snapshot;
  const FormQuestion* asked = nullptr;  // a heading; its answer is on a line below
  for (const std::string_view line : lines_of(text)) {
    if (trimmed(line).empty()) continue;
    const bool short_enough = line.size() <= longest_answer;
    if (asked && short_enough) asked->answer(snapshot, std::string(line));
    asked = nullptr;
    if (!short_enough) continue;
    const std::size_t colon = line.find(':');
    const std::string_view value = colon == line.npos ? std::string_view() : plain(line.substr(colon + 1));
    const FormQuestion* here = value.empty() ? nullptr : form_question(plain(line.substr(0, colon)));
    if (here) here->answer(snapshot, std::string(value));
    if (!here && line.starts_with('#')) asked = form_question(plain(line));
  }
  return snapshot;
}

}  // namespace envdoctor

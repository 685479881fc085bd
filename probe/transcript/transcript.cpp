// Prompts, code and the output between them.
#include "probe/transcript/transcript.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <memory>

#include "evidence/merge.h"
#include "knowledge/codes/names.h"
#include "knowledge/lazy_regex.h"
#include "knowledge/lower_case.h"
#include "probe/paste/paste_text.h"
#include "probe/text_piece.h"

namespace envdoctor {
namespace {

constexpr std::size_t most_awaited = 32, longest_label = 120;
constexpr int patience_of_script = 300, patience_of_expression = 3;

// Like contains(), but faster on the many lines without such a word.
bool has(std::string_view text, std::string_view word) {
  return memmem(text.data(), text.size(), word.data(), word.size()) != nullptr;
}

// Whether a whole text has this form; faster than capturing groups, which few texts need.
bool has_form(std::string_view text, const RE2& form) { return RE2::FullMatch(piece_of(text), form); }

// "In [3]: ", "Out[3]: ", "   ...: ": how long it is.
std::size_t numbered_prompt(std::string_view line, std::string_view start) {
  if (!line.starts_with(start)) return 0;
  const std::size_t end = line.find_first_not_of("0123456789 ", start.size());
  if (end == line.npos || !line.substr(end).starts_with("]:")) return 0;
  return std::min(line.size(), end + 3);
}

struct LabelForm {
  const char* form;                     // its group captures the value
  const char* question;                 // empty: it depends on the framework; see below
  std::array<const char*, 7> starts{};  // one of which it begins with, behind signs
};

// Labels that programs print before the results of well-known queries.
constexpr LabelForm label_forms[] = {
    {R"((?i)\W*(?:is )?(?:(?:py)?torch(?:'s)?[ ._]?)?cuda(?:[ _.]is)?[ _])"
     R"((?:available|availability|enabled|detected|usable)(?:\(\))?(?: (?:in|for|to) )"
     R"((?:py)?torch)?(?: \([^)]{0,30}\))?(?:\W*[?:=>|-]\W*| +)(true|false|yes|no)\b\W*)",
     "torch.cuda.is_available()",
     {"is ", "torch", "pytorch", "cuda"}},
    {R"((?i)\W*(?:py)?torch(?:[ ._-]?version)?(?:\W*[:=|]\W*| +)v?(\d+\.\d+\.\d+[\w.+]*)\W*)",
     "torch.__version__",
     {"torch", "pytorch"}},
    {R"((?i)\W*(?:(?:py)?torch|built with)[ ._-]?(?:built (?:with|for) )?cuda(?:[ _-]?version)?)"
     R"((?:\W*[:=|]\W*)(None|\d+\.\d+)\W*)",
     "torch.version.cuda",
     {"torch", "pytorch", "built with"}},
    {R"((?i)\W*(?:tensorflow|tf)(?:[ _-]?version)?(?:\W*[:=|]\W*| +)v?(\d+\.\d+\.\d+[\w.+-]*)\W*)",
     "tf.__version__",
     {"tensorflow", "tf"}},
    {R"((?i)\W*keras[ _-]?version(?:\W*[:=|]\W*| +)v?(\d+\.\d+\.\d+[\w.+-]*)\W*)", "keras.__version__", {"keras"}},
    {R"((?i)\W*jax[ _-]?version(?:\W*[:=|]\W*| +)v?(\d+\.\d+\.\d+[\w.+-]*)\W*)", "jax.__version__", {"jax"}},
    {R"((?i)\W*jaxlib[ _-]?version(?:\W*[:=|]\W*| +)v?(\d+\.\d+\.\d+[\w.+-]*)\W*)", "jaxlib.__version__", {"jaxlib"}},
    {R"((?i)\W*(?:tensorflow|tf)?\W*(?:is )?built[ _]with[ _]cuda(?:\(\))?(?:\W*[?:=|]\W*| +)(true|false)\b\W*)",
     "tf.test.is_built_with_cuda()",
     {"tensorflow", "tf", "is ", "built"}},
    {R"((?i)\W*(?:num(?:ber)?[ _.]*(?:of )?)?cuda[ _]devices?(?:[ _])"
     R"((?:count|available|detected|found|visible))?\W*[:=]\W*(\d{1,3})\W*)",
     "torch.cuda.device_count()",
     {"num", "cuda"}},
    {R"((?i)\W*(?:(?:num(?:ber)?[ _.]*(?:of )?|total |# ?))"
     R"((?:available |visible |detected |physical )?gpus?(?:[ _])"
     R"((?:count|available|detected|found|visible))?|gpus?[ _](?:count|detected|found|visible)|)"
     R"((?:available|visible|detected|physical) gpus?(?: count)?)\W*[:=]\W*(\d{1,3})\b\W*)",
     "",
     {"num", "total", "available", "visible", "detected", "physical", "gpu"}},
    {R"((?i)\W*(?:(?:list of |available |visible |detected |physical )?gpus?)"
     R"((?: devices?| list| available| found| detected)?|physical devices)\W*[:=]\s*(\[\])\W*)",
     "",
     {"list of", "available", "visible", "detected", "physical", "gpu"}},
    {R"((?i)\W*(?:is )?gpus?(?:[ _]is)?[ _](?:available|availability|detected))"
     R"((?:\W*[?:=|]\W*| +)(true|false|yes|no)\b\W*)",
     "",
     {"is ", "gpu"}},
};

// The number of the first form that a line has, and the value in it. A form is compiled when a line first begins as it
// does, behind signs.
std::optional<std::pair<std::size_t, std::string_view>> labelled_value(std::string_view text) {
  static std::array<std::unique_ptr<RE2>, std::size(label_forms)> compiled;
  const auto first = std::ranges::find_if(text, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
  const std::string words = lower_case(text.substr(static_cast<std::size_t>(first - text.begin())));
  for (std::size_t i = 0; i < compiled.size(); ++i) {
    const auto begins = [&](const char* start) { return start != nullptr && words.starts_with(start); };
    if (std::ranges::none_of(label_forms[i].starts, begins)) continue;
    if (!compiled[i]) compiled[i] = std::make_unique<RE2>(label_forms[i].form, RE2::Latin1);
    re2::StringPiece value;
    if (RE2::FullMatch(piece_of(text), *compiled[i], &value))
      return std::pair(i, std::string_view(value.data(), value.size()));
  }
  return std::nullopt;
}

bool of_variable(char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

// "Environment=A=1 B=2" of systemctl show: what a service was started with.
constexpr std::string_view of_service = "Environment=";

// Whether a relevant variable's name stands before the first equals sign.
bool may_set_variable(std::string_view line) {
  if (line.starts_with(of_service)) return true;
  const auto* sign = static_cast<const char*>(memchr(line.data(), '=', std::min<std::size_t>(line.size(), 128)));
  if (!sign) return false;
  auto end = static_cast<std::size_t>(sign - line.data());
  while (end > 0 && line[end - 1] == ' ') --end;
  std::size_t begin = end;
  while (begin > 0 && of_variable(line[begin - 1])) --begin;
  return end - begin > 3 && line[begin] >= 'A' && line[begin] <= 'Z' &&
         knowledge::env_allowed(line.substr(begin, end - begin));
}

// Whether this text may contain a query.
bool may_ask(std::string_view text) {
  return text.find('.') != text.npos && (text.find('(') != text.npos || has(text, "version"));
}

constexpr std::size_t longest_prompt = 200;  // bounds in the patterns would be written out when they are compiled

// "(env) me@host:~$ ", "[me@host dir]# ".
std::size_t prompt_with_host(std::string_view head) {
  static const LazyRegex form(R"((?:\([\w.-]+\) ?){0,2}(?:[\w.-]+@[\w.-]+(?:[: ][^$#%>]*)?[$#%>] ?)"
                              R"(|\[[\w.-]+@[\w.-]+ [^\]]+\][$#] ?))",
                              RE2::Latin1);
  return match_length(form, head.substr(0, longest_prompt));
}

std::size_t prompt_of_windows(std::string_view head) {
  static const LazyRegex form(R"((?:\([\w.-]+\) ?)?(?:PS [A-Z]:[^>]*> ?|[A-Z]:\\[^>]*> ?))", RE2::Latin1);
  return match_length(form, head.substr(0, longest_prompt));
}

std::size_t short_prompt(std::string_view head) {
  static const LazyRegex form(R"(!|(?:\([\w.-]+\) ?)?(?:[$%#] |~[$#] |(?:ba)?sh-\d\.\d[$#] ?))", RE2::Latin1);
  return match_length(form, head);
}

std::size_t prompt_of_builder(std::string_view head) {
  static const LazyRegex form(R"((?:#\d+ )?(?:\[[^\]]{1,20}\] |Step \d+/\d+ : )?RUN )", RE2::Latin1);
  return match_length(form, head);
}

// Where the line goes on behind "(env) " of conda and virtualenv, or "(venv) (base) " of both.
std::string_view behind_environment(std::string_view head) {
  for (int i = 0; i < 2 && head.starts_with('('); ++i) {
    const std::size_t close = head.find(')');
    if (close == head.npos) return head;
    head.remove_prefix(close + 1);
    if (head.starts_with(' ')) head.remove_prefix(1);
  }
  return head;
}

// What the one pattern of all prompts would take; one of them alone is compiled where the line begins as it does.
std::size_t known_prompt(std::string_view head) {
  const std::string_view rest = behind_environment(head);
  if (rest.empty()) return 0;
  const std::size_t host = rest.starts_with('[') ? 1 : 0;
  const auto of_name = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '-'; };
  const auto at = std::find_if_not(rest.begin() + static_cast<std::ptrdiff_t>(host), rest.end(), of_name);
  if (at != rest.end() && *at == '@') {
    if (const std::size_t length = prompt_with_host(head)) return length;
  }
  static const LazyRegex of_nix(R"((\[[\w.-]+:[^\]\n]*\][$#] ?))", RE2::Latin1);
  re2::StringPiece prompt;
  if (host == 1 && at != rest.end() && *at == ':' &&
      of_nix->Match(piece_of(head), 0, head.size(), RE2::ANCHOR_START, &prompt, 1))
    return prompt.size();
  if (rest[0] == '$' || rest[0] == '%' || rest[0] == '#' || rest[0] == '~' || rest.starts_with("sh-") ||
      rest.starts_with("bash-") || head[0] == '!') {
    if (const std::size_t length = short_prompt(head)) return length;
  }
  if (rest.starts_with("PS ") || (rest.size() > 1 && rest[1] == ':')) {
    if (const std::size_t length = prompt_of_windows(head)) return length;
  }
  return has(head, "RUN ") ? prompt_of_builder(head) : 0;
}

}  // namespace

std::size_t shell_prompt(std::string_view line) {
  const std::string_view head = line.substr(0, 300);
  if (const std::size_t length = known_prompt(head)) return length;
  // "$pip list": without the space only before a known command, as "$NAME" is a variable.
  if (!head.starts_with('$')) return 0;
  static const LazyRegex command(
      R"(\$(?:python[\d.]*|pip3?|conda|nvcc|nvidia-smi|rocminfo|clinfo|lspci|lsmod|uname|ls|cat|docker|sudo|dpkg|echo) )",
      RE2::Latin1);
  const std::string words = std::string(head) + ' ';
  return command->Match(words, 0, words.size(), RE2::ANCHOR_START, nullptr, 0) ? 1 : 0;
}

std::size_t python_prompt(std::string_view line) {
  return line.starts_with(">>>") ? std::min<std::size_t>(line.size(), 4) : numbered_prompt(line, "In [");
}

Transcript::Prompt Transcript::cut_prompt(std::string_view& line) {
  const std::string_view text = line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
  const auto cut = [&](std::size_t length, Prompt prompt) {
    line = text.substr(std::min(length, text.size()));
    return prompt;
  };
  if (const std::size_t python = python_prompt(text)) return cut(python, Prompt::python);
  if (text.starts_with("julia> ")) return cut(7, Prompt::python);
  if (text.starts_with("... ") || text.starts_with("...: ")) return cut(text.find(' ') + 1, Prompt::more);
  if (const auto out = numbered_prompt(text, "Out[")) return cut(out, Prompt::out);
  const bool may_be_shell = text.substr(0, 128).find_first_of("$#%>!") != text.npos || has(text, "RUN ");
  if (const auto shell = may_be_shell ? shell_prompt(text) : 0) return cut(shell, Prompt::shell);
  return Prompt::none;
}

std::string Transcript::line(std::string_view line, std::int64_t number, bool hint) {
  const bool code_of_frame = frame_;
  const std::size_t first = std::min(line.find_first_not_of(" \t"), line.size());
  frame_ = line.substr(first).starts_with("File \"");
  const bool sets = may_set_variable(line);
  constexpr std::size_t longest = 2048;
  if ((!hint && !sets && awaited_.empty() && !names_asked_) || line.size() > longest) return {};
  number_ = number;
  said_.clear();
  torch_ = torch_ || has(line, "torch");
  tensorflow_ = tensorflow_ || has(line, "tensorflow") || has(line, "tf.");
  std::string_view text = line;
  const Prompt prompt = cut_prompt(text);
  if (prompt == Prompt::shell && !has(text, "py")) names_asked_ = false;
  if (has(text, "get_device_name(") || has(text, "get_device_properties("))
    names_asked_ = has(text, "(i") || has(text, " for ");
  // The output of a prompt's line comes before the next prompt.
  if (prompt == Prompt::python || prompt == Prompt::shell)
    std::erase_if(awaited_, [](const Awaited& one) { return one.at_prompt; });
  text = trimmed(text);
  // "[1] 28711", "[1]+ Done": what the shell says of a job in the background answers nothing.
  static const LazyRegex of_job(R"(\[\d+\](?: \d+|[+-]? .*))", RE2::Latin1);
  const bool job =
      prompt == Prompt::none && text.size() > 3 && text[0] == '[' && RE2::FullMatch(piece_of(text), of_job);
  if (job || text.empty() || code_of_frame || frame_ || (line[first] == '#' && output(text))) return std::move(said_);
  if (sets || (hint && has(text, "environ")) || has(text, "-e ")) variables(text, prompt);
  if (names_asked_ && prompt != Prompt::shell && prompt != Prompt::python && numbered_names(text))
    return std::move(said_);
  if (prompt == Prompt::out) {
    if (!output(text)) speaks_for_itself(text);
  } else if (!(hint && answers_itself(text))) {
    if (prompt != Prompt::none || text.starts_with("print") ||
        (hint && !output(text) && !label(text) && !speaks_for_itself(text)))
      code(text, prompt);
    else if (!hint)
      output(text);
  }
  return std::move(said_);
}

// One line of code: at a prompt, after python -c, or from a script.
void Transcript::code(std::string_view text, Prompt prompt) {
  const bool echoes = prompt == Prompt::none && (text.starts_with("echo $") || text.starts_with("printenv "));
  if (prompt == Prompt::none && !echoes && !text.starts_with("print") && !has(text, " -c ") && !may_ask(text)) return;
  if (const std::size_t at = text.find(" -c "); at != text.npos && has(text.substr(0, at), "py")) {
    std::string_view program = trimmed(text.substr(at + 4));
    if (program.empty() || (program[0] != '"' && program[0] != '\'')) return;
    const std::size_t end = program.rfind(program[0]);
    if (end == 0) return;
    HeldAnswers held;
    return await(announced_by(program.substr(1, end - 1), false, held), prompt == Prompt::shell);
  }
  if (prompt == Prompt::shell || echoes) {
    // People put words or brackets around a variable that may be empty: echo "visible: [$CUDA_VISIBLE_DEVICES]".
    static const LazyRegex echo(
        R"re(echo "?([^$%"|;&>]{0,60})(?:\$\{?(\w+)\}?|%(\w+)%|\$env:(\w+))([^$%"|;&>]{0,20})"?|printenv (\w+))re",
        RE2::Latin1);
    // "echo $ROCR_VISIBLE_DEVICES $HIP_VISIBLE_DEVICES"
    static const LazyRegex several(R"re(echo "?(\$\{?\w+\}?(?: \$\{?\w+\}?){1,4})"?)re", RE2::Latin1);
    if (std::string all; has_form(text, several) && RE2::FullMatch(piece_of(text), several, &all)) {
      AnnouncedLine values;
      for (std::string_view one : words_of(all)) {
        if (!values.parts.empty()) values.parts.push_back({.words = " "});
        one = one.substr(one.find_first_not_of("${"));
        values.parts.push_back(
            {.question = question_of("os.environ['" + std::string(one.substr(0, one.find('}'))) + "']")});
      }
      return await({std::move(values)}, true);
    }
    std::string before, a, b, c, behind, d;
    if (!has_form(text, echo) || !RE2::FullMatch(piece_of(text), echo, &before, &a, &b, &c, &behind, &d)) return;
    AnnouncedLine value;
    if (!before.empty()) value.parts.push_back({.words = before});
    value.parts.push_back({.question = question_of("os.environ['" + a + b + c + d + "']")});
    if (!behind.empty()) value.parts.push_back({.words = behind});
    return await({std::move(value)}, true);
  }
  const bool at_prompt = prompt == Prompt::python || prompt == Prompt::more;
  // Julia's name of the environment.
  std::string name;
  static const LazyRegex julia(R"re(ENV\["(\w+)"\])re", RE2::Latin1);
  if (at_prompt && text.starts_with("ENV[") && RE2::FullMatch(piece_of(text), julia, &name))
    return await(announced_by("os.environ['" + name + "']", true, held_), at_prompt);
  await(announced_by(text, true, held_), at_prompt);
}

void Transcript::await(std::vector<AnnouncedLine> lines, bool at_prompt) {
  for (AnnouncedLine& line : lines) {
    // An unknown part counts only between known ones.
    if (!line.asks() && awaited_.empty()) continue;
    if (awaited_.size() == most_awaited) return;
    const bool soon = line.echoed && !at_prompt;
    const bool labelled = line.labelled();
    awaited_.push_back({std::move(line), labelled, at_prompt, soon ? patience_of_expression : patience_of_script});
  }
}

// A list of devices, whose format shows which framework printed it.
bool Transcript::speaks_for_itself(std::string_view text) {
  if (text.empty() || text[0] != '[' || text.back() != ']') return false;
  for (const auto& [start, asked] :
       {std::pair("[PhysicalDevice(name=", "tf.config.list_physical_devices()"),
        std::pair("[CudaDevice(id=", "jax.devices()"), std::pair("[CpuDevice(id=", "jax.devices()")}) {
    if (!text.starts_with(start)) continue;
    answer(*question_of(asked), text);
    return true;
  }
  return false;
}

// Whether a query may stand at its start, behind a list's marks: a name with a dot inside, or one of a call.
bool begins_with_query(std::string_view text) {
  const auto of_name = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '.'; };
  const std::size_t begin = text.find_first_not_of("-*0123456789.`( ");
  if (begin == text.npos) return false;
  const auto end = std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(begin), text.end(), of_name);
  const std::string_view name = text.substr(begin, static_cast<std::size_t>(end - text.begin()) - begin);
  return (end != text.end() && *end == '(') || name.substr(0, name.find_last_not_of('.') + 1).find('.') != name.npos;
}

// "[(0, 'NVIDIA A40'), (1, 'NVIDIA T4')]", "['NVIDIA A40', 'NVIDIA T4']", "0 NVIDIA A40": what a program prints that
// asks for the name of each device.
bool Transcript::numbered_names(std::string_view text) {
  static const LazyRegex entry(
      R"(\(?(?:(\d{1,2}), ?)?['"]((?:NVIDIA|Tesla|GeForce|Quadro|TITAN|RTX|GTX)[\w ()./-]{1,60})['"]\)?(?:, |\]))",
      RE2::Latin1);
  static const LazyRegex row(
      R"((?:(?:cuda|gpu|device)[: ] ?)?(\d{1,2})(?: ?[:=-] ?| )['"]?((?:NVIDIA|Tesla|GeForce|Quadro|TITAN|RTX|GTX)[\w ()./-]{1,60}?)['"]?)",
      RE2::Latin1);
  std::vector<std::pair<std::string, std::string>> names;
  std::string number, name;
  if (text.starts_with('[')) {
    re2::StringPiece rest = piece_of(text.substr(1));
    constexpr std::size_t most = 16;
    while (names.size() < most && RE2::Consume(&rest, entry, &number, &name))
      names.emplace_back(number.empty() ? std::to_string(names.size()) : number, name);
    if (!rest.empty() || names.empty()) return false;
  } else if (RE2::FullMatch(piece_of(text), row, &number, &name)) {
    names.emplace_back(number, name);
  }
  // The first one is said last, as a line says one thing.
  for (auto one = names.rbegin(); one != names.rend(); ++one)
    answer(*question_of("torch.cuda.get_device_name(" + one->first + ")"), one->second);
  return !names.empty();
}

// "torch.cuda.is_available()  # False", "torch.cuda.is_available() -> False".
bool Transcript::answers_itself(std::string_view text) {
  constexpr std::size_t longest = 300, longest_name = 61, longest_arguments = 60, longest_value = 200;
  if (text.size() > longest || !may_ask(text) || !begins_with_query(text)) return false;
  static const auto form_of = [](const char* name, const char* arguments, const char* value) {
    return std::string(R"([-*\d.`( ]{0,6}(?:print\()?([A-Za-z_][\w.])") + name + R"((?:\([^()])" + arguments +
           R"(\))?)\)?[`"']{0,3} ?)"
           R"((?: *)"
           R"((?:#|=>|->|→|:|=|\||#\s*=>|returns?|is|gives|outputs|prints|shows)\s*[:>]? *| +)"
           R"(|\t)[`"']{0,3}(.)" +
           value + R"()[`"'.,;]{0,3})";
  };
  static const LazyRegex form(form_of("{3,60}", "{0,60}", "{1,200}?"), RE2::Latin1);
  // Without the upper bounds, which take RE2's slowest way to capture groups and longest to compile. A match that keeps
  // them is the same one: what either expression prefers to it does not match.
  static const LazyRegex unbounded(form_of("{3,}", "*", "+?"), RE2::Latin1);
  re2::StringPiece expression, value;
  if (!has_form(text, unbounded) || !RE2::FullMatch(piece_of(text), unbounded, &expression, &value)) return false;
  const std::size_t name = std::min(expression.find('('), expression.size());
  const bool in_bounds =
      name <= longest_name && expression.size() - name <= longest_arguments + 2 && value.size() <= longest_value;
  if (!in_bounds && !RE2::FullMatch(piece_of(text), form, &expression, &value)) return false;
  const auto question = question_of({expression.data(), expression.size()});
  if (!question || question->call->form == ValueForm::words) return false;
  const std::string_view stated(value.data(), value.size());
  if (!may_answer(*question, stated)) return false;
  answer(*question, stated);
  return true;
}

// Whether a logger's prefix may begin here, behind a sign: a year, or a level.
bool may_begin_with_level(std::string_view text) {
  const auto begins = [](std::string_view rest) {
    return (!rest.empty() && rest[0] >= '0' && rest[0] <= '9') || rest.starts_with("INFO") ||
           rest.starts_with("WARNING") || rest.starts_with("DEBUG") || rest.starts_with("ERROR") ||
           rest.starts_with("info");
  };
  return begins(text) || (!text.empty() && begins(text.substr(1)));
}

// "CUDA available: False", "Number of GPUs: 0"
bool Transcript::label(std::string_view text) {
  if (text.size() > longest_label) return false;
  auto found = labelled_value(text);
  if (!found) {
    // The prefixes of loggers.
    static const LazyRegex head(
        R"(\W?(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[\d.,:+Z]*|(?:INFO|WARNING|DEBUG|ERROR|info)\b)[\])]?)"
        R"((?: \d\d-\d\d(?: \d\d:\d\d:\d\d)?)?(?:[ :|-]+(?:INFO|WARNING|DEBUG|ERROR|info)\b)?)"
        R"((?:[ :|-]*[\[(]?[\w./]+(?::\w+)*[\])]? *[-:|\]])?[ :|\])-]*)",
        RE2::Latin1);
    re2::StringPiece rest = piece_of(text);
    if (may_begin_with_level(text) && RE2::Consume(&rest, head)) found = labelled_value({rest.data(), rest.size()});
  }
  if (!found) return false;
  const auto& [form, value] = *found;
  if (*label_forms[form].question) {
    answer(*question_of(label_forms[form].question), value);
  } else if (torch_ != tensorflow_) {
    const bool yes_or_no = std::isalpha(static_cast<unsigned char>(value[0])) != 0;
    const char* of_torch = yes_or_no ? "torch.cuda.is_available()" : "torch.cuda.device_count()";
    const char* of_tensorflow = yes_or_no ? "tf.test.is_gpu_available()" : "tf.config.list_physical_devices('GPU')";
    answer(*question_of(torch_ ? of_torch : of_tensorflow), value == "[]" && torch_ ? "0" : value);
  }
  return true;
}

// A line that an earlier one announced.
bool Transcript::output(std::string_view text) {
  if (awaited_.empty()) return false;
  // A list may be printed over several lines.
  if (!list_.empty() || (awaited_[0].line.asks_for_list() && text[0] == '[' && text.back() != ']')) {
    constexpr std::size_t longest_list = 8192;
    list_.append(text).push_back(' ');
    if (text.back() != ']' && list_.size() < longest_list) return true;
    const std::string whole = std::exchange(list_, {});
    text = trimmed(whole);
    return output_line(text);
  }
  return output_line(text);
}

bool Transcript::output_line(std::string_view text) {
  for (std::size_t i = 0; i < awaited_.size(); ++i) {
    if ((i > 0 && !awaited_[i].labelled) || !awaited_[i].line.may_be(text)) continue;
    const auto answers = awaited_[i].line.answers_in(text);
    if (!answers) continue;
    for (const auto& [question, value] : *answers) answer(question, value);
    awaited_.erase(awaited_.begin(), awaited_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    return true;
  }
  if (awaited_[0].line.asks_for_version()) {
    // "version in the notebook: 2.4.0 (2.9 expected)", where a person quotes the output.
    static const LazyRegex stated(
        R"re((?i)[^:=]{0,60}\bversion\b[^:=]{0,60}[:=] *["']?v?(\d+\.\d+\.\d+[\w.+-]*)["']?(?: .*)?)re", RE2::Latin1);
    re2::StringPiece value;
    if (has_form(text, stated) && RE2::FullMatch(piece_of(text), stated, &value)) {
      answer(*awaited_[0].line.parts[0].question, {value.data(), value.size()});
      awaited_.pop_front();
      return true;
    }
  }
  for (Awaited& one : awaited_) --one.patience;
  std::erase_if(awaited_, [](const Awaited& one) { return one.patience <= 0; });
  return false;
}

void Transcript::answer(const Question& question, std::string_view value) {
  Answered answered;
  take_answer(question, value, answered);
  for (auto& [name, set] : answered.snapshot.env.or_empty()) variable(name, set.or_empty(), true);
  answered.snapshot.env = {};
  if (!answered.devices.empty() && devices_line_ == 0) devices_line_ = number_;
  for (auto& [ordinal, device] : answered.devices) {
    constexpr std::size_t most_devices = 64;
    if (devices_.size() == most_devices && !devices_.contains(ordinal)) continue;
    NvidiaDevice& into = devices_[ordinal];
    into.index = ordinal;
    if (!into.name.get()) into.name = device.name;
    if (!into.compute_capability.get()) into.compute_capability = device.compute_capability;
  }
  // A process that may use fewer CPUs than before was bound on the way, usually by a library that it loaded.
  const std::int64_t cpus = answered.snapshot.cpu.or_empty().allowed_cpus.or_empty();
  constexpr std::int64_t one_core = 2;  // hardware threads
  if (cpus > 0 && cpus <= one_core && filled_.cpu.or_empty().allowed_cpus.or_empty() > 2 * cpus) {
    filled_.cpu.fill().allowed_cpus = cpus;
    answered.said = "CPU affinity mask has only " + std::to_string(cpus);
  }
  set_sources(answered.snapshot, "", number_);
  fill_in(filled_, answered.snapshot);
  said_ = std::move(answered.said);
}

// Variables that a line sets, for one command or from there on.
void Transcript::variables(std::string_view text, Prompt prompt) {
  constexpr std::size_t longest = 2048;
  if (text.size() > longest) return;
  re2::StringPiece rest = piece_of(text), name, value;
  if (has(text, "environ")) {
    static const LazyRegex in_python(
        R"(os\.environ(?:\[|\.setdefault\()["']([A-Z][A-Z0-9_]{3,60})["'](?:\] *=|,) *["']([^"']*)["'])", RE2::Latin1);
    while (RE2::FindAndConsume(&rest, in_python, &name, &value))
      variable({name.data(), name.size()}, {value.data(), value.size()});
    return;
  }
  if (prompt == Prompt::python || prompt == Prompt::more) return;
  if (prompt == Prompt::none && text.starts_with(of_service)) {
    static const LazyRegex of_word(R"re(\s*"?([A-Z][A-Z0-9_]{3,60})=([^\s"]*)"?)re", RE2::Latin1);
    rest.remove_prefix(of_service.size());
    while (RE2::Consume(&rest, of_word, &name, &value))
      variable({name.data(), name.size()}, {value.data(), value.size()}, true);
    return;
  }
  if (has(text, "-e ") || has(text, "--env")) {
    static const LazyRegex for_container(R"((?:^|\s)(?:-e|--env)[ =]["']?([A-Z][A-Z0-9_]{3,60})=([^\s"']*))",
                                         RE2::Latin1);
    while (RE2::FindAndConsume(&rest, for_container, &name, &value))
      variable({name.data(), name.size()}, {value.data(), value.size()});
    return;
  }
  static const LazyRegex in_shell(R"((?:export +|setx? +"?|\$env:|env +|declare -x +|%env +)"
                                  R"(|ENV +)?([A-Z][A-Z0-9_]{3,60}) ?= ?("[^"]*"|'[^']*'|[^\s;&|#\\]*)(?:;|&&|\s)*)",
                                  RE2::Latin1);
  while (RE2::Consume(&rest, in_shell, &name, &value)) {
    std::string_view set(value.data(), value.size());
    if (set.size() >= 2 && (set[0] == '"' || set[0] == '\'')) set = set.substr(1, set.size() - 2);
    variable({name.data(), name.size()}, set);
  }
}

void Transcript::variable(std::string_view name, std::string_view value, bool printed) {
  constexpr std::size_t most_variables = 128;
  // Which devices a line of a shell or a program makes visible is a symptom of its own; see visibility::Setting.
  if (!knowledge::env_allowed(name) || (!printed && name.ends_with("_VISIBLE_DEVICES"))) return;
  // The value that was there before is not known.
  std::string known(value);
  static const LazyRegex before(R"(:?\$\{?\w+\}?:?)", RE2::Latin1);
  RE2::GlobalReplace(&known, before, "");
  if (known.empty() != value.empty() || known.find_first_of("$`<{%") != known.npos) return;
  const auto found = variables_.find(name);
  if (found == variables_.end()) {
    if (variables_.size() < most_variables) variables_.emplace(name, Variable{std::move(known), number_});
  } else if (found->second.value != known) {
    found->second.differs = true;
  }
}

Snapshot Transcript::finish(const std::string& source) {
  Snapshot all = std::move(filled_);
  auto& sources = all.sources.fill();
  if (!devices_.empty() && !all.nvidia.or_empty().devices.get()) {
    auto& devices = all.nvidia.fill().devices.fill();
    for (auto& [ordinal, device] : devices_) devices.push_back(std::move(device));
    sources["/nvidia/devices"] = {.line = devices_line_};
  }
  for (const auto& [name, variable] : variables_) {
    if (variable.differs) continue;
    all.env.fill().emplace(name, variable.value);
    sources["/env/" + name] = {.line = variable.line};
  }
  for (auto& [pointer, where] : sources) where.source = source;
  if (sources.empty()) all.sources = {};
  return all;
}

}  // namespace envdoctor

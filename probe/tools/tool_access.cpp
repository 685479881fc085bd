// Who may open a node: stat and ls show its owner, group and mode, and groups or id -nG name the user's groups.
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <optional>
#include <set>

#include "knowledge/lazy_regex.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"
#include "probe/text_piece.h"
#include "probe/tools/asked_command.h"
#include "probe/tools/tool_symptom.h"
#include "probe/transcript/transcript.h"

namespace envdoctor {
namespace {

using enum SymptomClass;

constexpr std::size_t longest_format = 60;

// "rw-rw----" -> "0660".
std::string octal(std::string_view letters) {
  std::string mode = "0";
  for (std::size_t i = 0; i < 9; i += 3)
    mode += static_cast<char>('0' + (letters[i] == 'r' ? 4 : 0) + (letters[i + 1] == 'w' ? 2 : 0) +
                              (letters[i + 2] == 'x' || letters[i + 2] == 's' || letters[i + 2] == 't' ? 1 : 0));
  return mode;
}

// The expression for a line that stat -c prints, and which value each of its groups holds.
struct StatForm {
  std::string expression{}, values{};
};

StatForm form_of(std::string_view format) {
  StatForm form;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%' || i + 1 == format.size()) {
      form.expression += RE2::QuoteMeta(std::string(1, format[i]));
      continue;
    }
    form.values += format[++i];
    form.expression += "'?([^\\s']+?)'?";
  }
  return form;
}

struct Owned {
  std::string path{}, owner{}, group{}, mode{};
};

std::optional<Owned> owned(const StatForm& form, const RE2& expression, std::string_view line) {
  std::vector<std::string> values(form.values.size());
  std::vector<RE2::Arg> arguments;
  std::vector<const RE2::Arg*> pointers;
  for (std::string& value : values) arguments.emplace_back(&value);
  for (const RE2::Arg& argument : arguments) pointers.push_back(&argument);
  if (line.size() > 300 ||
      !RE2::FullMatchN(piece_of(line), expression, pointers.data(), static_cast<int>(pointers.size())))
    return std::nullopt;
  Owned found;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string& value = values[i];
    if (form.values[i] == 'n') found.path = value;
    if (form.values[i] == 'U') found.owner = value;
    if (form.values[i] == 'G') found.group = value;
    if (form.values[i] == 'a' && value.size() <= 4) found.mode = fmt::format("{:0>4}", value);
    if (form.values[i] == 'A' && value.size() == 10) found.mode = octal(std::string_view(value).substr(1));
  }
  return found.path.empty() || found.mode.empty() ? std::nullopt : std::optional(found);
}

// "stat -c '%A %U:%G %n' /dev/kfd"
void read_stat(const AskedCommand& asked, std::vector<Owned>& into) {
  static const LazyRegex command(R"(stat (?:-L )?(?:-c|--format|--printf)[ =]?["']([^"']+?)(?:\\n)?["'] /dev/.*)",
                                 RE2::Latin1);
  std::string format;
  if (!asked.typed.starts_with("stat ") || !RE2::FullMatch(piece_of(asked.typed), command, &format) ||
      format.size() > longest_format)
    return;
  const StatForm form = form_of(format);
  const RE2 expression(form.expression, RE2::Latin1);
  for (const std::string_view line : asked.answers) {
    if (into.size() >= 64) return;
    if (auto one = owned(form, expression, line)) into.push_back(std::move(*one));
  }
}

// The groups that groups or id -nG prints of the user at the prompt.
std::optional<std::set<std::string, std::less<>>> groups_of(const AskedCommand& asked) {
  static const LazyRegex command(R"((?:groups|id -(?:nG|Gn)|id --groups --name)(?: \$USER| \$\(whoami\)|)"
                                 R"( [a-z_][\w-]*)?)",
                                 RE2::Latin1);
  static const LazyRegex names(R"((?:[a-z_][\w.-]* : )?([a-z_][\w.-]*(?: [a-z_][\w.-]*)*))", RE2::Latin1);
  std::string list;
  if (asked.sudo || asked.answers.size() != 1 || !RE2::FullMatch(piece_of(asked.typed), command) ||
      !RE2::FullMatch(piece_of(asked.answers.front()), names, &list))
    return std::nullopt;
  std::set<std::string, std::less<>> groups;
  for (const std::string_view name : words_of(list)) groups.emplace(name);
  return groups.contains("root") ? std::nullopt : std::optional(groups);
}

// An access list, which neither stat nor ls shows, is marked by a plus sign.
bool has_access_list(const std::string& text, const std::string& path) {
  return std::ranges::any_of(lines_of(text), [&](std::string_view line) {
    return line.size() > 10 && line[0] == 'c' && line[10] == '+' && trimmed(line).ends_with(path);
  });
}

void judge_nodes(const std::string& text, const std::vector<Owned>& stated,
                 const std::set<std::string, std::less<>>& groups, Snapshot& snapshot) {
  std::vector<DeviceNode> nodes = parse_device_nodes(text).device_nodes.or_empty();
  for (const Owned& one : stated) {
    if (one.path == "/dev/kfd" || one.path.starts_with("/dev/dri/") || one.path.starts_with("/dev/nvidia"))
      nodes.push_back({.path = one.path, .owner = one.owner, .group = one.group, .mode = one.mode});
  }
  for (DeviceNode& node : nodes) {
    const std::string mode = node.mode.or_empty();
    if (mode.size() != 4 || !node.owner.is("root") || node.accessible.get() || !node.group.get() ||
        has_access_list(text, *node.path.get()))
      continue;
    const char digit = groups.contains(*node.group.get()) ? mode[2] : mode[3];
    if (digit == '6' || digit == '7') continue;
    node.accessible = false;
    node.error = "EACCES";
  }
  if (!nodes.empty()) snapshot.device_nodes = std::move(nodes);
}

// "drwxr-xr-x 2 root root 40 Feb 10 08:01 /dev/shm": only root may create files there.
void shared_memory(const AskedCommand& asked, const std::vector<Owned>& stated, Snapshot& snapshot) {
  static const LazyRegex row(R"(d([r-][w-][xsS-][r-][w-][xsS-][r-][w-][xtT-])\.? +\d+ root .* /dev/shm/?)",
                             RE2::Latin1);
  const auto closed = [](const std::string& mode) { return mode.size() == 4 && mode[3] != '7' && mode[3] != '3'; };
  for (const std::string_view line : asked.answers) {
    std::string letters;
    const bool listed =
        line.starts_with("d") && RE2::FullMatch(piece_of(line), row, &letters) && closed(octal(letters));
    const bool shown = std::ranges::any_of(stated, [&](const Owned& one) {
      return one.path == "/dev/shm" && closed(one.mode) && contains(line, "/dev/shm");
    });
    if (listed || shown) return void(add_symptom(snapshot, {noted, "closed-shared-memory"}, asked.row, line));
  }
}

}  // namespace

bool starts_access(std::string_view line) { return line.size() < 2000 && shell_prompt(line) > 0; }

Snapshot parse_access(const std::string& text) {
  Snapshot snapshot;
  std::vector<Owned> stated;
  std::optional<std::set<std::string, std::less<>>> groups;
  for (const AskedCommand& asked : asked_commands(text)) {
    read_stat(asked, stated);
    shared_memory(asked, stated, snapshot);
    if (!groups && !contains(asked.prompt, "#")) groups = groups_of(asked);
    if (asked.whole != "id -u" || asked.answers.size() != 1) continue;
    const auto uid = number_of(asked.answers.front());
    if (uid && *uid >= 0) snapshot.host.fill().user.fill().uid = *uid;
  }
  if (groups) judge_nodes(text, stated, *groups, snapshot);
  return snapshot;
}

}  // namespace envdoctor

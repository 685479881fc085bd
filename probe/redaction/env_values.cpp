#include "probe/redaction/env_values.h"

#include <re2/re2.h>

#include <algorithm>

#include "host/text.h"
#include "knowledge/codes/names.h"
#include "knowledge/lazy_regex.h"
#include "knowledge/lower_case.h"
#include "probe/text_piece.h"

namespace envdoctor {
namespace {

using Piece = re2::StringPiece;

constexpr std::size_t longest_value = 16384;
constexpr std::string_view withheld_name = "<name>";

bool is_one_of(const std::vector<std::string>& sorted, std::string_view word) {
  return std::ranges::binary_search(sorted, lower_case(word));
}

bool matches(std::string_view text, const RE2& form) { return RE2::FullMatch(piece_of(text), form); }

// 12, -1, 0x1f, 12.4.1, 0-3, 512MiB, 0abc
bool is_number(std::string_view text) {
  static const LazyRegex form(R"([-+v]?(?:0[xX][0-9a-fA-F]{1,16}|[0-9]{0,12}(?:[.-][0-9]{0,6}){0,4})[A-Za-z%]{0,3})",
                              RE2::Latin1);
  return text.find_first_of("0123456789") != text.npos && matches(text, form);
}

bool is_known_word(const knowledge::EnvValues& values, std::string_view word) {
  static const LazyRegex uuid("(?:MIG-)?(?:GPU|MIG)-[0-9a-f]{1,8}|[0-9a-f]{8}", RE2::Latin1);
  static const LazyRegex interface(
      R"((?:lo|eth|ib|bond|ens|eno|br|wlan|hsn|mlx[45]_|docker)\d{0,3}|enp\d{1,3}s\d{1,3}(?:f\d)?(?:np\d)?)",
      RE2::Latin1);
  static const LazyRegex flag("--(?:tf_)?xla_[a-z0-9_]{2,64}", RE2::Latin1);
  static const LazyRegex plain("[a-z]{1,12}|[A-Z]{1,12}|[A-Z][a-z]{1,11}", RE2::Latin1);
  return word.empty() || is_number(word) || is_one_of(values.words, word) || is_one_of(knowledge::env_words(), word) ||
         matches(word, uuid) || matches(word, interface) || matches(word, flag) ||
         (values.any_word && matches(word, plain));
}

// A name whose letters all belong to known words, such as cuda-12.4, libcudart.so.12 or x86_64-linux-gnu; below a
// system folder also to short words. A name that was removed before stays removed.
bool is_known_name(std::string_view name, bool of_system) {
  static const LazyRegex marks(R"(\$HOME|~|\$?\{?ORIGIN\}?|<[a-z]{2,6}>(?:\.[a-z]{2,4})?)", RE2::Latin1);
  static const LazyRegex letters("([A-Za-z]+|[^A-Za-z0-9._+@-])", RE2::Latin1);
  static const LazyRegex short_words("[A-Za-z]{0,16}[0-9]{0,6}[a-z]{0,2}[0-9]{0,2}", RE2::Latin1);
  if (matches(name, marks) || is_one_of(knowledge::env_words(), name)) return true;
  if (name.size() > 48) return false;
  while (!name.empty()) {
    const auto end = std::min(name.find_first_of("-_.+@"), name.size());
    const std::string_view part = name.substr(0, end);
    name.remove_prefix(std::min(end + 1, name.size()));
    if (of_system ? matches(part, short_words) : part.empty() || is_one_of(knowledge::env_words(), part)) continue;
    const auto digits = std::min(part.find_first_of("0123456789"), part.size());
    const std::string_view word = part.substr(0, digits), rest = part.substr(digits);
    static const LazyRegex number("[0-9]{0,4}", RE2::Latin1);
    if (!matches(rest, number) || (word != "v" && !word.empty() && !is_one_of(knowledge::env_words(), word)))
      return false;
  }
  return true;
}

bool lies_below(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

std::string known_path(std::string_view path, const std::vector<std::string>& known_paths) {
  while (path.size() > 1 && path.ends_with('/') && path[path.size() - 2] == '/') path.remove_suffix(1);
  if (std::ranges::any_of(known_paths, [path](std::string_view known) { return lies_below(known, path); }))
    return std::string(path);
  const bool of_system = std::ranges::any_of(knowledge::system_folders(),
                                             [path](std::string_view folder) { return lies_below(path, folder); });
  std::string out;
  for (std::size_t begin = 0; begin <= path.size();) {
    const auto end = std::min(path.find('/', begin), path.size());
    const std::string_view name = path.substr(begin, end - begin);
    if (begin > 0) out += '/';
    if (is_known_name(name, of_system)) {
      out += name;
    } else {
      static const LazyRegex kind(R"(.*(\.(?:icd|so|json|xml|py|txt|log))(?:\.[0-9.]{1,20})?)", RE2::Latin1);
      std::string suffix;
      RE2::FullMatch(piece_of(name), kind, &suffix);
      out.append(withheld_name).append(suffix);
    }
    begin = end + 1;
  }
  return out;
}

bool is_path(std::string_view text) {
  return text.starts_with('/') || text.starts_with('~') || text.starts_with('.') || text.starts_with("$HOME") ||
         text.starts_with("$ORIGIN") || text.starts_with("${ORIGIN}");
}

}  // namespace

std::optional<std::string> known_value(std::string_view name, std::string_view value,
                                       const std::vector<std::string>& known_paths) {
  const knowledge::EnvValues* values = knowledge::env_values(name);
  if (!values || knowledge::env_names_hosts(name) || value.size() > longest_value) return std::nullopt;
  // A variable reference that no shell expanded: visibility.empty.
  static const LazyRegex not_expanded(R"(\$\{?[A-Z][A-Z0-9_]{0,24}\}?)", RE2::Latin1);
  if (matches(value, not_expanded)) return std::string(value);
  constexpr std::string_view between = ",;:= |&<>!()[]{}\"'^*\t";
  std::string out;
  for (std::size_t begin = 0; begin <= value.size();) {
    // Parts of a path that a detector removed stand between < and >.
    const bool path = is_path(value.substr(begin));
    const auto end = std::min(value.find_first_of(path ? ":;, \t\"'=" : between, begin), value.size());
    const std::string_view word = value.substr(begin, end - begin);
    if (path || (values->paths && !is_known_word(*values, word))) {
      out += known_path(word, known_paths);
    } else if (std::ranges::all_of(pieces(word, '/'), [&](auto piece) { return is_known_word(*values, piece); })) {
      out += word;  // nvidia.com/gpu, MIG-GPU-…/1/0
    } else {
      return std::nullopt;
    }
    if (end < value.size()) out += value[end];
    begin = end + 1;
  }
  static const LazyRegex taken("<(?:ip|mac|email|secret|serial|user|host)>", RE2::Latin1);
  return values->paths || !RE2::PartialMatch(out, taken) ? std::optional(out) : std::nullopt;
}

}  // namespace envdoctor

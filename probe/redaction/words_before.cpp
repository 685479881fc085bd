#include "probe/redaction/words_before.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "knowledge/lower_case.h"

namespace envdoctor {
namespace words_before {
namespace {

using Words = std::span<const std::string_view>;

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r' && c != '\v'); }
bool is_of_word(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }
bool is_quote(char c) { return c == '"' || c == '\''; }
bool is_any_quote(char c) { return is_quote(c) || c == '`'; }

// Removes what the text ends in; whether there was any.
bool strip(std::string_view& text, std::string_view end) {
  if (!text.ends_with(end)) return false;
  text.remove_suffix(end.size());
  return true;
}
template <class Kind>
bool strip_one(std::string_view& text, Kind kind) {
  if (text.empty() || !kind(text.back())) return false;
  text.remove_suffix(1);
  return true;
}
template <class Kind>
bool strip_all(std::string_view& text, Kind kind) {
  const std::size_t size = text.size();
  while (strip_one(text, kind)) {
  }
  return text.size() < size;
}

std::string_view last_word(std::string_view text) {
  std::string_view before = text;
  strip_all(before, is_of_word);
  return text.substr(before.size());
}

bool is_one_of(std::string_view word, Words words) { return std::ranges::find(words, word) != words.end(); }

// One of the words, or its plural.
bool is_one_or_more_of(std::string_view word, Words words) {
  return !word.empty() &&
         (is_one_of(word, words) || (word.ends_with('s') && is_one_of(word.substr(0, word.size() - 1), words)));
}

// Ends in the words, before which another doesn't go on.
bool ends_with_words(std::string_view text, std::string_view words) {
  return strip(text, words) && (text.empty() || !is_of_word(text.back()));
}

bool is_node(std::string_view before) {
  static constexpr auto words = std::to_array<std::string_view>(
      {"node", "op", "layer", "tensor", "variable", "weight", "weights", "scope", "kernel", "module", "param",
       "parameter", "input", "output", "gradient", "function", "name"});
  if (before.ends_with("{{node ") || before.ends_with("[[")) return true;
  if (!strip_one(before, is_any_quote)) return false;
  strip(before, " ");
  strip(before, ":");
  return is_one_or_more_of(last_word(before), words);
}

bool is_product(std::string_view before) {
  static constexpr auto products = std::to_array<std::string_view>({"part", "model", "product", "fru", "board"});
  const std::size_t sign = before.find_last_of(":=");
  if (sign == before.npos) return false;
  // A word may stand between: "model: NVIDIA A100".
  std::string_view between = before.substr(sign + 1);
  between.remove_prefix(std::min(between.find_first_not_of(" \t\n\f\r"), between.size()));
  if (!between.empty() && !(strip(between, " ") && !between.empty() && last_word(between) == between)) return false;
  before = before.substr(0, sign);
  strip_all(before, is_blank);
  for (const std::string_view what : {"", "number", "name", "no", "no."}) {
    std::string_view label = before;
    if (!strip(label, what)) continue;
    if (!what.empty()) strip(label, " ");
    if (std::ranges::any_of(products, [&](std::string_view product) { return ends_with_words(label, product); }))
      return true;
  }
  return false;
}

// "import a, b, "; "cannot import name 'a' from ".
bool is_import(std::string_view before) {
  std::string_view list = before;
  if (strip(list, ", ")) {
    std::string_view rest = list;
    strip_all(rest, [](char c) { return is_of_word(c) || c == '.' || c == ',' || c == ' '; });
    if (list.substr(rest.size()).find("import ") != list.npos) return true;
  }
  strip_one(before, is_any_quote);
  if (!strip(before, " from ")) return false;
  strip_one(before, is_any_quote);
  if (!strip_all(before, is_of_word)) return false;
  strip_one(before, is_any_quote);
  return before.ends_with("cannot import name ");
}

bool is_part(std::string_view before) {
  static constexpr auto parts = std::to_array<std::string_view>(
      {"module",       "modules",   "named",     "import",    "package",      "packages", "symbol",
       "function",     "kernel",    "attribute", "argument",  "option",       "library",  "libraries",
       "op",           "operator",  "layer",     "extension", "backend",      "plugin",   "requirement",
       "distribution", "method",    "class",     "type",      "dtype",        "keyword",  "command",
       "program",      "gpu",       "device",    "arch",      "architecture", "target",   "platform",
       "codename",     "parameter", "variable",  "key",       "driver",       "def"});
  static constexpr auto commands =
      std::to_array<std::string_view>({"distribution found for", "module(s)", "pip install", "pip3 install",
                                       "apt install", "apt-get install", "conda install"});
  static constexpr auto states = std::to_array<std::string_view>({"ii", "rc", "un", "hi", "iu", "if"});  // dpkg's
  static constexpr auto ends = std::to_array<std::string_view>({"-march=", "-mtune=", "-mcpu=", "0x", "-"});
  if (std::ranges::any_of(ends, [&](std::string_view end) { return before.ends_with(end); })) return true;
  if (ends_with_words(before, "dlopen(") || is_import(before)) return true;
  const bool quoted = strip_one(before, is_any_quote);
  if (!strip_all(before, [](char c) { return c == ' '; })) return false;
  if (std::string_view name = before;
      strip(name, "name") && (name.empty() || !(is_of_word(name.back()) || name.back() == '-')))
    return true;
  if (std::string_view line = before; !quoted && line.size() >= 2 && is_one_of(line.substr(line.size() - 2), states)) {
    line.remove_suffix(2);
    if (line.empty() || line.ends_with('\n')) return true;
  }
  strip(before, ":");
  if (is_one_or_more_of(last_word(before), parts)) return true;
  std::string_view singular = before;
  strip(singular, "s");
  return std::ranges::any_of(commands, [&](std::string_view words) {
    return ends_with_words(before, words) || ends_with_words(singular, words);
  });
}

// Before a sign: "owner", "project_id", "\"user\"".
template <class Ends>
bool ends_with_label(std::string_view before, Words suffixes, Ends ends) {
  if (ends(before)) return true;
  return std::ranges::any_of(suffixes, [&](std::string_view suffix) {
    std::string_view label = before;
    if (!strip(label, suffix)) return false;
    if (ends(label)) return true;
    return strip_one(label, [](char c) { return c == '_' || c == ' ' || c == '-'; }) && ends(label);
  });
}

bool is_sign_behind_label(std::string_view before) {
  static constexpr auto labels = std::to_array<std::string_view>(
      {"user",    "login",     "owner",     "author",       "maintainer",   "submitter", "requester",   "reviewer",
       "account", "tenant",    "org",       "organization", "organisation", "customer",  "client",      "team",
       "project", "workspace", "namespace", "entity",       "experiment",   "bucket",    "database",    "cluster",
       "queue",   "host",      "hosts",     "node",         "nodes",        "nodelist",  "node list",   "server",
       "machine", "instance",  "vault",     "subscription", "group",        "endpoint",  "master_addr", "role",
       "job",     "topic",     "dataset",   "table",        "container",    "repo",      "repository"});
  static constexpr auto suffixes = std::to_array<std::string_view>({"id", "name", "s"});
  strip_all(before, [](char c) { return is_any_quote(c) || c == '[' || c == '{' || c == '('; });
  strip_all(before, is_blank);
  if (!strip(before, "=>") && !strip_one(before, [](char c) { return c == ':' || c == '='; })) return false;
  strip_all(before, is_blank);
  for (int i = 0; i < 3; ++i) strip_one(before, [](char c) { return is_quote(c) || c == ']' || c == ')'; });
  return ends_with_label(before, suffixes, [](std::string_view text) {
    return std::ranges::any_of(labels, [text](std::string_view label) { return text.ends_with(label); });
  });
}

// "owner: ", "user => {\"name\": \"".
bool is_sign(std::string_view before) {
  if (is_sign_behind_label(before)) return true;
  strip_one(before, is_quote);
  strip_all(before, is_blank);
  if (!strip(before, ":")) return false;
  strip_all(before, is_blank);
  strip_one(before, is_quote);
  if (!strip(before, "name")) return false;
  return is_sign_behind_label(before);
}

// "user \"", "for the group '".
bool is_quoted(std::string_view before) {
  static constexpr auto words = std::to_array<std::string_view>(
      {"user",       "role",         "owner",    "account", "tenant", "customer", "project", "workspace", "namespace",
       "experiment", "bucket",       "database", "cluster", "queue",  "host",     "node",    "server",    "machine",
       "vault",      "subscription", "group",    "team",    "table",  "topic",    "for",     "to"});
  if (!strip_one(before, is_any_quote)) return false;
  strip(before, " ");
  const std::string_view word = last_word(before);
  if (is_one_or_more_of(word, words)) return true;
  before.remove_suffix(word.size());
  return !word.empty() && strip(before, " ") && is_one_or_more_of(last_word(before), words);
}

bool is_word_before_name(std::string_view before) {
  static constexpr auto words =
      std::to_array<std::string_view>({"dataset", "table", "bucket", "database", "topic", "queue", "project",
                                       "experiment", "team", "tenant", "customer", "account", "vault"});
  return strip(before, " ") && is_one_of(last_word(before), words);
}

bool is_joined(std::string_view before) {
  static constexpr auto labels = std::to_array<std::string_view>(
      {"user",     "login",    "owner",     "author", "submitter",    "account",  "tenant",  "customer",
       "team",     "project",  "namespace", "entity", "bucket",       "database", "cluster", "host",
       "hostname", "nodename", "server",    "vault",  "subscription", "org"});
  static constexpr auto suffixes = std::to_array<std::string_view>({"id", "name"});
  strip_one(before, is_quote);
  if (!strip(before, "=") && !strip(before, ": ") && !strip(before, ":")) return false;
  strip_one(before, is_blank);
  strip_one(before, is_quote);
  return ends_with_label(before, suffixes, [](std::string_view text) {
    return std::ranges::any_of(labels, [text](std::string_view label) {
      std::string_view rest = text;
      return strip(rest, label) && (rest.empty() || rest.back() == '_' || !is_of_word(rest.back()));
    });
  });
}

}  // namespace
}  // namespace words_before

bool names_node(std::string_view before) { return words_before::is_node(lower_case(before)); }
bool names_a_product(std::string_view before) { return words_before::is_product(lower_case(before)); }
bool names_a_part(std::string_view before) { return words_before::is_part(lower_case(before)); }
bool stands_in_words_of_kernel(std::string_view before) {
  const std::string_view line = before.substr(before.rfind('\n') + 1);
  for (const std::string_view begin : {"DMI: ", "Hardware name: "}) {
    if (const std::size_t at = line.find(begin); at != line.npos && line.find(", BIOS", at) == line.npos) return true;
  }
  const std::size_t at = line.find("SXid (PCI:");
  const std::size_t end = at == line.npos ? at : line.find("): ", at);
  return end != line.npos && line.find_first_not_of("0123456789, ", end + 3) != line.npos;
}
bool is_labelled(std::string_view before) {
  const std::string low = lower_case(before);
  return words_before::is_sign(low) || words_before::is_quoted(low) || words_before::is_word_before_name(low);
}
bool is_joined_to_label(std::string_view before) { return words_before::is_joined(lower_case(before)); }

}  // namespace envdoctor

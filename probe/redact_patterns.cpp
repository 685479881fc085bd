#include "probe/redact_patterns.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <string_view>

#include "knowledge/lower_case.h"

namespace envdoctor {
namespace {

using Piece = re2::StringPiece;

// Every match that `keep` doesn't want becomes `by`. keep(before, match, after).
template <class Keep>
void replace_unless(std::string& text, const RE2& pattern, std::string_view by, Keep keep) {
  std::string out;
  std::size_t done = 0;
  Piece match;
  for (std::size_t at = 0; pattern.Match(text, at, text.size(), RE2::UNANCHORED, &match, 1) && !match.empty();) {
    const auto begin = static_cast<std::size_t>(match.data() - text.data());
    at = begin + match.size();
    const std::string_view all = text;
    if (keep(all.substr(0, begin), all.substr(begin, match.size()), all.substr(at))) continue;
    out.append(all.substr(done, begin - done)).append(by);
    done = at;
  }
  if (done > 0) text = out.append(text, done);
}

bool is_word(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

void redact_emails(std::string& text) {
  static const RE2 email(R"([A-Za-z0-9][A-Za-z0-9._%+-]*@[A-Za-z0-9](?:[A-Za-z0-9-]*\.)+[A-Za-z]{2,})");
  static const RE2 unit(R"(\.(?:service|scope|slice|socket|timer|mount|target)$)");  // systemd's user@1000.service
  replace_unless(text, email, "<email>", [](auto, std::string_view match, auto) {
    return RE2::PartialMatch(Piece(match.data(), match.size()), unit);
  });
}

void redact_hardware_addresses(std::string& text) {
  static const RE2 mac(R"(\b[0-9a-fA-F]{2}(?:(?::[0-9a-fA-F]{2}){5,19}|(?:-[0-9a-fA-F]{2}){5})\b)");
  replace_unless(text, mac, "<mac>", [](auto before, std::string_view match, auto after) {
    const bool date = match.find('-') != match.npos && match.find_first_of("abcdefABCDEF") == match.npos;
    const bool part = (!before.empty() && (before.back() == '-' || before.back() == ':')) ||
                      (!after.empty() && (after.front() == '-' || after.front() == ':'));
    return date || (part && match.find('-') != match.npos);
  });
  static const RE2 guid(R"(\b[0-9a-fA-F]{4}(?::[0-9a-fA-F]{4}){3}\b)");  // of an InfiniBand port
  RE2::GlobalReplace(&text, guid, "<mac>");
}

// Global, unique local and link-local ones.
void redact_ipv6(std::string& text) {
  static const RE2 ipv6(R"((?i)\b(?:[23][0-9a-f]{3}|f[cde][0-9a-f]{2})(?::[0-9a-f]{0,4}){2,7}(?:%\w+)?)");
  replace_unless(text, ipv6, "<ip>", [](auto, std::string_view match, std::string_view after) {
    std::size_t colons = 0;
    for (const char c : match) colons += c == ':' ? 1 : 0;
    return (match.find("::") == match.npos && colons != 7) || (!after.empty() && is_word(after.front()));
  });
}

// Whether four numbers with dots between are a version, or an address that every machine has.
bool is_no_address(std::string_view before, std::string_view match, std::string_view after) {
  std::array<int, 4> numbers{};
  const char* at = match.data();
  const char* const end = at + match.size();
  for (int& number : numbers) {
    const auto read = std::from_chars(at, end, number);
    if (number > 255) return true;
    at = read.ptr + (read.ptr == end ? 0 : 1);
  }
  if (numbers[0] == 0 || numbers[0] == 127 || numbers[0] == 255 || (before.empty() && after.empty())) return true;
  if (!before.empty() &&
      (is_word(before.back()) || before.back() == '.' || before.back() == '-' || before.back() == '+'))
    return true;
  const bool low = numbers[0] < 14;  // most versions are
  if (low && before.ends_with('/') && !before.ends_with("//")) return true;
  if (!after.empty() && (is_word(after.front()) || after.front() == '-' || after.front() == '+')) return true;
  if (after.size() > 1 && after.front() == '.' && after[1] >= '0' && after[1] <= '9') return true;
  const Piece told(before.data(), before.size()), rest(after.data(), after.size());
  static const RE2 address(
      R"((?i)(?://|@|\b(?:ip|ipv4|inet|addr|address|host|hostname|peer|server|worker|node|endpoint)["']?\s*[:= (]\s*)$)");
  static const RE2 port(R"(^(?::\d{2,5}|/\d{1,2})\b)");
  if (RE2::PartialMatch(told, address) || RE2::PartialMatch(rest, port)) return false;
  static const RE2 version(
      R"((?i)(?:version|release|driver|==|[a-z]=|(?:nvidia|cu|cuda|cudnn|intel)[\w-]*)["']?\s*[:= (]?\s*$)");
  return (low && numbers[0] != 10) || RE2::PartialMatch(told, version);
}

void redact_ipv4(std::string& text) {
  static const RE2 dotted(R"(\d{1,3}(?:\.\d{1,3}){3})");
  replace_unless(text, dotted, "<ip>", is_no_address);
}

bool has_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [text](std::string_view word) { return text.find(word) != text.npos; });
}

// Without one of these words a kind of secret isn't there: in most texts no pattern has to be compiled and tried.
void redact_secrets(std::string& text) {
  const std::string low = lower_case(text);
  if (has_any(low, {"token", "secret", "pass", "key", "credential", "authorization"})) {
    static const RE2 named(
        R"((?i)((?:token|secret|passw(?:or)?d|passphrase|api[_-]?key|access[_-]?key|credentials?|authorization)["']?\s*[=:]\s*["']?)(?:(?:bearer|basic)\s+)?[^\s"',;&]{6,})");
    RE2::GlobalReplace(&text, named, R"(\1<secret>)");
  }
  if (has_any(low, {"bearer"})) {
    static const RE2 bearer(R"((?i)(\bbearer\s+)[A-Za-z0-9._~+/=-]{8,})");
    RE2::GlobalReplace(&text, bearer, R"(\1<secret>)");
  }
  if (has_any(text, {"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "hf_", "xox", "AKIA", "ASIA",
                     "nvapi-", "sk-", "eyJ"})) {
    static const RE2 known(
        R"(\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|hf_[A-Za-z0-9]{20,}|xox[abprs]-[\w-]{10,}|(?:AKIA|ASIA)[0-9A-Z]{16}|nvapi-[\w-]{20,}|sk-[A-Za-z0-9_-]{20,}|eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*))");
    RE2::GlobalReplace(&text, known, "<secret>");
  }
  if (has_any(low, {"serial"})) {
    static const RE2 serial(
        R"((?i)(\bserial(?:[ _-]?(?:number|no))?\.?["']?(?:\s*[:=#]\s*|\s+(?:is\s+)?)["']?)[A-Za-z0-9-]*[0-9]{5}[A-Za-z0-9-]*)");
    RE2::GlobalReplace(&text, serial, R"(\1<serial>)");
  }
}

}  // namespace

void redact_patterns(std::string& text) {
  if (text.size() < 6) return;
  const auto has = [&](char c) { return text.find(c) != text.npos; };
  if (has('@')) redact_emails(text);
  if (has(':') || has('-')) redact_hardware_addresses(text);
  if (has(':')) redact_ipv6(text);
  if (has('.')) redact_ipv4(text);
  redact_secrets(text);
}

}  // namespace envdoctor

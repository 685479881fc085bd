#include "probe/redact.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cctype>
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

namespace {

// Accounts and hosts that images, clusters and installers name, and words that stand in every path.
constexpr std::array common_names = {
    "admin",   "amd",     "app",    "bin",     "build",    "centos", "client",   "conda",     "cuda",      "data",
    "debian",  "default", "demo",   "dev",     "docker",   "ec2",    "ec2-user", "env",       "envdoctor", "etc",
    "gitlab",  "gpu",     "guest",  "home",    "host",     "hpc",    "intel",    "jax",       "jenkins",   "jovyan",
    "jupyter", "keras",   "lab",    "lib",     "lib64",    "linux",  "local",    "localhost", "main",      "master",
    "media",   "mesa",    "mnt",    "mpi",     "node",     "nobody", "none",     "nvidia",    "oneapi",    "opencl",
    "opt",     "pocl",    "proc",   "project", "python",   "ray",    "render",   "rocm",      "root",      "run",
    "runner",  "scratch", "server", "share",   "slurm",    "spark",  "srv",      "student",   "sys",       "tensorflow",
    "test",    "tmp",     "torch",  "train",   "ubuntu",   "user",   "usr",      "vagrant",   "var",       "venv",
    "video",   "vscode",  "work",   "worker",  "workspace"};

bool tells_something(std::string_view name) {
  return name.size() >= 3 && std::ranges::find(common_names, name) == common_names.end() &&
         std::ranges::any_of(name, [](unsigned char c) { return std::isalpha(c) != 0; });
}

void note(std::vector<std::string>& names, std::string name) {
  if (tells_something(name) && std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
}

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool in_name(char c) { return in_word(c) || c == '-' || c == '.'; }

// Every `name` that stands as a word of its own; a domain behind it goes too if `with_domain`.
void replace_word(std::string& text, std::string_view name, std::string_view by, bool with_domain) {
  for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at)) {
    auto end = at + name.size();
    if ((at > 0 && in_word(text[at - 1])) || (end < text.size() && in_word(text[end]))) {
      ++at;
      continue;
    }
    while (with_domain && end + 1 < text.size() && text[end] == '.' && in_word(text[end + 1])) {
      for (++end; end < text.size() && (in_word(text[end]) || text[end] == '-');) ++end;
    }
    text.replace(at, end - at, by);
    at += by.size();
  }
}

void replace_home(std::string& text, std::string_view home) {
  for (auto at = text.find(home); at != std::string::npos; at = text.find(home, at)) {
    const auto end = at + home.size();
    const bool flag = at >= 2 && text[at - 2] == '-';  // -L/home/…, -I/home/…
    const bool begins = at == 0 || flag || !in_name(text[at - 1]);
    if (!begins || (end < text.size() && in_name(text[end]))) {
      ++at;
      continue;
    }
    text.replace(at, home.size(), "$HOME");
    at += 5;
  }
}

}  // namespace

Identity identity_of(const std::map<std::string, std::string>& env) {
  const auto value = [&env](const char* name) {
    const auto found = env.find(name);
    return found == env.end() ? std::string{} : found->second;
  };
  Identity identity{.home = value("HOME")};
  while (identity.home.size() > 1 && identity.home.ends_with('/')) identity.home.pop_back();
  if (!identity.home.starts_with('/') || identity.home.size() < 2) identity.home.clear();
  for (const char* name : {"USER", "LOGNAME", "USERNAME"}) note(identity.users, value(name));
  const std::string host = value("HOSTNAME");
  note(identity.hosts, host.substr(0, host.find('.')));
  return identity;
}

Identity identity_of(const Host& host) {
  Identity identity = identity_of(host.env);
  for (const char* file : {"/proc/sys/kernel/hostname", "/etc/hostname"}) {
    const auto name = read_line(host.files, file);
    if (name.get() != nullptr) note(identity.hosts, name.get()->substr(0, name.get()->find('.')));
  }
  return identity;
}

namespace {

void redact_once(std::string& out, const Identity& identity) {
  static const RE2 own_home(R"((^|[^A-Za-z0-9_.$/<>~-])/(?:home|Users)/[^/\s:;,"'<>\\]+)");
  static const RE2 deeper_home(R"((/(?:home|Users)/)[^/\s:;,"'<>\\]+)");
  static const RE2 windows_home(R"(([A-Za-z]:\\+Users\\+)[^\\/\s:;,"'<>]+)");
  static const RE2 named_uuid(R"(((?:GPU|MIG)-[0-9a-fA-F]{8})[0-9a-fA-F]*(?:-[0-9a-fA-F]+)*)");
  static const RE2 bare_uuid(R"(([0-9a-fA-F]{8})(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})");
  static const RE2 credentials(R"((://)(?:[^/@\s]*@)+)");
  if (!identity.home.empty()) replace_home(out, identity.home);
  if (out.find('/') != std::string::npos) {
    RE2::GlobalReplace(&out, own_home, R"(\1$HOME)");
    RE2::GlobalReplace(&out, deeper_home, R"(\1<user>)");
    RE2::GlobalReplace(&out, credentials, R"(\1)");
  }
  if (out.find('\\') != std::string::npos) RE2::GlobalReplace(&out, windows_home, R"(\1<user>)");
  if (out.find('-') != std::string::npos) {
    RE2::GlobalReplace(&out, named_uuid, R"(\1)");
    RE2::GlobalReplace(&out, bare_uuid, R"(\1)");
  }
  redact_patterns(out);
  for (const std::string& user : identity.users) replace_word(out, user, "<user>", false);
  for (const std::string& host : identity.hosts) replace_word(out, host, "<host>", true);
}

}  // namespace

std::string redact_text(std::string_view text, const Identity& identity) {
  std::string out(text);
  for (int round = 0; round < 4; ++round) {  // what is left may make another one
    const std::string before = out;
    redact_once(out, identity);
    if (out == before) break;
  }
  return out;
}

namespace {

struct Redactor {
  const Identity& identity;

  void operator()(std::string& text) const { text = redact_text(text, identity); }
  template <class T>
  requires std::is_arithmetic_v<T>
  void operator()(T&) const {}
  template <class T>
  void operator()(Reading<T>& reading) const {
    if (T* value = reading.get()) {
      (*this)(*value);
    } else if (reading.outcome() != Outcome::not_probed) {
      reading = Missing{reading.outcome(), redact_text(reading.why(), identity)};
    }
  }
  template <class T>
  void operator()(std::vector<T>& values) const {
    for (auto& value : values) (*this)(value);
  }
  template <class T>
  void operator()(std::map<std::string, T>& values) const {
    for (auto& [key, value] : values) (*this)(value);
  }
  template <Fields T>
  void operator()(T& value) const {
    T::each(value, [this](std::string_view, auto& field) { (*this)(field); });
    if constexpr (std::is_same_v<T, Symptom>) (*this)(value.details);
  }
};

}  // namespace

void redact(Snapshot& snapshot, const Identity& identity) { Redactor{identity}(snapshot); }
void redact(Watched& watched, const Identity& identity) { Redactor{identity}(watched); }

}  // namespace envdoctor

#include "probe/redact.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "probe/redact_patterns.h"

namespace envdoctor {
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
  void operator()(std::int64_t&) const {}
  void operator()(double&) const {}
  void operator()(bool&) const {}
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
    if constexpr (std::is_same_v<T, LogEvent>) (*this)(value.fields);
  }
};

}  // namespace

void redact(Snapshot& snapshot, const Identity& identity) { Redactor{identity}(snapshot); }
void redact(Watched& watched, const Identity& identity) { Redactor{identity}(watched); }

}  // namespace envdoctor

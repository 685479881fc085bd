#include "probe/redaction/public_values.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "knowledge/lazy_regex.h"
#include "knowledge/lower_case.h"
#include "probe/text_piece.h"

namespace envdoctor {

namespace {

// Accounts and hosts that images, clusters and installers name, and words that stand in every path.
constexpr std::array common_names = {"admin",   "amd",        "app",       "bin",       "build",
                                     "centos",  "client",     "conda",     "cuda",      "data",
                                     "debian",  "default",    "demo",      "dev",       "docker",
                                     "ec2",     "ec2-user",   "env",       "envdoctor", "etc",
                                     "gitlab",  "gpu",        "guest",     "home",      "host",
                                     "hpc",     "intel",      "jax",       "jenkins",   "jovyan",
                                     "jupyter", "keras",      "lab",       "lib",       "lib64",
                                     "linux",   "local",      "localhost", "main",      "master",
                                     "media",   "mesa",       "mnt",       "mpi",       "node",
                                     "nobody",  "nogroup",    "none",      "nvidia",    "nvidia-persistenced",
                                     "oneapi",  "opencl",     "opt",       "pocl",      "proc",
                                     "project", "python",     "ray",       "render",    "rocm",
                                     "root",    "run",        "runner",    "scratch",   "server",
                                     "share",   "slurm",      "spark",     "srv",       "staff",
                                     "sudo",    "users",      "wheel",     "adm",       "student",
                                     "sys",     "tensorflow", "test",      "tmp",       "torch",
                                     "train",   "ubuntu",     "user",      "usr",       "vagrant",
                                     "var",     "venv",       "video",     "vscode",    "work",
                                     "worker",  "workspace"};

}  // namespace

bool tells_something(std::string_view name) {
  return name.size() >= 3 && std::ranges::find(common_names, name) == common_names.end() &&
         std::ranges::any_of(name, [](unsigned char c) { return std::isalpha(c) != 0; });
}

bool is_public_uuid(std::string_view before, std::string_view uuid, std::string_view after) {
  // Vendors of EFI variables and kinds of partitions.
  static constexpr auto known =
      std::to_array<std::string_view>({"8be4df61-93ca-11d2-aa0d-00e098032b8c", "d719b2cb-3d3a-4596-a3bc-dad00e67656f",
                                       "605dab50-e046-4300-abb6-3dd810dd8b23", "4a67b082-0a4c-41cf-b6c7-440b29bb8c4f",
                                       "c12a7328-f81f-11d2-ba4b-00a0c93ec93b", "0fc63daf-8483-4772-8e79-3d69d8477de4",
                                       "ebd0a0a2-b9e5-4433-87c0-68b6b72699c7", "e3c9e316-0b5c-4db8-817d-f92df00215ae",
                                       "de94bba4-06d1-4d40-a16a-bfd50179d6ac", "21686148-6449-6e6f-744e-656564454649",
                                       "0657fd6d-a4ab-43c4-84e5-0933c84b4f4f", "e6d6d379-f507-44c2-a23c-238f2a3df928"});
  const std::string low = lower_case(uuid);
  const std::string_view all = low;
  const bool one_digit = std::ranges::all_of(all, [&](char c) { return c == '-' || c == all[0]; });
  if (one_digit || all.ends_with("-0000-1000-8000-00805f9b34fb") || std::ranges::find(known, all) != known.end())
    return true;
  // Of a package of Julia, as its status and a project's file write it.
  static const LazyRegex release(R"(^\] [^\w\s]{0,3} ?[A-Za-z]\w*(?:\.jl)?(?: v\d| `|\s*$))", RE2::Latin1),
      dependency(R"((?:^|\n)[A-Z]\w+ = "$)", RE2::Latin1), variable(R"(/efivars/\w+-$)", RE2::Latin1);
  return (before.ends_with('[') && RE2::PartialMatch(piece_of(after), release)) ||
         RE2::PartialMatch(piece_of(before), dependency) || RE2::PartialMatch(piece_of(before), variable);
}

bool is_documentation_address(std::string_view address) {
  const std::string low = lower_case(address);
  for (const std::string_view start : {"2001:db8:", "2001:0db8:", "3fff:0", "192.0.2.", "198.51.100.", "203.0.113."})
    if (low.starts_with(start)) return true;
  return false;
}

bool follows_fingerprint(std::string_view before) {
  constexpr std::size_t looked_at = 48;
  static const LazyRegex word(R"((?i)(?:\bsha-?(?:1|2?256|512)\b|fingerprint|thumbprint|digest)[^\n]{0,16}$)",
                              RE2::Latin1);
  return RE2::PartialMatch(piece_of(before.substr(before.size() - std::min(before.size(), looked_at))), word);
}

bool follows_integrity(std::string_view before) {
  constexpr std::size_t looked_at = 120;
  static const LazyRegex begun(R"(\bsha(?:1|256|384|512)-[A-Za-z0-9+/]*$)", RE2::Latin1);
  const std::string_view last = before.substr(before.size() - std::min(before.size(), looked_at));
  return last.find("sha") != last.npos && RE2::PartialMatch(piece_of(last), begun);
}

bool names_certificate(std::string_view before) {
  constexpr std::size_t looked_at = 120;
  static const LazyRegex begun(R"(\bcert(?:ificate)? '[^'\n]*$)", RE2::Latin1);
  const std::string_view last = before.substr(before.size() - std::min(before.size(), looked_at));
  return last.find("cert") != last.npos && RE2::PartialMatch(piece_of(last), begun);
}

bool is_checksum(std::string_view before, std::string_view after) {
  constexpr std::size_t looked_at = 160;
  std::string_view line = before.substr(before.rfind('\n') + 1);
  line = line.substr(line.size() - std::min(line.size(), looked_at));
  // Digests of passwords and keys may be turned back into them.
  static const LazyRegex of_secret(
      "(?i)pass|secret|token|cred|[^<]\\buser|login|account|\\b(?:api|ssh|private) ?key|hashcat|ntlm", RE2::Latin1);
  static const LazyRegex named(
      R"((?i)(?:(?:\b(?:(?:sha|blake)[\d-]*(?:sum)?|md5(?:sum)?|b2sum|xxh\w*|checksums?|digests?|hash(?:es)?)\b)"
      R"((?:[^\n]*[ (*/\\](?:[\w+~.-]*\.\w+|sha-?\d+|md5|file|runfile|<name>|image|wheel|archive|tarball|installer|firmware|vbios|driver|package|binary|library|model|weights|checkpoint|layer|iso)\)?|[^\n]*\b(?:expected|got|actual|computed|wanted|found))|^[\s|>]*(?:expected|got|actual)\b))"
      R"((?:\s+(?:[a-z]+|sha\d+|md5|->|=>|→)){0,3}\s*[:=]*\s*["'`]?|\b(?:sha|md)[\d-]+\s{2,}|\b(?:blake\w*|b2sum|xxh\w*)\s*[:=(]?\s*)$)",
      RE2::Latin1);
  // As sha256sum and its like print it.
  static const LazyRegex file(R"(^ [ *](?:[\w./+~-]*/)?[\w+~-][\w.+~-]*\.\w+\s*$)", RE2::Latin1);
  if (line.find_first_not_of(" \t|>") == line.npos &&
      RE2::PartialMatch(piece_of(after.substr(0, after.find('\n'))), file))
    return true;
  return RE2::PartialMatch(piece_of(line), named) && !RE2::PartialMatch(piece_of(line), of_secret);
}

bool is_counted(std::string_view before, std::string_view key, std::string_view value, std::string_view after) {
  static const LazyRegex number(R"(\d{1,7}[,;)\]|]?)", RE2::Latin1), passes("x?pass(?:es|ed)?", RE2::Latin1);
  const bool digits = !value.empty() && std::isdigit(static_cast<unsigned char>(value[0])) != 0;
  if (!digits || !RE2::FullMatch(piece_of(value), number)) return false;
  const std::string name = lower_case(key), line = lower_case(before.substr(before.rfind('\n') + 1));
  if (name == "token") {
    static const LazyRegex of_models(
        R"((?:\b(?:eo[tsgm]|bos|pad|padding|unk|unknown|sep|cls|mask|lf|nl|suf|pre|mid|rep|fim|special|stop|first|last|next|image|audio|video|vision|prefix|suffix|middle|start|end|separator)[ _-]+)$)",
        RE2::Latin1);
    return RE2::PartialMatch(line, of_models) || after.starts_with(" '<") || after.starts_with(" \"<");
  }
  static const LazyRegex others(R"(\b(?:x?fail\w*|skip\w*|errors?|warn\w*|total)\s?[=:]\s?\d)", RE2::Latin1);
  return RE2::FullMatch(name, passes) &&
         (RE2::PartialMatch(line, others) || RE2::PartialMatch(lower_case(after.substr(0, after.find('\n'))), others));
}

bool is_namespace_of_clusters(std::string_view name) {
  static constexpr auto known = std::to_array<std::string_view>({"default",
                                                                 "kube-system",
                                                                 "kube-public",
                                                                 "kube-node-lease",
                                                                 "kube-flannel",
                                                                 "gpu-operator",
                                                                 "network-operator",
                                                                 "nvidia-gpu-operator",
                                                                 "nvidia-network-operator",
                                                                 "nvidia-device-plugin",
                                                                 "monitoring",
                                                                 "logging",
                                                                 "cert-manager",
                                                                 "ingress-nginx",
                                                                 "istio-system",
                                                                 "calico-system",
                                                                 "tigera-operator",
                                                                 "metallb-system",
                                                                 "rook-ceph",
                                                                 "longhorn-system",
                                                                 "volcano-system",
                                                                 "kuberay-operator",
                                                                 "argocd",
                                                                 "kubeflow",
                                                                 "knative-serving",
                                                                 "kueue-system",
                                                                 "gke-managed-system",
                                                                 "gmp-system",
                                                                 "kube-amd-gpu",
                                                                 "local-path-storage",
                                                                 "openshift-nfd",
                                                                 "openshift-operators",
                                                                 "prometheus",
                                                                 "node-feature-discovery",
                                                                 "dcgm-exporter"});
  return std::ranges::find(known, name) != known.end();
}

bool is_public_value(std::string_view key, std::string_view value) {
  static const LazyRegex entry(R"(\w+@entry=.*)", RE2::Latin1);
  static const LazyRegex metavariable(R"([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*[,\]]?)", RE2::Latin1);
  std::string name = lower_case(key);
  std::ranges::replace(name, '-', '_');
  constexpr std::size_t least_of_option = 4;  // another option: hash-password --plaintext
  if (name == "publickeytoken" || (value.starts_with("--") && value.size() >= least_of_option)) return true;
  if (RE2::FullMatch(piece_of(value), entry)) return true;
  if (!RE2::FullMatch(piece_of(value), metavariable)) return false;
  std::string said = lower_case(value);
  while (!said.empty() && (said.back() == ',' || said.back() == ']')) said.pop_back();
  return said.size() >= 3 && std::string_view(name).ends_with(said);
}

}  // namespace envdoctor

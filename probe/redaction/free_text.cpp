#include "probe/redaction/free_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <string_view>

#include "knowledge/codes/names.h"
#include "knowledge/lazy_regex.h"
#include "knowledge/lower_case.h"
#include "knowledge/wordings/known_words.h"
#include "probe/redaction/foreign_words.h"
#include "probe/redaction/lazy_pattern.h"
#include "probe/redaction/public_hosts.h"
#include "probe/redaction/public_values.h"
#include "probe/redaction/replace_groups.h"
#include "probe/redaction/ways_to_reach.h"
#include "probe/redaction/words_before.h"
#include "probe/revision_words.h"
#include "probe/text_piece.h"

namespace envdoctor {
namespace {

using Piece = re2::StringPiece;

std::string_view view(const Piece& piece) { return {piece.data(), piece.size()}; }
bool is_wholly(std::string_view text, const RE2& form) { return RE2::FullMatch(piece_of(text), form); }
bool occurs(std::string_view text, const RE2& form) { return RE2::PartialMatch(piece_of(text), form); }

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }

// Calls take(part) for the words that a name is made of: "NodeList-4x" has Node, List and x.
template <class Take>
void each_part(std::string_view name, Take take) {
  for (std::size_t i = 0; i < name.size();) {
    if (!is_ascii_letter(name[i])) {
      ++i;
      continue;
    }
    std::size_t end = i + 1;
    while (end < name.size() && is_ascii_letter(name[end]) && !(is_capital(name[end]) && !is_capital(name[end - 1])))
      ++end;
    take(name.substr(i, end - i));
    i = end;
  }
}

// A part of at least so many letters that no known program prints.
bool holds_unknown_word(std::string_view name, std::size_t least) {
  bool unknown = false;
  each_part(name, [&](std::string_view part) {
    unknown = unknown || (part.size() >= least && !knowledge::is_known_word(part));
  });
  if (!unknown) return false;
  std::string letters;  // written together: "PyTorch", "cuBLAS"
  std::ranges::copy_if(name, std::back_inserter(letters), is_ascii_letter);
  return !knowledge::is_known_word(letters);
}

// "libcuda.so.1", "train.py:12:3".
bool is_file_of_programs(std::string_view name) {
  static constexpr auto endings = std::to_array<std::string_view>(
      {"so",  "py",  "pyc",  "c",    "cc",   "cpp",     "cxx", "cu",  "cuh", "h",    "hh",
       "hpp", "rs",  "go",   "inc",  "td",   "ko",      "dll", "exe", "icd", "whl",  "run",
       "deb", "rpm", "conf", "json", "toml", "service", "bin", "cl",  "ptx", "cubin"});
  if (name.find('.') == name.npos || name.find('\n') != name.npos) return false;
  const std::string low = lower_case(name);
  std::string_view file = low;
  for (std::size_t colon = file.rfind(':');
       colon != file.npos && colon + 1 < file.size() && std::ranges::all_of(file.substr(colon + 1), is_digit);
       colon = file.rfind(':'))
    file = file.substr(0, colon);  // a line, a column
  const std::size_t dot = file.rfind('.');
  if (dot != file.npos && std::ranges::find(endings, file.substr(dot + 1)) != endings.end()) return true;
  if (const std::size_t so = file.rfind(".so.");
      so != file.npos && so + 4 < file.size() && file.substr(so + 4).find_first_not_of("0123456789.") == file.npos)
    return true;
  const std::string_view all = low;
  const bool archive = all.ends_with(".a") || all.ends_with(".la") || all.ends_with(".lib");
  if (!archive || !all.starts_with("lib")) return false;
  const std::string_view stem = all.substr(3, std::max<std::size_t>(all.rfind('.'), 3) - 3);
  return !stem.empty() && std::ranges::all_of(stem, [](char c) {
    return is_ascii_letter(c) || is_digit(c) || c == '_' || c == '+' || c == '-';
  });
}

// Replaces the name and keeps the extension: "last.pt" -> "<name>.pt".
std::string without_name(std::string_view name) {
  static const LazyRegex kind(R"(.*?(\.(?:tar\.)?[A-Za-z][A-Za-z0-9]{0,10}(?::\d+)?))", RE2::Latin1);
  std::string suffix;
  RE2::FullMatch(piece_of(name), kind, &suffix);
  return "<name>" + suffix;
}

constexpr std::size_t least_letters = 4;

bool stands_below(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

// Redacts unknown names of folders outside the system, up to one below which programs put files.
std::string known_parts(std::string_view path, char between) {
  static const LazyRegex of_programs(R"((?:site|dist)-packages|lib\d*|bin|include|python3?\.\d+|third_party|csrc)",
                                     RE2::Latin1);
  static const LazyRegex owners(
      "(?:users?|projects?|instances|accounts|tenants|customers|buckets|namespaces|clusters|teams|orgs|workspaces)",
      RE2::Latin1);
  std::string out;
  std::string_view before;
  bool inside = false;
  for (std::size_t begin = 0; begin <= path.size();) {
    const auto end = std::min(path.find(between, begin), path.size());
    const std::string_view name = path.substr(begin, end - begin);
    if (begin > 0) out += between;
    inside = inside || is_wholly(name, of_programs);
    static const LazyRegex digest("[0-9a-f]*[0-9][0-9a-f]{6,}|[A-Z]{2,8}", RE2::Latin1);
    const bool kept = inside || (is_wholly(name, digest) && begin > 0) || name.find('<') != name.npos ||
                      name.starts_with('$') || is_file_of_programs(name) ||
                      // A folder has no extension: k.miller
                      (!holds_unknown_word(end < path.size() ? name : name.substr(0, name.rfind('.')), least_letters) &&
                       !(is_wholly(before, owners) && std::ranges::any_of(name, is_ascii_letter)));
    before = name;
    kept ? out.append(name) : out.append(without_name(name));
    begin = end + 1;
  }
  return out;
}

// Replaces the last group of each match by the result of `change`.
template <class Change>
void change_groups(std::string& text, const RE2& pattern, Change change) {
  std::array<Piece, 2> groups;
  std::string out;
  std::size_t done = 0;
  for (std::size_t at = 0;
       at < text.size() && pattern.Match(text, at, text.size(), RE2::UNANCHORED, groups.data(), 2);) {
    const auto begin = static_cast<std::size_t>(groups[1].data() - text.data());
    if (groups[1].empty()) break;
    at = begin + groups[1].size();
    out.append(text, done, begin - done).append(change(view(groups[1])));
    done = at;
  }
  if (done > 0) text = out.append(text, done);
}

// What a traceback names below the folders that images put a program into is its modules.
bool is_module_of_image(std::string_view path) {
  static const LazyRegex of_image(R"(/(?:workspace|app|src|code|content|kaggle|build|root|usr|tmp|mnt/code)/.*\.pyx?)",
                                  RE2::Latin1);
  return is_wholly(path, of_image);
}

void withhold_paths(std::string& text) {
  static const LazyRegex unix_path(
      R"((?:^|[\s"'`=:(,\[<>@])((?:\.{1,2}|~)?/[^\s"'`;,()<>\[\]|{}:=/][^\s"'`;,()<>\[\]|{}:=]*))", RE2::Latin1);
  change_groups(text, unix_path, [&text](std::string_view path) {
    const auto& folders = knowledge::system_folders();
    static const LazyRegex compiled(R"(.*\.(?:cc|cpp|cxx|cu|cuh|h|hpp|c|rs|go))", RE2::Latin1);
    const std::size_t at = static_cast<std::size_t>(path.data() - text.data());
    const bool traced = std::string_view(text).substr(0, at).ends_with("File \"") && is_module_of_image(path);
    const bool of_system =
        traced || is_wholly(path, compiled) ||
        (!stands_below(path, "/opt") &&
         std::ranges::any_of(folders, [path](std::string_view folder) { return stands_below(path, folder); }));
    return of_system ? std::string(path) : known_parts(path, '/');
  });
  static const LazyRegex share(R"((?:^|[\s"'`=(,\[<>])/(/[^\s"'`;,()<>\[\]|{}:=/][^\s"'`;,()<>\[\]|{}:=]*))",
                               RE2::Latin1);
  change_groups(text, share, [](std::string_view path) { return known_parts(path, '/'); });
  static const LazyRegex windows_slashes(R"((?:^|[\s"'`=(,\[])[A-Z]:(/[^\s"'`;,()<>\[\]|]+))", RE2::Latin1);
  change_groups(text, windows_slashes, [](std::string_view path) { return known_parts(path, '/'); });
}

// Names of operations, of which a graph's paths are made: dense_2/MatMul, gradient_tape/model/conv2d/Conv2D.
bool names_operation(std::string_view path) {
  static const LazyRegex operation(
      R"((?:.*/)?(?:gradient_tape|(?:Conv[123]D|MatMul|BiasAdd|Relu6?|Softmax|Mean|Sum|AddV2|Mul|Cast|Identity|ReadVariableOp|StatefulPartitionedCall|PartitionedCall|GatherV2|ConcatV2|FusedBatchNorm\w*|CudnnRNN\w*|while|cond|TensorArray\w*|Reshape|Transpose|kernel|bias|gamma|beta|moving_(?:mean|variance)|embeddings)(?:_\d+)?)(?:/.*)?)",
      RE2::Latin1);
  return is_wholly(path, operation);
}

void withhold_relative_paths(std::string& text) {
  static const LazyRegex relative(R"((?:^|[\s"'`=:(,\[])([A-Za-z][\w.-]*(?:/[A-Za-z0-9][\w.-]*)+))", RE2::Latin1);
  change_groups(text, relative, [&text](std::string_view path) {
    const auto at = static_cast<std::size_t>(path.data() - text.data());
    const std::size_t from = at < 24 ? 0 : at - 24;
    // An image of a public registry.
    if (const std::string_view host = path.substr(0, path.find('/')); host.find('.') != host.npos && is_public(host))
      return std::string(host) + known_parts(path.substr(host.size()), '/');
    const bool kept = is_file_of_programs(path) || names_operation(path) ||
                      stands_in_words_of_kernel(std::string_view(text).substr(0, at)) || follows_integrity(path) ||
                      names_node(std::string_view(text).substr(from, at - from));
    return kept ? std::string(path) : known_parts(path, '/');
  });
}

void withhold_windows_paths(std::string& text) {
  static const LazyRegex windows_path(R"((?:^|[\s"'`=(,\[])([D-Z]:\\[^\s"'`;,()<>\[\]|]+))", RE2::Latin1);
  change_groups(text, windows_path, [](std::string_view path) { return known_parts(path, '\\'); });
}

bool is_wheel_of_release(std::string_view path) {
  return path.find("/releases/download/") != path.npos && path.ends_with(".whl");
}

void withhold_addresses(std::string& text) {
  static const LazyRegex address(R"(\b([a-z][a-z0-9+.-]*://[^\s"'`<>(){}\[\]|,;]+))", RE2::Latin1);
  change_groups(text, address, [](std::string_view all) {
    const std::size_t slashes = all.find("://") + 3;
    const std::string_view scheme = all.substr(0, slashes), rest = all.substr(slashes);
    if (scheme == "file://") return std::string(all);
    if (scheme == "docker://" || scheme == "library://" || scheme == "oras://")
      return std::string(scheme) + known_parts(rest, '/');
    const std::size_t end = std::min(rest.find_first_of("/?#"), rest.size());
    const std::string_view host = rest.substr(0, std::min(rest.find(':'), end)), path = rest.substr(end);
    const bool of_web = scheme == "http://" || scheme == "https://" || scheme == "git+https://" || scheme == "tcp://";
    static const LazyRegex version(R"(\d+\.\d+\.\d+(?:[-+~].*)?)",
                                   RE2::Latin1);  // of a container runtime: containerd://1.7.11
    if (host.empty() || host.starts_with('$') || (!of_web && RE2::FullMatch(piece_of(host), version)))
      return std::string(all);
    if (of_web && is_public(host))
      return std::string(scheme) + std::string(rest.substr(0, end)) +
             (!is_shared(host) || is_wheel_of_release(path) ? std::string(path)
              : is_of_experiments(host) && path.size() > 1  ? "/<name>"
                                                            : known_parts(path, '/'));
    return std::string(scheme) + "<host>" + std::string(rest.substr(host.size(), end - host.size())) +
           (path.size() > 1 ? "/<name>" : std::string(path));
  });
}

// Whether a word that domains end in stands behind a dot: no pattern has to be compiled where none does.
bool may_hold_domain(std::string_view text) {
  static constexpr auto ends = std::to_array<std::string_view>(
      {"com", "org", "net", "edu",  "gov", "example", "local", "lan", "cloud", "home", "internal", "io",    "ai",  "de",
       "ch",  "fr",  "uk",  "eu",   "nl",  "jp",      "cn",    "se",  "dev",   "co",   "at",       "it",    "es",  "us",
       "ca",  "no",  "dk",  "fi",   "be",  "lu",      "cz",    "sk",  "hu",    "gr",   "lt",       "lv",    "ee",  "ru",
       "ua",  "tr",  "il",  "br",   "mx",  "ar",      "kr",    "tw",  "hk",    "sg",   "nz",       "hr",    "pl",  "ro",
       "za",  "ie",  "bg",  "tech", "xyz", "info",    "biz",   "LAN", "LOCAL", "CORP", "INTERNAL", "INTRA", "HOME"});
  for (std::size_t dot = text.find('.'); dot != text.npos; dot = text.find('.', dot + 1)) {
    std::size_t end = dot + 1;
    while (end < text.size() && is_ascii_letter(text[end])) ++end;
    if (std::ranges::find(ends, text.substr(dot + 1, end - dot - 1)) != ends.end()) return true;
  }
  return false;
}

void withhold_domains(std::string& text) {
  if (!may_hold_domain(text)) return;
  static const LazyRegex domain(
      R"((?:^|[^\w./<@-])((?:[A-Za-z0-9][\w-]*\.){1,6}(?:com|org|net|edu|gov|example|local|lan|cloud|home)|(?:[A-Za-z0-9][\w-]*\.){2,6}(?:internal|io|ai|de|ch|fr|uk|eu|nl|jp|cn|se|dev|co|at|it|es|us|ca|no|dk|fi|be|lu|cz|sk|hu|gr|lt|lv|ee|ru|ua|tr|il|br|mx|ar|kr|tw|hk|sg|nz|hr|pl|ro|za|ie|bg|tech|cloud|xyz|info|biz)|(?:[A-Z0-9][A-Z0-9-]*\.){1,6}(?:LAN|LOCAL|CORP|INTERNAL|INTRA|HOME))(?:[^\w.(-]|[.]?$|\.\s))",
      RE2::Latin1);
  replace_groups(text, domain, "<host>", [](const std::array<Piece, 3>& groups) { return is_public(view(groups[1])); });
}

// Words that precede evidence: names of program parts.
bool is_evidence(std::string_view before) {
  if (names_a_part(before) || names_a_product(before)) return true;
  if (lower_case(before).find("packages") == std::string::npos) return false;
  static const LazyRegex list_of_packages(R"((?i)\bpackages(?: (?:will|to) be \w+)?:\s+(?:[\w.+\[\]-]+,?\s+)*$)",
                                          RE2::Latin1);
  return occurs(before, list_of_packages);
}

// As kernels print them: of the kernel or below the top of a process, or a mapping with its size.
bool is_memory_address(std::string_view word) {
  static const LazyRegex form("(?:0000|ffff)[0-9a-f]{12}|[0-9a-f]{8,16}\\+[0-9a-f]{1,8}", RE2::Latin1);
  return is_wholly(word, form);
}

// How random a word looks of which no part is a known word.
bool is_drawn(std::string_view word) {
  constexpr std::size_t least_hex = 14;
  const auto in = [&](auto kind) { return std::ranges::any_of(word, kind); };
  const bool digits = in(is_digit), capitals = in(is_capital), small = in([](char c) { return c >= 'a' && c <= 'z'; });
  static const LazyRegex modalias("v[0-9A-F]{8}d[0-9A-F]{8}sv[0-9A-F]{8}\\w*", RE2::Latin1);  // of a PCI device
  if (word.starts_with("0x") || is_memory_address(word) || is_wholly(word, modalias)) return false;
  const bool hex = word.find_first_not_of("0123456789abcdef") == word.npos;
  if (hex) return digits && small && word.size() >= least_hex;
  if (digits + capitals + small < 2) return false;
  std::size_t runs = 0;
  bool word_of_programs = false;
  std::size_t begin = 0;
  const auto kind = [](char c) { return is_digit(c) ? 0 : is_ascii_letter(c) ? (is_capital(c) ? 1 : 2) : 3; };
  for (std::size_t i = 1; i <= word.size(); ++i) {
    const bool joined = i < word.size() && (kind(word[i]) == kind(word[i - 1]) ||
                                            (kind(word[i]) == 2 && i - begin == 1 && kind(word[i - 1]) == 1));
    if (joined) continue;
    ++runs;
    const std::string_view run = word.substr(begin, i - begin);
    word_of_programs =
        word_of_programs || (run.size() >= 3 && is_ascii_letter(run[0]) && knowledge::is_known_word(run));
    begin = i;
  }
  return !word_of_programs && word.size() * 10 < runs * 32;
}

// So many characters of the kind in a row.
template <class Kind>
bool has_run(std::string_view text, std::size_t least, Kind kind) {
  std::size_t run = 0;
  return std::ranges::any_of(text, [&](char c) { return (run = kind(c) ? run + 1 : 0) >= least; });
}

void withhold_drawn_words_in_one(std::string& text) {
  static const LazyRegex word(R"((?:^|[^\w+/.:$-]|[=:]|\bi-)([A-Za-z0-9+]{14,})(?:[^\w.]|\.?$|\.\s))", RE2::Latin1);
  replace_groups(text, word, "<secret>", [&](const std::array<Piece, 3>& groups) {
    static const LazyRegex revision(ends_before_revision(
        R"(|no_pubkey|pubkey|srcversion|bank \d{1,2}|m[cs]g?_?status|status|addr(?:ess)?|misc|synd)"
        R"(|ipid|tsc|publickeytoken|cert(?:ificate)? '[^'\n]*:|\b(?:r[0-9a-z]{1,2}|cr\d|x\d{1,2}|[ispl][pr]))"));
    if (!is_drawn(view(groups[1]))) return true;
    constexpr std::size_t looked_at = 64;
    const auto at = static_cast<std::size_t>(groups[1].data() - text.data());
    const std::size_t from = at < looked_at ? 0 : at - looked_at;
    const std::string_view all = text, before = all.substr(from, at - from);
    return names_a_product(before) || occurs(before, revision) ||
           is_checksum(all.substr(0, at), all.substr(at + groups[1].size()));
  });
}

// As product keys are: "A1B2C-D3E4F-...".
void withhold_drawn_words_in_groups(std::string& text) {
  static const LazyRegex grouped(R"((?:^|[\s"'=:(])([A-Za-z0-9]{3,6}(?:-[A-Za-z0-9]{3,6}){3,7})(?:[\s"',;.)]|$))",
                                 RE2::Latin1);
  replace_groups(text, grouped, "<secret>", [&](const std::array<Piece, 3>& groups) {
    const std::string_view all = view(groups[1]);
    if (all.starts_with("GHSA-") || all.starts_with("CVE-") ||
        names_a_product(std::string_view(text).substr(0, static_cast<std::size_t>(all.data() - text.data()))))
      return true;
    bool known = !std::ranges::any_of(all, is_ascii_letter) || !std::ranges::any_of(all, is_digit);
    each_part(all,
              [&](std::string_view part) { known = known || (part.size() > 2 && knowledge::is_known_word(part)); });
    return known;
  });
}

void withhold_drawn_words(std::string& text) {
  const auto plain = [](char c) { return is_ascii_letter(c) || is_digit(c); };
  if (has_run(text, 14, [&](char c) { return plain(c) || c == '+'; })) withhold_drawn_words_in_one(text);
  if (has_run(text, 15, [&](char c) { return plain(c) || c == '-'; })) withhold_drawn_words_in_groups(text);
  if (text.find("SHA256:") == text.npos) return;
  static const LazyRegex fingerprint(R"(\bSHA256:([A-Za-z0-9+/]{43}))", RE2::Latin1);
  static const LazyRegex of_all(R"(\b(?:github|gitlab|bitbucket)\.(?:com|org)\b)", RE2::Latin1);  // known to everybody
  replace_groups(text, fingerprint, "<secret>", [&text](const auto&) { return RE2::PartialMatch(text, of_all); });
}

// Passwords that people choose, without a word that announces them: small and capital letters and digits, and a
// punctuation mark, or with a part that no program prints.
void withhold_made_up_passwords(std::string& text) {
  const auto kept = [](std::string_view before, std::string_view name) {
    while (!name.empty() && (name.back() == '.' || name.back() == '-')) name.remove_suffix(1);
    const auto in = [&](auto kind) { return std::ranges::any_of(name, kind); };
    if (name.size() < 8 || !in(is_digit) || !in(is_capital) || !in([](char c) { return c >= 'a' && c <= 'z'; }))
      return true;
    if (name.starts_with("0x") || name.find_first_of("+-") != name.npos || is_file_of_programs(name)) return true;
    const bool marked = name.find_first_of("!#$%&*?^~.") != name.npos;
    std::size_t unknown = 0, known = 0;
    each_part(name, [&](std::string_view part) {
      if (part.size() < least_letters) return;
      knowledge::is_technical_word(part) ? ++known : ++unknown;
    });
    if (known > 0 && !marked) return true;
    return unknown <= known || is_evidence(before.substr(before.size() - std::min<std::size_t>(64, before.size())));
  };
  const auto is_of_password = [](char c) {
    return is_ascii_letter(c) || is_digit(c) || (c != '\0' && std::strchr("!#$%&*?^~.+-", c) != nullptr);
  };
  constexpr std::string_view opens = " \t\n\f\r\"'`=:(,|", closes = " \t\n\f\r\"'`,;:)|";
  constexpr std::size_t least = 8, most = 40;
  const std::string_view all = text;
  std::string out;
  std::size_t done = 0;
  for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end + 1) {
    for (end = begin; end < all.size() && is_of_password(all[end]);) ++end;
    if (end - begin < least || end - begin > most || (begin > 0 && opens.find(all[begin - 1]) == opens.npos) ||
        (end < all.size() && closes.find(all[end]) == closes.npos) ||
        kept(all.substr(0, begin), all.substr(begin, end - begin)))
      continue;
    out.append(all, done, begin - done).append("<secret>");
    done = end;
  }
  if (done > 0) text = out.append(all, done);
}

// Identifiers in clouds: instances, networks, volumes, accounts.
void withhold_cloud_numbers(std::string& text, const LowerText& low) {
  static const LazyPattern forms[] = {
      {R"(\b(?:google|aws|azurerm|kubernetes|oci)_\w+\.(\w+))", {"google_", "aws_", "azurerm_", "kubernetes_", "oci_"}},
      // Identifiers of Oracle, IBM, Alibaba and Google, and what stands behind their kinds in paths of resources.
      {R"(\b(ocid1\.[\w.-]+))", {"ocid1."}},
      {R"(\bcrn:v1:[\w-]*:[\w-]*:[\w-]*:[\w-]*:(\S+))", {"crn:v1:"}},
      {R"(\b(?:i|vpc|vsw|sg|d|eni|m|lb|ngw|eip|disk|ins|subnet|cls|ins|fs|nat|acl|lt|cr|tgw|pcx|vgw|igw|dopt|fl|eipalloc|eipassoc|spt|sir|r|ri|mi)-((?:bp|uf|2ze|wz9|hp3|j6c|t4n)[0-9a-z]{8,}|[0-9a-f]{17}))",
       {"-"},
       12,
       10},
      {R"((?i)/(?:subscriptions|resourcegroups|resource-groups|virtualmachines|workspaces|storageaccounts|vaults|managedclusters|disks)/([^/\s"'<>,;:]+))",
       {"/subscriptions/", "/resourcegroups/", "/resource-groups/", "/virtualmachines/", "/workspaces/",
        "/storageaccounts/", "/vaults/", "/managedclusters/", "/disks/"}},
      {R"((?:^|[\s"'(=:/])(?:projects|instances|organizations|folders|billingAccounts|serviceAccounts|reservations|clusters|nodePools|tpus|disks|buckets|datasets|secrets)/([a-z0-9][\w.-]*)(?:/|["'\s,;:.)]|$))",
       {"projects/", "instances/", "organizations/", "folders/", "accounts/", "reservations/", "clusters/", "pools/",
        "tpus/", "disks/", "buckets/", "datasets/", "secrets/"}},
      // What commands of clouds, clusters and experiment trackers name.
      {R"((?i)(?:\b(?:gcloud|gsutil|bq|aws|az|oci|kubectl|helm|oc|eksctl|sbatch|srun|salloc|squeue|sacct|scancel|qsub|bsub)\b|#SBATCH)[^\n]* (?:--(?:project|account|namespace|profile|subscription|context|cluster|organization|resource-group|job-name|reservation)[ =]|-[AJ] )["']?([\w.@-]+))",
       {"--", " -a ", " -j "}},
      {R"((?:\b(?:qsub|bsub|qrsh|qlogin|qalter|bmod)\b|#(?:PBS|BSUB|\$))[^\n]* -P ["']?([\w.@-]+))", {" -p "}},
      // Instruments: what *IDN? answers, and their addresses on a bus.
      {R"(\bIDN\?[^\n]*,[\w .-]+,([A-Z]{0,4}\d[A-Z0-9]{4,}),)", {"idn?"}},
      {R"(::0x[0-9A-Fa-f]{4}::0x[0-9A-Fa-f]{4}::([\w-]+)(?:::\d+)?::INSTR)", {"::instr"}},
      {R"((?i)<(?:instrument|machine|computer|host|user|owner|operator|account|serial)(?:name|id|number)?>([^<\n]{3,})</)",
       {"</"}},
      {R"(\b[Uu]ser ([a-z][\w.-]*\d[\w.-]*) (?:not found|does not exist|doesn't exist|is unknown|unknown|is not|has no)\b)",
       {"user "}},
      {R"((?i)\b(?:smtp\.)?(?:mailfrom|header\.from|header\.d|helo)=([\w-]+(?:\.[\w-]+)+))",
       {"mailfrom", "header.", "helo="}},
      {R"(\[\d\d?:\d\d(?::\d\d)?\] <?([a-z]+[._][a-z]+\d{0,4})>?: )", {"]"}},
      {R"((?i)\bcomputer(?:name)?["']?\s*[:=]\s*["']?([\w-]+-[\w-]+))", {"computer"}},
      // An organisation of a registry, by its number.
      {R"(\bnvcr\.io[#/](\d{10,}(?:/[a-z][\w-]*(?:/|$))?))", {"nvcr.io"}},
      {R"((?i)\bgcloud config set (?:project|account) ([\w.@-]+))", {"gcloud"}},
      {R"(\b(?:kubectl|oc) (?:exec|logs|attach|port-forward|delete pod|describe pod|get pod)(?: -\S+)* ([a-z0-9][\w.-]*))",
       {"kubectl", "oc "}},
      {R"(\bvia ([a-z][\w.-]*?)\.\.\.)", {"via "}},
      {R"((?i)\b(?:logged in|authenticated|signed in)(?: to \S+)? as\b[^\n]*?["'](?:name|fullname|login|user|username)["']: *["']([^"'\n]+))",
       {" as"}},
      {R"((?i)\b(?:logged in|authenticated|signed in)(?: to [^\n]{1,30}?)? as:? ([a-z][\w.-]*[\w-])\b)", {" as"}},
      {R"((?:<email>|<user>@<host>):([\w.~-]+(?:/[\w.-]+)+))", {">:"}},
      {R"((?m)^\s*Node:\s+[\w.-]+/([0-9a-f.:]+))", {"node:"}},
      {R"((?i)(?:^|\s|\\n *)host ?name[ \t]+([a-z0-9][\w-]*(?:\.[\w-]+)+))", {"hostname", "host name"}},
      {R"((?i)\b(?:licen[cs]e[ _-]?(?:id|no|number)|project[ _-]?number)["']?\s*[:= ]\s*["']?([0-9]{5,}))",
       {"licen", "project"}},
      {R"(\bSuccessfully assigned \S+ to ([\w.-]+))", {"assigned"}},
      // A user of a management controller, in its table.
      {R"((?m)^\s*\d{1,2} +([A-Za-z_][\w.-]*) +(?:(?:true|false) +){3})", {"true", "false"}},
      // Serial numbers of disks: behind the model in a device's name, world-wide names, nvme's table.
      {R"(/by-id/[\w.-]+_((?:[A-Z0-9]*\d){3}[A-Z0-9]*))", {"/by-id/"}},
      {R"((?i)/by-id/(?:wwn-0x|nvme-eui\.|nvme-uuid\.|scsi-3|dm-uuid-\w+-)([0-9a-f-]{8,}))", {"/by-id/"}},
      {R"((?i)\bwwn(?: device id)?["']?\s*[:=]\s*["']?((?:0x)?[0-9a-f][0-9a-f ]{10,18}[0-9a-f]))", {"wwn"}},
      {R"((?:^|\s)(?:0x)(5[0-9a-f]{15})(?:\s|$))", {"0x5"}},  // the form of the names of disks
      {R"(SerialNumber["']? *[=:] *["']?([A-Z0-9]{8,}))", {"serialnumber"}},
      {R"(huggingface\.co/(?:api/)?(?:models/|datasets/|spaces/)?<name>/([\w.-]+))", {"huggingface.co/"}},
      {R"((?m)^/dev/nvme\w+ +(?:/dev/\w+ +)?([A-Z0-9-]{8,20}) +\S)", {"/dev/nvme"}},
      // kubectl's nodes; where a rank runs; wmic's and nvidia-smi's serial numbers behind the names of several columns.
      {R"((?m)^([a-z][\w-]*\d[\w.-]*) +(?:Not)?Ready\S* +\S+ +\d+[dhms])", {"ready"}},
      {R"(\brank \d+(?: of \d+)? on ([A-Za-z][\w.-]*\w))", {"rank "}},
      {R"(\bIdentifyingNumber\b(?:\s+Name\s+|\s*[=:]\s*)([A-Z0-9]{6,}))", {"identifyingnumber"}},
      {R"((?i)\bserial\b[^:\n]{1,40}: ?([01]\d{12})\b)", {"serial"}},
      {R"((?i)\bprivate key\s*[:=]\s*([\w+/-]{16,}=*))", {"private key"}},
      // Accounts as Slurm's daemons and sacct's rows give them, and Windows' number of a domain.
      {R"(\b(?:uid|user|account)=([A-Za-z_][\w.-]*)\(\d+\))", {"uid=", "user=", "account="}},
      {R"((?m)^\d{3,}(?:_\d+)?(?:\.\w+)?\|[^|\n]*\|[^|\n]*\|([A-Za-z_][\w.-]*)\|)", {"|"}},
      {R"(\bS-1-5-21-(\d+-\d+-\d+)\b)", {"s-1-5-21-"}},
      // PBS' numbers of jobs end in the server's name.
      {R"((?:/pbs/\w+/|PBS_JOBID=)\d+(?:\[\d*\])?\.([A-Za-z][\w.-]*))", {"pbs"}},
      // Serial numbers of PCI and USB devices, and the names of wireless networks.
      {R"(\bDevice Serial Number ((?:[0-9a-f]{2}-){7}[0-9a-f]{2}))", {"serial"}},
      {R"((?i)\bE?SSID["']?[:= ]+["']?([^"'\n,]{1,32}))", {"ssid"}},
      {R"((?i)\b[A-Z_]*(?:CLOUD|CLOUDSDK|GCP|GCLOUD|AZURE|AWS|OCI|TPU|VERTEX)[A-Z_]*_PROJECT(?:_ID|_NAME)?\s*[=:]\s*["']?([a-z][\w-]*))",
       {"_project"}},
      // The device's own number in nvidia-smi -q.
      {R"(\bPDI\s*: (0x[0-9a-f]{12,16})\b)", {"pdi"}},
      // Google Cloud's numbers of projects.
      {R"((?i)\bprojects?(?: (?:number|id|no))?["']?[ :=/]+["']?(\d{10,13})\b)", {"project"}},
      // Numbers of contracts and customers, places on the map, roles of a cloud, rooms of a meeting.
      {R"((?i)\b(?:entitlement|customer|contract|order|invoice|support|case|member(?:ship)?|employee|staff|matriculation|student)[ _-]?(?:id|no|nr|number)\b\.?["']?[ :=#]+["']?([A-Z0-9-]*\d{4}[A-Z0-9-]*))",
       {"entitlement", "customer", "contract", "order", "invoice", "support", "case", "member", "employee", "staff",
        "matric", "student"}},
      {R"(\bWWID["']?[:= ]+["']?((?:eui\.|naa\.|t10\.|uuid\.)?[0-9a-fA-F-]{12,}))", {"wwid"}},
      {R"(\bID_SERIAL(?:_SHORT)?=(\S*\d\S*))", {"id_serial"}},
      {R"(\bPARTUUID="?([0-9a-f]{8}-[0-9a-f-]{2,}))", {"partuuid"}},
      {R"(\bmeetup-join/([^\s"']+))", {"meetup-join"}},
      // The answer to "who am I", and systemd's word for its own name.
      {R"x((?i)["']type["']: ?["']user["'],[^\n]{0,80}?["']name["']: ?["']([^"'\n]+)["'])x", {"user\"", "user'"}},
      {R"((?i)\b(?:hostname set|set hostname) to <?([\w.-]+\w)>?)", {"hostname set", "set hostname"}},
      // Shares of homes in Windows' networks, kubectl's source of an event, VMware's serial number of a machine.
      {R"(\\\\[^\s\\]*(?:\\[^\s\\]*)?\$\\+([^\\\s"'$]+)\\)", {"$\\"}},
      {R"(\b(?:kubelet|kube-proxy|nvidia-device-plugin), ([a-z][a-z0-9.-]*\d[a-z0-9.-]*))",
       {"kubelet", "kube-proxy", "plugin"}},
      {R"(\bVMware-((?:[0-9a-f]{2}[ -]){15}[0-9a-f]{2}))", {"vmware-"}},
      {R"(\bfor host ([A-Za-z][\w.-]*):)", {"for host "}},
      // sshd and su: who was let in.
      {R"(\b(?:Accepted|Failed|Postponed|Partial) [\w/-]+ for (?:(?:invalid|illegal) user )?([A-Za-z_][\w.@-]*) from )",
       {" for "}},
      {R"((?i)\b(?:to|by|of|for|from) (?:user|account) ["'(]?([a-z_][\w.-]*_[\w.-]*)\b)", {" user ", " account "}},
      {R"((?i)\b(?:USER(?:DNS)?DOMAIN(?:_ROAMINGPROFILE)?|LOGONSERVER|COMPUTERNAME)=\\*([A-Za-z][\w.-]*))",
       {"domain=", "profile=", "logonserver=", "computername="}},
      // What C's functions on accounts were asked for; the host in the name of TensorBoard's file.
      {R"(\bget(?:pw|gr|sp)(?:nam|uid|gid)\b[^\n]{0,60}?[:( ]["']([\w.-]+)["'])", {"getpw", "getgr", "getsp"}},
      {R"(\btfevents\.\d{9,}\.([A-Za-z][\w-]*))", {"tfevents."}},
      // A person's row of /etc/passwd; the hosts of DeepSpeed's pool; the node that Ray speaks of.
      {R"((?:^|\n)([a-z_][\w-]*):[x*!]?:[1-9]\d{3,}:\d+:)", {":x:", "::", ":*:", ":!:"}},
      {R"([{,] ?["']([A-Za-z][\w.-]*)["']: \[\d+(?:, ?\d+)*\])",
       {"resource pool", "resource_pool", "world_info", "active_resources"}},
      {R"((?i)\bnode name:? ([A-Za-z][\w.-]*))", {"node name"}},
      // The end of a path that is too long for its column.
      {R"((?:^|\s)\.\.\.([a-z][a-z0-9_.-]*)/(?:\.?v?env\w*|miniconda\w*|anaconda\w*|\.conda|\.local|bin|work|code|projects?)/)",
       {"..."}},
      {R"((?:^|\s)\.\.\.(?:o?me|[sr]|e?rs|sers?)/([a-z][a-z0-9_.-]*)/)", {"..."}},
      {R"((?i)\b(?:syncing|resuming|synced|finished|view) run ["']?([\w.-]+))", {" run "}},
      {R"((?:^|[^\w-])((?:DESKTOP|LAPTOP|WIN)-[A-Z0-9]{4,15})(?:[^\w-]|$))", {"desktop-", "laptop-", "win-"}},
      {R"((?:^|\n|resolv\.conf:)\s*(?:nameserver|search|domain)\s+([A-Za-z][\w.-]*)\s*(?:\n|$))",
       {"nameserver", "search", "domain"}}};
  for (const LazyPattern& lazy : forms) {
    const RE2* form = lazy.for_text(low);
    if (form == nullptr) continue;
    replace_groups(text, *form, "<name>", [](const std::array<Piece, 3>& groups) {
      if (is_namespace_of_clusters(view(groups[1])) || groups[0].starts_with("\\\\wsl$\\")) return true;
      static const LazyRegex common(
          "(?i)v?\\d{1,5}|user|account|cuda|[cgx]pu|device|default|global|latest|<.*|test|train|main|at|for|kube-"
          "system|gpu-"
          "operator|kubernetes\\.io|"
          "local|share|lib\\w*|python[\\d.]*|(?:site|dist)-packages|bin|envs",
          RE2::Latin1);
      return RE2::FullMatch(groups[1], common);
    });
  }
  static const Needed kinds[] = {"i-", "vpc-", "subnet-", "sg-", "vol-", "ami-", "snap-", "rtb-", "igw-"};
  if (!has_run(text, 12, is_digit) && std::ranges::none_of(kinds, [&](const Needed& kind) { return kind.in(low); }))
    return;
  static const LazyRegex numbered(
      R"(\b((?:i|vpc|subnet|sg|vol|eni|ami|snap|rtb|igw)-[0-9a-f]{8,17}|[0-9]{12})(?:\b[^.\d]|\b$|\.dkr\b))",
      RE2::Latin1);
  replace_groups(text, numbered, "<name>", [&](const std::array<Piece, 3>& groups) {
    static const LazyRegex account(R"((?i)(?:account|owner|subscription|aws)\w*["']?\s*[:=]?\s*["']?$)", RE2::Latin1);
    const std::string_view found = view(groups[1]);
    if (found == "763104351884" || found == "602401143452") return true;  // Amazon's own, for everybody's images
    const auto at = static_cast<std::size_t>(groups[1].data() - text.data());
    const std::size_t from = at < 24 ? 0 : at - 24;
    return is_digit(found[0]) && !view(groups[0]).ends_with(".dkr") &&
           !occurs(std::string_view(text).substr(from, at - from), account);
  });
}

// The hosts that launchers and shells are given and that queues write down: "-H nodeA:8,nodeB:8", "pdsh -w node[1-4]",
// "LSB_HOSTS=node1 node2", "scp model.pt node1:/data".
void withhold_host_lists(std::string& text, const LowerText& low) {
  static const std::string one = R"([A-Za-z][\w.-]*(?:\[[\d,-]+\])?(?::\d+(?:,\d+)*)?)";
  static const std::string several = "((?:" + one + "[,@]?)+)";
  static const std::array<LazyPattern, 7> lists{{
      {R"((?:^|\s)(?:-H|--?hosts?|--include|--exclude)[ =]["']?((?:[A-Za-z][\w.-]*(?::\d+(?:,\d+)*)?[,@]?)+:\d))",
       {"-h ", "-h=", "-host ", "-host=", "-hosts ", "-hosts=", "--include", "--exclude"}},
      {R"((?:\s--(?:hosts?|nodelist|address|master[-_]addr|main[-_]process[-_]ip|coordinator[-_]address|rdzv[-_]endpoint)[ =])["']?)" +
           several,
       {"--host", "--nodelist", "--address", "--master", "--main", "--coord", "--rdzv"}},
      {R"(\b(?:pdsh|clush|dsh|srun|sbatch|salloc|ssh|mpirun|mpiexec|horovodrun)\b[^\n]*? -[wJH] ["']?)" + several,
       {" -w ", " -j ", " -h "}},
      {R"(\b[A-Z_]*(?:HOSTS?|HOSTNAMES?|HOSTLIST|NODELIST|NODES|MACHINES|MASTER_LIST)=["']?((?:)" + one +
           R"([, ;]|\d+[, ])*)" + one + ")",
       {"host=", "hosts=", "hostname=", "hostnames=", "hostlist=", "nodelist=", "nodes=", "machines=", "master_list="}},
      {R"(\bmon[_ ](?:host|initial[_ ]members) *= *["']?)" + several,
       {"mon host", "mon_host", "mon initial", "mon_initial"}},
      {R"((?i)\bno_proxy["']?[=:] ?["']?([^\s"']+))", {"no_proxy"}},
      {R"(\b(?:scp|rsync|sshfs)\b[^\n]*? ([A-Za-z][\w.-]*):[/~])", {"scp", "rsync", "sshfs"}},
  }};
  for (const LazyPattern& list : lists) {
    const RE2* form = list.for_text(low);
    std::array<Piece, 2> found;
    for (std::size_t at = 0; form && form->Match(text, at, text.size(), RE2::UNANCHORED, found.data(), 2);) {
      const auto begin = static_cast<std::size_t>(found[1].data() - text.data()), size = found[1].size();
      static const LazyRegex host(R"((?:^|[,@ ;])\*?\.?([A-Za-z][\w.-]*(?:\[[\d,-]+\])?))", RE2::Latin1);
      static const LazyRegex no_host(
          R"([A-Z0-9]*_[A-Z0-9_]+|(?i:localhost|auto|all|none|any|true|false|yes|no|null|unix|tcp|svc|cluster\.local|metadata|https?|.*(?:linux|darwin).*|.*\.(?:txt|py|sh|json|ya?ml)))",
          RE2::Latin1);
      std::string hosts(text, begin, size);
      replace_groups(hosts, host, "<host>", [](const auto& groups) { return is_wholly(view(groups[1]), no_host); });
      text.replace(begin, size, hosts);
      at = begin + hosts.size();
    }
  }
}

// DOMAIN\\user. What programs are made of stands so as well, with more folders or a file behind, and line ends in a
// quoted text do.
void withhold_accounts_of_domains(std::string& text) {
  static const LazyRegex account(
      R"((?:^|[\s"'`=:(,\[<>|])([A-Za-z][\w.-]*\\{1,2}[A-Za-z_][\w.$-]*)(?:$|[\s"'`,;:)\]<>|@%]))", RE2::Latin1);
  replace_groups(text, account, "<name>", [&](const std::array<Piece, 3>& groups) {
    static const LazyRegex common(
        R"((?i)(?:nt authority|authority|nt service|builtin|window manager|font driver host)\\+.*|.*\\+(?:system|administrators?|users|network ?service|local ?service))",
        RE2::Latin1);
    static const LazyRegex line_end(R"(.*\\[nrt](?:[A-Z].*|[a-z]?))", RE2::Latin1);
    static const LazyRegex said(
        R"((?i)(?:account|user|user ?name|login|logon|owner|for|by|as|from|domain|principal|run as|identity)["']?\s?[:=]?\s?["']?$)",
        RE2::Latin1);
    const std::string_view all = view(groups[1]);
    const std::size_t slash = all.find('\\'), right = all.find_first_not_of('\\', slash);
    const auto at = static_cast<std::size_t>(all.data() - text.data());
    const std::size_t from = at < 24 ? 0 : at - 24;
    if (is_wholly(all, common) || is_file_of_programs(all) || is_wholly(all, line_end)) return true;
    if (occurs(std::string_view(text).substr(from, at - from), said)) return false;
    return !holds_unknown_word(all.substr(0, slash), least_letters) &&
           !holds_unknown_word(all.substr(right), least_letters - 1);
  });
}

// Names of people in a greeting, a header or a note.
void withhold_people(std::string& text, const LowerText& low) {
  static const LazyPattern greeted(
      R"(\b(?:Dear|Hi|Hello|Hey|Thanks)(?: (?:Mr|Ms|Mrs|Dr|Prof)\.?)?,? ([A-Z][\pL'-]+(?: [A-Z][\pL'-]+){0,2}))",
      {"dear ", "dear,", "hi ", "hi,", "hello ", "hello,", "hey ", "hey,", "thanks ", "thanks,"});
  if (const RE2* form = greeted.for_text(low))
    replace_groups(text, *form, "<name>", [](const std::array<Piece, 3>& groups) {
      static const LazyRegex everybody(
          "(?i)(?:all|there|every(?:one|body)|team|world|folks|guys|sir|madam|again|for|i)", RE2::Latin1);
      return RE2::FullMatch(groups[1], everybody);
    });
  static const LazyPattern named(
      R"((?:\b(?:[A-Z][a-z]+-by|Maintainer|Author|Committer|Contact|Assignee|Reporter|Requester|Approver|Owner)s?: *|\b(?:[Cc]ommit(?:ted)?|[Ww]ritten|[Rr]eviewed|[Oo]pened|[Rr]eported|[Aa]pproved|[Ss]ubmitted|[Oo]wned|[Bb]ooked|[Rr]eserved) by |\b(?:TODO|FIXME|XXX|HACK)\(|user\.name ["']?)([\pL][\pL.'-]+(?: [A-Z][\pL'-]*\.?){0,3}))",
      {"-by", " by ", "maintainer", "author", "committer", "contact", "assignee", "reporter", "requester", "approver",
       "owner", "todo(", "fixme(", "xxx(", "hack(", "user.name "});
  if (const RE2* form = named.for_text(low))
    replace_groups(text, *form, "<name>", [](const std::array<Piece, 3>& groups) {
      return groups[1].starts_with("<") || !RE2::PartialMatch(groups[1], "^[A-Z][^ ]+ [A-Z]")
                 ? knowledge::is_known_word(view(groups[1]))
                 : false;
    });
}

// Whether a word begins with two capitals and two digits, as an IBAN does.
bool begins_bank_account(std::string_view text) {
  for (std::size_t at = 0; at + 4 <= text.size(); ++at) {
    const bool begins = at == 0 || !(is_ascii_letter(text[at - 1]) || is_digit(text[at - 1]));
    if (begins && is_capital(text[at]) && is_capital(text[at + 1]) && is_digit(text[at + 2]) && is_digit(text[at + 3]))
      return true;
  }
  return false;
}

// Contact and payment data of people.
void withhold_personal_numbers(std::string& text, const LowerText& low) {
  static const LazyPattern forms[] = {
      {R"((?i)\b(?:phone|tel|mobile|fax|cell)\b[^\d\n]{0,12}(\+?[\d(][\d ()./-]{5,}\d))",
       {"phone", "tel", "mobile", "fax", "cell"}},
      {R"((?i)\b(?:login|one-time|verification|confirmation|security|two-factor|2fa|mfa|sms)(?: login| access)? codes?(?: (?:is|was))?[ :=]{1,3}(\d[\d -]{2,9}\d|\d[\w/-]{11,}))",
       {"code"}},
      {R"((?i)\b(?:product|licen[cs]e|activation|serial) key[ :=]+([A-Z0-9]{2,8}(?:-[A-Z0-9]{2,8}){2,}))", {"key"}},
      {R"x("([0-9A-F]{4}(?: [0-9A-F]{4}){3,})")x", {"\""}},
      {R"((?i)\bcard\b[^\d\n]{0,12}((?:\d[ -]?){13,19}))", {"card"}},
      {R"((?i)\b(?:geo|gps|loc(?:ation)?|lat(?:itude)?|lon(?:gitude)?|coordinates?)\b["']?[ :=("']{1,4}(-?\d{1,3}\.\d{3,}(?:, ?-?\d{1,3}\.\d{3,})?))",
       {"geo", "gps", "loc", "lat", "lon", "coordinate"}},
      {R"((\b\d{1,5}[a-z]? (?:[A-Z][a-z]+ ){1,3}(?:Street|St|Avenue|Ave|Road|Rd|Lane|Drive|Boulevard|Blvd|Square)\b))",
       {" street", " st", " ave", " road", " rd", " lane", " drive", " boulevard", " blvd", " square"}},
      {R"((?i)\b(?:mnemonic|magic word|(?:unlock|seed|recovery|pass) ?phrase|nonce|vault unsealed)(?: is| with)?[:= ]+([^\n]{4,}))",
       {"mnemonic", "magic word", "phrase", "nonce", "vault unsealed"}}};
  static const LazyPattern account(R"(\b([A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?)\b)", {});
  const auto withhold = [&](const LazyPattern& lazy) {
    const RE2* form = lazy.for_text(low);
    if (form == nullptr) return;
    replace_groups(text, *form, "<secret>", [](const std::array<Piece, 3>& groups) {
      return groups[1].starts_with("<") || groups[1].starts_with("for ") ||
             view(groups[1]).find_first_of("0123456789-abcdefghijklmnopqrstuvwxyz") == std::string_view::npos;
    });
  };
  if (begins_bank_account(text)) withhold(account);
  for (const LazyPattern& lazy : forms) withhold(lazy);
}

// A label that is joined to any one word: owner=mark. Words of a status or a platform
// stay.
bool is_value_of_label(std::string_view before, std::string_view name, std::string_view after) {
  if (!is_joined_to_label(before)) return false;
  static const LazyRegex stays(
      R"((?i)(?:none|null|nil|true|false|yes|no|not|unknown|default|error|failed|ok|ready|up|down|cpu|gpu|cuda|rocm|linux.*|windows.*|darwin|wsl.*|x86.*|aarch64.*|arm64|localhost.*|root|cluster|nobody|nogroup|daemon|www-data|systemd-.*|messagebus|syslog|admin|ubuntu|debian|docker|nvidia(?:-persistenced)?|amd|intel|opencl|device|host|node|server|local|main|test|any|all|auto|self|native|kernel|driver|system|python|torch|tensorflow|jax|user|name|value|x|y|[a-z0-9]{1,2}))",
      RE2::Latin1);
  static const LazyRegex ends(R"(^(?:["',;)}\]\n]|\s*$|\s+[\w.-]+=))", RE2::Latin1);
  return !is_wholly(name, stays) &&
         RE2::PartialMatch(Piece(after.data(), std::min<std::size_t>(after.size(), 40)), ends);
}

// Letters and digits of customer numbers, and of the names that universities give to accounts: xk41177.
bool is_number_of_account(std::string_view name) {
  const auto small = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto digits = std::ranges::find_if_not(name, small), end = std::find_if_not(digits, name.end(), is_digit);
  const auto letters = digits - name.begin(), numbers = end - digits;
  return letters >= 2 && letters <= 6 && numbers >= 4 && numbers <= 8 && (end == name.end() || *end == '.');
}

// What a server says that it is.
bool is_server(std::string_view name) {
  static const LazyRegex servers(
      R"((?i)(?:uvicorn|gunicorn|hypercorn|daphne|nginx|apache|werkzeug|tornado\w*|envoy|caddy|cloudflare|openresty|simplehttp|basehttp|jetty|kestrel|microsoft-iis|istio-envoy|lighttpd|gws|amazons3|tritonserver|istio|awselb)(?:[/.-].*)?)",
      RE2::Latin1);
  return is_wholly(name, servers);
}

// A network's, as virtual machines and containers have.
bool is_interface(std::string_view name) {
  static constexpr auto kinds = std::to_array<std::string_view>(
      {"veth", "virbr", "vmbr", "macvlan", "cali", "flannel", "cilium", "weave", "tailscale"});
  return name.find('-') == name.npos &&
         std::ranges::any_of(kinds, [name](std::string_view kind) { return name.starts_with(kind); });
}

// Hexadecimal digits, and a decimal one of them early enough.
bool is_revision(std::string_view word) {
  constexpr std::size_t least_behind = 6;
  return word.find_first_not_of("0123456789abcdef") == word.npos && word.size() > least_behind &&
         std::ranges::any_of(word.substr(0, word.size() - least_behind), is_digit);
}

struct Token {
  std::string_view before{}, text{}, after{};
};

bool is_somebodys_name(const Token& token) {
  constexpr std::size_t looked_at = 64;
  const char prev = token.before.empty() ? ' ' : token.before.back();
  const char next = token.after.empty() ? ' ' : token.after.front();
  const std::string_view before = token.before.substr(token.before.size() - std::min(looked_at, token.before.size()));
  const bool is_marker =
      (prev == '<' && next == '>') || (token.before.ends_with("<|") && next == '|');  // <name>, <|endoftext|>
  if (is_namespace_of_clusters(token.text) || stands_in_words_of_kernel(token.before)) return false;
  if (is_file_of_programs(token.text) || is_marker || is_interface(token.text) || token.after.starts_with(" .so"))
    return false;
  if (token.text.find('.') != token.text.npos && is_public(token.text)) return false;
  if ((before.ends_with("erver: ") || before.ends_with("erver: \"")) && is_server(token.text)) return false;
  if (follows_integrity(token.text) || token.text.starts_with("GHSA-") ||
      (prev == '@' && (token.text == "libssh.org" || token.text == "openssh.com")))
    return false;
  if (next == '/' && (names_node(before) || is_public(token.text))) return false;
  if (prev == '@' && is_revision(token.text)) return false;
  if (is_value_of_label(before, token.text, token.after)) return true;
  if (is_labelled(before) || (prev == '@' && next != '(' && next != '.'))
    return holds_unknown_word(token.text, least_letters - 1) ||
           (is_number_of_account(token.text) && before.ends_with("account "));
  const bool numbered = token.after.starts_with("(uid") || token.after.starts_with("(gid");
  if (numbered && before.ends_with(" by ")) return true;
  if (std::string_view("$%\\~./-+#&*").find(prev) != std::string_view::npos || (next == '(' && !numbered) ||
      next == '=' || token.after.starts_with("::") || token.before.ends_with("::") || token.after.starts_with("\":") ||
      token.after.starts_with("':"))
    return false;
  if (is_evidence(before)) return false;
  static const LazyRegex plain(
      R"([a-z]+\d{0,4}|[A-Z][a-z]{3,}|[A-Za-z0-9]+(?:-[A-Za-z0-9]+)+|[a-z]+(?:[.][a-z]+){1,3})", RE2::Latin1);
  if (is_wholly(token.text, plain)) return holds_unknown_word(token.text, least_letters);
  if (!is_number_of_account(token.text)) return false;
  // "build: 3912 (edc26566)" of llama.cpp, an abbreviated commit.
  static const LazyRegex build(R"((?i)\bbuild:? (?:b?\d+ )?\($)", RE2::Latin1), hexadecimal("[0-9a-f]{7,12}");
  if (is_wholly(token.text, hexadecimal) && RE2::PartialMatch(Piece(before.data(), before.size()), build)) return false;
  static const LazyRegex of_other("(?:bz|rhbz|gh|pr|lp|nvbug|bcm|ath|sles|ts|it|exynos)\\d+|.*\\..*", RE2::Latin1);
  return !is_wholly(token.text, of_other) && holds_unknown_word(token.text, 2);
}

void withhold_unknown_words(std::string& text) {
  const auto continues = [](char c) { return is_ascii_letter(c) || is_digit(c) || c == '_' || c == '.' || c == '-'; };
  std::string out;
  std::size_t done = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_ascii_letter(text[at])) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    while (at < text.size() && continues(text[at])) ++at;
    std::string_view name = std::string_view(text).substr(begin, at - begin);
    while (name.ends_with('.') || name.ends_with('-') || name.ends_with('_')) name.remove_suffix(1);
    if (begin > 0 && (is_digit(text[begin - 1]) || text[begin - 1] == '_')) continue;
    const std::string_view all = text;
    if (!is_somebodys_name({all.substr(0, begin), name, all.substr(begin + name.size())})) continue;
    out.append(text, done, begin - done).append(name.find('.') == name.npos ? "<name>" : without_name(name));
    done = begin + name.size();
  }
  if (done > 0) text = out.append(text, done);
}

}  // namespace

void withhold_identifiers(std::string& text) {
  constexpr std::size_t least = 6;
  if (text.size() < least) return;
  const LowerText low(text);
  withhold_shared_links(text, low);
  if (text.find("://") != text.npos) withhold_addresses(text);
  if (text.find('.') != text.npos) withhold_domains(text);
  withhold_cloud_numbers(text, low);
  withhold_host_lists(text, low);
}

void withhold_names(std::string& text) {
  constexpr std::size_t least = 6;
  if (text.size() < least) return;
  const LowerText said(text);
  withhold_shared_links(text, said);
  withhold_ways_to_reach(text, said);
  if (text.find("://") != text.npos) withhold_addresses(text);
  withhold_foreign_words(text);
  if (text.find('\\') != text.npos) {
    withhold_windows_paths(text);
    withhold_accounts_of_domains(text);
  }
  if (text.find('.') != text.npos) withhold_domains(text);
  // What one withholds of it adds no word that the other needs.
  const LowerText low(text);
  withhold_cloud_numbers(text, low);
  withhold_host_lists(text, low);
  const bool one_word = text.find_first_of(" \t=\"'{") == text.npos;
  constexpr std::ptrdiff_t most_of_a_name = 2;  // "nvidia.com/gpu"
  if (std::ranges::count(text, '/') > (one_word ? most_of_a_name : 0)) withhold_relative_paths(text);
  if (one_word) return;
  if (text.find('/') != text.npos) withhold_paths(text);
  withhold_drawn_words(text);
  withhold_made_up_passwords(text);
  const LowerText left(text);
  withhold_people(text, left);
  withhold_personal_numbers(text, left);
  withhold_unknown_words(text);
}

}  // namespace envdoctor

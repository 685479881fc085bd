#include "probe/redaction/redact.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "host/text.h"
#include "knowledge/codes/names.h"
#include "knowledge/lazy_regex.h"
#include "knowledge/lower_case.h"
#include "probe/redaction/credential_lines.h"
#include "probe/redaction/env_values.h"
#include "probe/redaction/free_text.h"
#include "probe/redaction/lazy_pattern.h"
#include "probe/redaction/names_in_rows.h"
#include "probe/redaction/public_values.h"
#include "probe/redaction/replace_groups.h"
#include "probe/redaction/said_names.h"
#include "probe/redaction/secret_places.h"
#include "probe/redaction/secret_words.h"
#include "probe/revision_words.h"
#include "probe/text_piece.h"

namespace envdoctor {

namespace {

using Piece = re2::StringPiece;
using envdoctor::replace_groups;

// As replace_groups, for patterns without groups: keep(before, match, after).
template <class Keep>
void replace_unless(std::string& text, const RE2& pattern, std::string_view by, Keep keep) {
  replace_groups(text, pattern, by, [&](const std::array<Piece, 3>& groups) {
    const std::string_view all = text;
    const auto begin = static_cast<std::size_t>(groups[0].data() - text.data());
    return keep(all.substr(0, begin), all.substr(begin, groups[0].size()), all.substr(begin + groups[0].size()));
  });
}

template <class Keep>
void replace_groups(std::string& text, const LazyPattern& pattern, const LowerText& low, std::string_view by,
                    Keep keep) {
  if (const RE2* compiled = pattern.for_text(low)) replace_groups(text, *compiled, by, keep);
}

void replace_all(std::string& text, const LazyPattern& pattern, const LowerText& low, const char* by) {
  if (const RE2* compiled = pattern.for_text(low)) RE2::GlobalReplace(&text, *compiled, by);
}

bool is_word(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

void redact_emails(std::string& text) {
  static const LazyRegex email(R"([A-Za-z0-9][A-Za-z0-9._%+-]*@[A-Za-z0-9](?:[A-Za-z0-9-]*\.)+[A-Za-z]{2,})",
                               RE2::Latin1);
  // systemd's user@1000.service, Homebrew's node@20--20.11.1, OpenSSH's name of a cipher.
  static const LazyRegex other(
      R"(\.(?:service|scope|slice|socket|timer|mount|target)$|@\d+(?:\.\d+)*--|@(?:openssh\.com|libssh\.org)$)",
      RE2::Latin1);
  replace_unless(text, email, "<email>",
                 [](auto, std::string_view match, auto) { return RE2::PartialMatch(piece_of(match), other); });
}

void redact_paired_hardware_addresses(std::string& text) {
  static const LazyRegex mac(R"(\b[0-9a-fA-F]{2}(?:(?::[0-9a-fA-F]{2}){5,19}|(?:[-.][0-9a-fA-F]{2}){5})\b)",
                             RE2::Latin1);
  replace_unless(text, mac, "<mac>", [](std::string_view before, std::string_view match, std::string_view after) {
    if (match.size() > 50 && follows_fingerprint(before)) return true;
    const bool date = match.find_first_of("abcdefABCDEF") == match.npos;    // or a time
    const bool everybody = match.find_first_not_of("fF:-.") == match.npos;  // the address of all
    const bool part = (!before.empty() && (before.back() == '-' || before.back() == ':')) ||
                      (!after.empty() && (after.front() == '-' || after.front() == ':'));
    return date || everybody || (part && match.find('-') != match.npos);
  });
}

// Whether six pairs of characters with five equal signs between stand in it.
bool has_six_pairs(std::string_view text) {
  constexpr std::size_t step = 3;
  for (std::size_t at = 2; at + 4 * step + 2 < text.size(); ++at) {
    const char sign = text[at];
    if ((sign == ':' || sign == '-' || sign == '.') && text[at + step] == sign && text[at + 2 * step] == sign &&
        text[at + 3 * step] == sign && text[at + 4 * step] == sign)
      return true;
  }
  return false;
}

void redact_hardware_addresses(std::string& text, const LowerText& low) {
  if (has_six_pairs(text)) redact_paired_hardware_addresses(text);
  static const LazyPattern guid(R"(\b[0-9a-fA-F]{4}(?::[0-9a-fA-F]{4}){3}\b)", {{':', 3}},
                                19);  // of an InfiniBand port
  replace_all(text, guid, low, "<mac>");
  static const LazyPattern named_guid(R"((?i)(guid["']?\s*[:=]?\s*)(?:0x)?[0-9a-f]{16}\b)", {"guid"});
  replace_all(text, named_guid, low, R"(\1<mac>)");
}

// Without separators, behind a word that names them.
void redact_bare_hardware_addresses(std::string& text, const LowerText& low) {
  static const LazyPattern named(
      R"((?i)(\b(?:mac|hwaddr|ether|lladdr|hardware address|hostid)\b[ =:"']+|\benx)[0-9a-f]{12}\b)",
      {"mac", "hwaddr", "ether", "lladdr", "hardware address", "hostid", "enx"}, 15);
  replace_all(text, named, low, R"(\1<mac>)");
  // What PXE booted from, as it tells the kernel.
  static const LazyPattern booted(R"((?i)(\bBOOTIF=(?:[0-9a-f]{2}[-:])?)[0-9a-f]{2}(?:[-:][0-9a-f]{2}){5}\b)",
                                  {"bootif="});
  replace_all(text, booted, low, R"(\1<mac>)");
}

// Global, unique local and link-local ones.
void redact_ipv6(std::string& text) {
  static const LazyRegex ipv6(R"((?i)\b(?:[23][0-9a-f]{3}|f[cde][0-9a-f]{2})(?::[0-9a-f]{0,4}){2,7}(?:%\w+)?)",
                              RE2::Latin1);
  replace_unless(text, ipv6, "<ip>", [](auto, std::string_view match, std::string_view after) {
    std::size_t colons = 0;
    for (const char c : match) colons += c == ':' ? 1 : 0;
    return is_documentation_address(match) || (match.find("::") == match.npos && colons != 7) ||
           (!after.empty() && is_word(after.front()));
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
  if (numbers[0] == 0 || numbers[0] == 127 || numbers[0] == 255) return true;
  if (numbers == std::array{169, 254, 169, 254}) return true;                 // where clouds answer what an instance is
  if (is_documentation_address(match) || numbers[0] / 16 == 14) return true;  // 224 to 239: of all that listen
  const bool private_one = (numbers[0] == 192 && numbers[1] == 168) || (numbers[0] == 172 && numbers[1] / 16 == 1);
  if (before.empty() && after.empty()) return !private_one && numbers[0] < 32;
  if (!before.empty() &&
      (is_word(before.back()) || before.back() == '.' || before.back() == '-' || before.back() == '+'))
    return true;
  const bool low = numbers[0] < 14;  // most versions are
  if (low && before.ends_with('/') && !before.ends_with("//")) return true;
  if (!after.empty() && (is_word(after.front()) || after.front() == '-' || after.front() == '+')) return true;
  if (after.size() > 1 && after.front() == '.' && after[1] >= '0' && after[1] <= '9') return true;
  const Piece preceding(before.data(), before.size()), rest(after.data(), after.size());
  static const LazyRegex address(
      R"((?i)(?://|@|(?:\b|_)(?:ip|ipv4|inet|addr|address|hosts?|hostname|peer|server|worker|nodes?|endpoint|gateway|nameserver|ping|dns)["']?\s*[:= (\[]\s*|(?-i:[a-z](?:Addr(?:ess)?|Host|Ip|IP|Server|Peer))=|(?:connect(?:ing|ed)?|connection|listen(?:ing)?|bound|route|refused|reach|resolved) (?:to|from|on|by|at|via) |\bvia )$)",
      RE2::Latin1);
  static const LazyRegex port(R"(^(?::\d{2,5}|/\d{1,2})\b)", RE2::Latin1);
  if (RE2::PartialMatch(preceding, address) || RE2::PartialMatch(rest, port)) return false;
  constexpr int highest_of_versions = 32;  // above it only a word for a version makes it one
  static const LazyRegex assigned(R"([A-Za-z]= ?["']?$)", RE2::Latin1);
  if (numbers[0] <= highest_of_versions && RE2::PartialMatch(preceding, assigned)) return true;
  static const LazyRegex version(
      R"((?i)(?:version|release|driver|==|(?:built|linked|compiled) (?:against|with|for)|(?:nvidia|cu|cuda|cudnn|intel|lsf|erlang|otp|jdk|java|chrome|edge|oracle|esxi|vmware|bios|firmware|tensorrt|trt|nccl|libnv|opencl|runtime|toolkit|compiler|torch|rocm|hip|level.?zero)[\w-]*)["']?(?: library)?\s*[:= (v]?\s*$)",
      RE2::Latin1);
  return (low && numbers[0] != 10) || RE2::PartialMatch(preceding, version);
}

// As switches print hardware addresses: 3cec.ef12.3456.
void redact_dotted_hardware_addresses(std::string& text) {
  bool apart = false;  // two dots with four characters between
  for (std::size_t at = 5; at < text.size() && !apart; ++at) apart = text[at] == '.' && text[at - 5] == '.';
  if (!apart) return;
  static const LazyRegex dotted(R"(\b[0-9a-fA-F]{4}\.[0-9a-fA-F]{4}\.[0-9a-fA-F]{4}\b)", RE2::Latin1);
  replace_unless(text, dotted, "<mac>",
                 [](auto, std::string_view match, auto) { return match.find_first_of("abcdefABCDEF") == match.npos; });
}

// Whether four numbers with dots between stand in it.
bool has_dotted_numbers(std::string_view text) {
  int dots = 0;
  for (std::size_t at = 1; at + 1 < text.size(); ++at) {
    const bool after_digit = text[at - 1] >= '0' && text[at - 1] <= '9';
    const bool before_digit = text[at + 1] >= '0' && text[at + 1] <= '9';
    if (text[at] == '.' && after_digit && before_digit) {
      if (++dots == 3) return true;
    } else if (text[at] < '0' || text[at] > '9') {
      dots = 0;
    }
  }
  return false;
}

void redact_ipv4(std::string& text) {
  if (!has_dotted_numbers(text)) return;
  static const LazyRegex dotted(R"(\d{1,3}(?:\.\d{1,3}){3})", RE2::Latin1);
  replace_unless(text, dotted, "<ip>", is_no_address);
}

// Kinds of secrets. Without one of a kind's words it isn't there: in most texts no pattern has to be made and tried.
struct SecretKind {
  LazyPattern pattern;
  const char* by;
};

std::span<const SecretKind> secret_kinds() {
  static const SecretKind kinds[] = {
      {{R"((?i)PRIVATE KEY-----[^-]+|(?:-----)?BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?(?:-----[^-]*(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----)?)?)",
        {"private key"}},
       "<secret>"},
      {{R"((?i)((?:set-)?cookie|authorization)(["']?\s*[:=]\s*)(?:\d*[^\d\s]|\d{6})[^\r\n]*)",
        {"cookie", "authorization"}},
       R"(\1\2<secret>)"},
      // What a program's own options and commands take as a password.
      {{R"((?i)(\b(?:(?:docker|podman|helm|skopeo|buildah|oras|az|vault)(?: registry)? login|sshpass|ipmitool|mysql\w*|mariadb[\w-]*|ldap\w+|mongo\w*|openssl|7z\w?|(?:un)?(?:zip|rar))\b[^\n|;&]*? -(?:pass(?:in|out)?(?: pass:|[ =])|[pPw][ =]?|[akK][ =]))(?:"[^"]*"?|'[^']*'?|[^\s"']+))",
        {" -p", " -a", " -w", " -k"}},
       R"(\1<secret>)"},
      {{R"((\bSIGN2?="?)(?:[0-9A-F]{4}(?: [0-9A-F]{4}){3,}|[0-9A-F]{12,}))", {"sign=", "sign2="}},
       R"(\1<secret>)"},                                                        // of FlexLM's licences
      {{R"((\bSERVER \S+ )[0-9A-Fa-f]{12}\b)", {"server "}}, R"(\1<serial>)"},  // the same: the server's host id
      {{R"((\bgitlab-runner [^\n]{1,80}? on \S+ )[\w-]{8,}(, system ID))", {"gitlab-runner"}}, R"(\1<secret>\2)"},
      {{R"((\bredis-cli\b[^\n|;&]*? (?:-a|--pass|--askpass) )\S+)", {"redis-cli"}}, R"(\1<secret>)"},
      {{R"((\bmc:? (?:alias|config host) (?:set|add) \S+ \S+ )\S+ \S+)", {"mc alias", "mc: alias", "mc config host"}},
       R"(\1<secret> <secret>)"},
      // Numbers of people and their contracts, and names as DICOM writes them: FAMILY^GIVEN^TITLE.
      {{R"((?i)(\b(?:mrn|ssn|iban|(?:patient|customer|client|employee|member|policy|account|contract)[ _-]?(?:id|no|nr|num|number))["']?\s*[:=#]\s*["']?)[a-z0-9][\w.-]{3,})",
        {"mrn", "ssn", "iban", "patient", "customer", "client", "employee", "member", "policy", "account", "contract"}},
       R"(\1<secret>)"},
      {{R"(\b[A-Z][A-Za-z'-]+\^[A-Z][A-Za-z'-]*(?:\^[\w.'-]*){0,3})", {"^"}}, "<name>"},
      {{R"(((?:用户名?|账号|帐号|ユーザー名?|사용자|пользовател[ья]|логин)\s*(?:[:=]|：)\s*)[\w.@-]{2,})",
        {"\xe7\x94\xa8", "\xe8\xb4\xa6", "\xe5\xb8\x90", "\xe3\x83\xa6", "\xec\x82\xac", "\xd0\xbf", "\xd0\xbb"}},
       R"(\1<user>)"},
      {{R"((?i)(\blogin [^\n]*--(?:key|code)[ =])\S+)", {"login "}}, R"(\1<secret>)"},
      {{R"((?i)(--(?:discovery-token-ca-cert-hash|auth[_-]?code|device[_-]?code)[ =])\S+)", {"--"}}, R"(\1<secret>)"},
      {{R"((?i)(\bunique[ _]?id["']?\s*:\s*["']?)0x[0-9a-f]{8,16}\b)", {"unique"}}, R"(\1<serial>)"},
      {{R"((?i)(\bkey[:=] ?)[0-9a-f]{4,12}(?: [0-9a-f]{4,12}){2,})", {"key"}}, R"(\1<secret>)"},
      {{R"((?i)(\b(?:vault|wandb|auth) login (?:-\S+ )*)[^\s-]\S{7,})", {"vault login", "wandb login", "auth login"}},
       R"(\1<secret>)"},
      {{R"(\$(?:[156y]|apr1|sha1|md5|2[abxy]|argon2\w{1,2})\$[\w./$,=+-]{8,}|pbkdf2\w*\$[\w./$,=+-]{8,})",
        {"$1$", "$2", "$5$", "$6$", "$y$", "$apr1$", "$sha1$", "$md5$", "$argon2", "pbkdf2"}},
       "<secret>"},
      {{R"((arn:aws[\w-]*:[\w-]*:[\w-]*:)\d{12}(:user/[\w.@+-]+)?)", {"arn:aws"}}, R"(\1<secret>)"},
      {{R"((\s-U\s*["']?[\w.\\-]+%)(?:[^\s"']|["']\S)+)", {"-u "}}, R"(\1<secret>)"},
      {{R"((?i)(\b(?:snmp\w+|braa|onesixtyone)\b[^\n|;&]*? -[cAX][ =]?)(?:"[^"]*"?|'[^']*'?|[^\s"']+))",
        {"snmp", "braa", "onesixtyone"}},
       R"(\1<secret>)"},
      {{R"((?i)(\b(?:useradd|usermod|adduser)\b[^\n|;&]*? (?:-p|--password)[ =])\S+)",
        {"useradd", "usermod", "adduser"}},
       R"(\1<secret>)"},
      {{R"((?i)(\b(?:log(?:ged|ging)? ?in|sign(?:ed)? ?in|authenticat\w+|connect\w*) (?:as|with user|using) \S+ (?:with|using|and|/|:) ?)["']?[^\s"']{4,})",
        {" as ", " with user ", " using "}},
       R"(\1<secret>)"},
      {{R"((?i)(\bsetuser\b[^\n]*? [>#])\S+)", {"setuser"}}, R"(\1<secret>)"},
      {{R"((?i)(\b(?:tacacs|radius)\S*\b[^\n]{0,60}?\b(?:key|secret)[ =:]+(?:\d )?)[^\s"']{4,})", {"tacacs", "radius"}},
       R"(\1<secret>)"},
      {{R"x((?i)(\bsend (?:-- )?)"[^"\n]*\\[rn]")x", {"send "}}, R"(\1<secret>)"},
      {{R"((\bkey s:)\S+)", {"key s:"}}, R"(\1<secret>)"},
      // Positions that commands take a password at.
      {{R"((?i)(\bnet use (?:[a-z]: |\* |lpt\d: )?\S+ )[^\s/]\S*)", {"net use"}}, R"(\1<secret>)"},
      {{R"((?i)(\bnet user (?:/\S+ )*[^\s/]\S* )[^\s/]\S*)", {"net user"}}, R"(\1<secret>)"},
      {{R"((?i)(\bhtpasswd (?:-\w+ )*(?:\S*[/.]\S* )?\S+ )[^\s>|;&-]\S*)", {"htpasswd"}}, R"(\1<secret>)"},
      {{R"((?i)(\b(?:rabbitmqctl (?:add_user|change_password|authenticate_user)|radtest|wpa_passphrase|mc (?:alias set|config host add) \S+ \S+|(?:mc )?admin user add \S+|saslpasswd2?) (?:-\w+ )*(?:"[^"]*"|'[^']*'|\S+) )(?:"[^"]*"?|'[^']*'?|[^\s"']+))",
        {"rabbitmqctl", "radtest", "wpa_passphrase", "mc ", "admin user add", "saslpasswd"}},
       R"(\1<secret>)"},
      {{R"((?i)(\b(?:sqlplus|expdp|impdp|sqlldr|rman|exp|imp)\b[^\n|;&]*? '?"?[a-z_]\w*/)[^\s@"']+)",
        {"sqlplus", "expdp", "impdp", "sqlldr", "rman", "exp ", "imp "}},
       R"(\1<secret>)"},
      {{R"((?i)(\b(?:x?freerdp|rdesktop|mstsc|wlfreerdp|psexec\S*|wmic|schtasks|runas|winrs|bitsadmin|cmdkey|plink|pscp|psftp|putty)\b[^\n]*? (?:/p:|/rp |/password:|/pass:|-pw |-p |/p ))(?:"[^"]*"?|\S+))",
        {"rdp", "rdesktop", "mstsc", "psexec", "wmic", "schtasks", "runas", "winrs", "bitsadmin", "cmdkey", "plink",
         "pscp", "psftp", "putty"}},
       R"(\1<secret>)"},
      {{R"((?i)(\b(?:ssh-keygen|gpg2?|cryptsetup|keytool|jarsigner|openssl|sqlcmd|bcp|osql|isql|tsql|cqlsh|influx|mosquitto_\w+|nats|amqp-\w+|kcat|kafkacat|ftp|lftp|ncftp\w*|rpcclient|smbget|crackmapexec|netexec|evil-winrm|evtest|hydra|vncviewer|x11vnc|oc login|rancher login|argocd login|cf login|heroku|ibmcloud login|nomad|consul|restic|borg|duplicity|s3cmd|git-crypt|ansible\S*|zip|7z\w?|rar|unrar|qpdf|pdftk)\b[^\n|;&]*? (?:(?-i:-N|-P|-w|-X|-p) ?|(?:-pass|-storepass|-keypass|-passwd) |(?:--passphrase|--pass|--rpc-secret)[= ]))(?:pass:)?(?:"[^"]+"?|'[^']+'?|[A-Za-z0-9][^\s"']*))",
        {" -n", " -p", " -w", " -x", " -storepass", " -keypass", " --pass", " --rpc-secret"}},
       R"(\1<secret>)"},
      // Files of a name and a password, or of hosts with both.
      {{R"(((?:^|\s)[A-Za-z*][\w.*-]*:(?:\d{2,5}|\*):[A-Za-z*][\w.*-]*:[A-Za-z*][\w.@*-]*:)\S+)", {{':', 4}}},
       R"(\1<secret>)"},
      {{R"((?m)(^[a-z_][\w.-]*:)\{(?:SHA|SSHA\d*|PLAIN|CRYPT|MD5|SMD5|CLEARTEXT|NT)\}\S+)", {":{"}}, R"(\1<secret>)"},
      {{R"((\b[a-f0-9]{32}:)[a-f0-9]{32}\b)", {":"}, 65, 32}, R"(\1<secret>)"},
      // PASS, AUTH and USER of protocols that speak in lines.
      {{R"(((?:^|[\s>"'<])(?:PASS|AUTH(?: (?:PLAIN|LOGIN|default|CRAM-MD5))?) )(?:"[^"]+"?|'[^']+'?|[^\s"']+))",
        {"pass ", "auth "}},
       R"(\1<secret>)"},
      // Options that stand behind a user's name, whatever the program.
      {{R"((\s(?:-u|--user(?:name)?|-U|-l)[= ]?[^\s-]\S* (?:-p|-P|-w|--pass(?:word)?)[= ]?)(?:"[^"]*"?|'[^']*'?|[^\s"'-][^\s"']*))",
        {" -u", " --user", " -l"}},
       R"(\1<secret>)"},
      {{R"((?i)(\s-u [\w.@-]+,)\S+)", {"-u "}}, R"(\1<secret>)"},
      {{R"((?i)(\s/user:\S+ )[^\s/]\S*)", {"/user:"}}, R"(\1<secret>)"},
      {{R"((\bLOGIN \S+ )(?:"[^"]*"?|[^\s"]+))", {"login "}}, R"(\1<secret>)"},
      {{R"((?i)([?&](?:code|ticket|nonce|assertion|sig|otp)=)[^&\s"']{12,})",
        {"code=", "ticket=", "nonce=", "assertion=", "sig=", "otp="}},
       R"(\1<secret>)"},
      {{R"((?i)(\bpassw(?:or)?d\s+(?:(?:is|was)\s+)?(?:now|set to|changed to|reset to)\s+)["']?[^\s"']+)", {"passw"}},
       R"(\1<secret>)"},
      {{R"((?i)(key\w*[ :=]+)0x[0-9a-f]{8,})", {"key"}}, R"(\1<secret>)"},
      {{R"((?i)(conda[\w.-]*/t/)[^/\s]+)", {"/t/"}}, R"(\1<secret>)"},
      {{R"((::(?:server|agent|node):)\S+)", {"::server:", "::agent:", "::node:"}}, R"(\1<secret>)"},
      {{R"((\biqn\.\d{4}-\d{2}\.)[\w.-]+(?::[\w.:-]+)?)", {"iqn."}}, R"(\1<name>)"},
      {{R"((?i)(id[ :=]+)[0-9a-f]{4}(?: [0-9a-f]{4}){3,7}\b)", {"id ", "id:", "id="}, 22}, R"(\1<uuid>)"},
      {{R"((?i)(\b(?:(?:sms|pager|dial)\b[^\d\n]{1,12}|calls? (?:me|us|at|support|the (?:lab|desk|office))\b[^\d\n]{0,12}|call:? ?\+|call: ?))\+?\d[\d ()./-]{6,}\d)",
        {"sms", "pager", "call", "dial"},
        12},
       R"(\1<phone>)"},
      {{R"((?i)(\bsnmp\S*[^\n]{0,40}\bcommunity(?:\s+|\s*[:=]\s*))\S+)", {"community"}}, R"(\1<secret>)"},
      {{R"((?i)(\b(?:require|master)(?:pass|auth)|\br[ow]community6?|\bcom2sec \S+ \S+)(\s+)["']?[^\s"']+)",
        {"requirepass", "masterauth", "community", "com2sec"}},
       R"(\1\2<secret>)"},
      // connect("where", "who", "password")
      {{R"((?i)(\b(?:connect|login|authenticate|createconnection)\((?:"[^"\n]*"|'[^'\n]*'), ?(?:"[^"\n]*"|'[^'\n]*'), ?["'])[^"'\n]+)",
        {"connect(", "login(", "authenticate(", "createconnection("}},
       R"(\1<secret>)"},
      {{R"((?i)(\bbearer\s+)[A-Za-z0-9._~+/=-]{8,})", {"bearer"}}, R"(\1<secret>)"},
      {{R"((?i)(pass(?:word|phrase) for [^:;]{1,80}: )\S+)", {"password for", "passphrase for"}}, R"(\1<secret>)"},
      {{R"((?i)(\b(?:curl|wget)\b[^\n]*?\s(?:-u|--user|--proxy-user|--http-user)[ =]?)(?:"[^"]*"?|'[^']*'?|[^\s"']+))",
        {"curl", "wget"}},
       R"(\1<secret>)"},
      // The path of a web hook is its password.
      {{R"((?i)(hooks\.slack\.com/\w+/|softlayer.com/soap/v3(?:.1)?/|/(?:incoming)?webhooks?(?:b2)?/)[\w/@-]{8,})",
        {"hooks.slack.com/", "softlayer", "webhook"}},
       R"(\1<secret>)"},
      {{R"(PuTTY-User-Key-File-\d[^\n]*)", {"putty-user-key-file"}}, "<secret>"},
      {{R"(\b(?:gl(?:imt|ptt|agent|oas|soat|rt|ft|cbt)-[\w-]{16,}|GR1348941[\w-]{16,}|(?:ABIA|ACCA|A3T[A-Z0-9])[0-9A-Z]{16}\b|sq0[a-z]{3}-[\w\\-]{20,}))",
        {"glimt-", "glptt-", "glagent-", "gloas-", "glsoat-", "glrt-", "glft-", "glcbt-", "gr1348941", "abia", "acca",
         "a3t", "sq0"},
        20},
       "<secret>"},
      {{R"(\b(?:[0-9a-z]{32}-us[0-9]{1,2}|(?:AC|SK)[a-z0-9]{32})\b)", {"-us", "ac", "sk"}, 34, 32}, "<secret>"},
      {{R"(\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|hf_[A-Za-z0-9]{20,}|xox[abeoprs]-[\w-]{10,}|xapp-[\w-]{10,}|(?:AKIA|ASIA)[0-9A-Z]{16}|nvapi-[\w-]{20,}|sk-[A-Za-z0-9_-]{20,}|eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*|AIza[\w-]{30,}|ya29\.[\w-]{20,}|npm_[A-Za-z0-9]{30,}|pypi-[\w-]{16,}|[sr]k_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[\w+/=-]{16,}|dckr_pat_[\w-]{20,}|glsa_\w{20,}|hvs\.[\w-]{20,}|SG\.[\w-]{16,}\.[\w-]{16,}|dop_v1_[0-9a-f]{32,}|tskey-[\w-]{16,}|AGE-SECRET-KEY-[A-Z0-9]{20,}|key-[0-9a-f]{32}|shpat_[0-9a-f]{32}|lin_api_\w{30,}|ATBB\w{20,}|ATATT\w{16,}|GOCSPX-[\w-]{16,}|1//0[\w-]{20,}|hv[br]\.[\w-]{20,}|gsk_\w{30,}|secret_[\w-]+_[0-9a-f]{8,}\.\w{12,}|r8_\w{30,}|pplx-\w{30,}|dapi[0-9a-f]{32}|wandb_v\d_\w{20,}))",
        {"wandb_v", "ghp_",    "gho_",     "ghu_",       "ghs_",     "ghr_",    "github_pat_", "glpat-", "hf_",
         "xox",     "xapp-",   "akia",     "asia",       "nvapi-",   "sk-",     "eyj",         "aiza",   "ya29.",
         "npm_",    "pypi-",   "sk_live_", "sk_test_",   "rk_live_", "whsec_",  "dckr_pat_",   "glsa_",  "hvs.",
         "sg.",     "dop_v1_", "tskey-",   "age-secret", "key-",     "shpat_",  "lin_api_",    "gsk_",   "secret_",
         "r8_",     "pplx-",   "dapi",     "atbb",       "atatt",    "gocspx-", "1//0",        "hvb.",   "hvr."},
        15},
       "<secret>"},
      {{R"(\bEAA[A-Za-z0-9]{60,})", {"eaa"}, 63, 63}, "<secret>"},  // by itself: the letters stand in many hex digits
      {{R"(\bs\.[A-Za-z0-9]{24}\b)", {"s."}, 26, 24}, "<secret>"},
      {{R"(\b(?:[A-Z0-9]{5}-){4}[A-Z0-9]{5}\b)", {{'-', 4}}, 29, 5}, "<secret>"},
      {{R"((?i)((?:\b|_)(?:serial(?:[ _-]?(?:number|num|no|short))?(?: ?\(\w+\))?|s/n|sn|(?:asset|service)[ _-]?tag)\.?["']?(?:\s*(?:=>|[:=#])\s*|\s+(?:is\s+)?)["']?)(?:(?-i:[./][A-Z0-9]{5,}[./][A-Z0-9./-]+)|[A-Za-z0-9-]*[0-9]{4}[A-Za-z0-9-]*|[0-9a-f]*[0-9][0-9a-f]{6,}\b|(?-i:[A-Z-]*[0-9][A-Z0-9-]*[A-Z][A-Z0-9-]*|[A-Z]+-?[0-9][A-Z0-9-]+)\b))",
        {"serial", "asset", "service", "sn:", "sn=", "sn ", "sn#", "sn.", "sn\"",
         // Neither the end of "isn't" nor vendors/nvidia.icd.
         "sn' ", "sn':", "sn'=", "sn'#", "sn'\t", "sn'\r", "sn'\n", "sn'\f", "s/n:", "s/n=", "s/n ", "s/n#", "s/n.",
         "s/n\"", "s/n'", "s/n\t", "s/n\r", "s/n\n", "s/n\f"}},
       R"(\1<serial>)"},
      // Dell's service tag, as Redfish calls it.
      // A row of a table: "Board Serial | 0323118027719", with a GPU's number between.
      {{R"((?i)(\bserial\b[^|]{0,40}\|\s*|\bserial\b[^|]{0,40}\|\s*\d{1,2}\s*\|\s*)\d{10,14}\b)", {"serial"}},
       R"(\1<serial>)"},
      {{R"((\bSKU["']?\s*[:=]\s*["']?)[0-9A-Z]{7}\b)", {"sku"}}, R"(\1<serial>)"},
      {{R"((<\w*serial\w*>\s*)[A-Za-z0-9-]{6,}(\s*</))", {"serial"}}, R"(\1<serial>\2)"},
      {{R"(\b((?:INCREMENT|FEATURE)(?: \S+){5} )[0-9A-F]{12}\b)", {"increment ", "feature "}}, R"(\1<mac>)"},
      // A row of nvidia-smi's CSV whose header stands elsewhere: a GPU's serial number has 13 digits.
      {{R"((\b(?:NVIDIA|Tesla|Quadro|GeForce) [^,\n]*(?:, ?[^,\n]*){0,8}, ?)[01]\d{12}\b)",
        {"nvidia ", "tesla ", "quadro ", "geforce "},
        0,
        13},
       R"(\1<serial>)"},
  };
  return kinds;
}

// A value behind a name that tells a secret, however the two are joined. What language models call a token, a count, a
// marker as <pad> or nothing at all, stays; so does the working directory.
bool is_no_secret(std::string_view key, std::string_view value) {
  static const LazyRegex of_models(
      R"((?i)(?:^|[_-])(?:max|min|num|n|pad|eos|bos|unk|sep|cls|mask|total|prompt|new|first|last|special|stop|image|text|next|per|add)[_-]?token$)",
      RE2::Latin1);
  static const LazyRegex nothing(
      R"((?i)["']?(?:<[^<>]*>?|[\[(][\w\s.,*\[\]-]{0,200}[\])]*(?:\s*->.*)?|identifier|string|keyword|eof|none|null|true|false|yes|no|required|optional|not|an?|the|expecting|mismatch|missing|empty|invalid|wrong|incorrect|expired|unset|undefined|unknown|must|cannot|can|could|should|will|does|has|have|was|is|are|failed|denied|disabled|enabled|locked|accepted|rejected|provided|ignored|unchanged|eos|bos|pad|unk|cls|sep|mask|authentication|account|session|falsch|ungültig|abgelaufen|incorrecte?|incorrecta|invalide|inválid[ao]|erron(?:é|e)e?|err[ao]t[ao]|onjuist|fel|błędne|неверный|неправильный|错误|無効|amd64|arm64|i386|for|in|of|to|from|with|or|and|)["'`]?[,.;:)}\]`]*)",
      RE2::Latin1);
  static const LazyRegex counted(
      R"((?i)(?:^|.*[_-])(?:n|num|max|min|per|forward|backward|multi|single|first|second)_pass)", RE2::Latin1),
      count(R"(\d{1,6}(?:\.\d+)?(?:[num]?s)?[,.;:)}\]]*)", RE2::Latin1);
  static const LazyRegex small_count("[0-9]{1,2}", RE2::Latin1), of_digits("(?i)otp|pin|code", RE2::Latin1);
  static const LazyRegex pinned(R"((?:[A-Za-z][\w.-]*=)?=\d+(?:\.\d+)+[\w.+-]*[,;:)]?)",
                                RE2::Latin1);  // a package: tiktoken==0.7.0
  // docker-credential-helpers 0.8.1
  static const LazyRegex package(R"((?i).*[_-](?:helpers?|tools?|utils?|cli|common|libs?|dev|managers?|providers?))",
                                 RE2::Latin1),
      version(R"(\d+(?:\.\d+)+[\w.+~-]*)", RE2::Latin1);
  // "the padding token: pad_token='</s>'"
  const std::string_view assigned = value.substr(0, value.find('='));
  const Piece name(key.data(), key.size()), said(value.data(), value.size());
  static const LazyRegex variable(R"(["']?(?:\$\{?[A-Z][A-Z0-9_]{3,}\}?|%[A-Z][A-Z0-9_]{3,}%|\$\{\{.*)["'`,;)}]*)",
                                  RE2::Latin1);  // which holds it elsewhere
  return is_public_value(key, value) || RE2::FullMatch(said, pinned) || RE2::FullMatch(said, variable) ||
         (assigned.size() < value.size() && RE2::PartialMatch(piece_of(assigned), of_models)) ||
         (RE2::FullMatch(name, package) && RE2::FullMatch(said, version)) ||
         (RE2::FullMatch(said, small_count) && !RE2::PartialMatch(name, of_digits)) ||
         (RE2::FullMatch(name, counted) && RE2::FullMatch(said, count)) || RE2::PartialMatch(name, of_models) ||
         RE2::FullMatch(said, nothing) || (key.ends_with("PWD") && value.starts_with('/'));
}

bool has_digit(Piece text) {
  return std::ranges::any_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

void redact_named(std::string& text, const LowerText& low) {
  static const std::string key =
      R"(((?:[\w-]*(?:secret|passw(?:[o0]r)?d|passwd|passphrase|pwd|credential|jwt|signature)[\w-]*(?:\.key)?)"
      // In other languages, too.
      R"(|passwort|kennwort|contrase\pL+a|mot de passe|wachtwoord|senha|[\w-]+[_-]pat)"
      R"(|[\w-]+[_-](?:pass|auth)|(?:[\w-]+[_-])?licen[cs]e[_-]?(?:id|no|nr|number|code|serial)|\b(?:sig|otp|psk)|[\w-]*(?:token|passcode)|ssh_auth_sock|sess(?:ion)?[_-]?id)"
      R"(|[\w-]*(?:api|access|private|licen[cs]e|account|signing|encryption|master|shared|storage|subscription|ssh)"
      R"(|deploy|session|hmac|wandb|comet|neptune|ngc|openai)[_-]?key(?:[_-]?(?:id|b64|base64|bin|hex|val(?:ue)?|str(?:ing)?|raw|text))?)))";
  // To the end of its token: to its quotation mark, or to white space.
  static const std::string value =
      R"((\w[\w:.]*\(["'][^"']*["']?\)?|\\+["'][^"']*|"[^"]*"?|'[^']*'?|(?:\\\s|[^\s"'])+))";
  static const LazyPattern joined(
      "(?i)" + key +
          R"((?:["'\])\\]|%22){0,5}(?:\s*(?::=|=>|::|[=:]|%3[ad](?:%22)?|\\*(?:x|u00)3[ad])\s*| +(?:is|was) +(?:set to +)?))" +
          value,
      {"=", ":", "%3", "x3d", "x3a", "u003", " is ", " was "});
  // In a sentence: between quotation marks, or a word with a figure in it.
  static const LazyPattern in_sentence(
      R"((?i)((?:passw(?:or)?d|passcode|passphrase)|\b(?:otp|pin|one-time)(?: code)?)(?:\s*[:=]\s*|\s+(?:(?:is|was)\s+)?)('[^']+'|"[^"]+"|[^\s"']*[0-9][^\s"']*))",
      {"passw", "passcode", "passphrase", "otp ", "otp:", "otp=", "pin ", "pin:", "pin=", "one-time"});
  // As a word behind another word: ("HF_TOKEN", "…"), token … was refused, API key provided: …
  // {"name": "DB_PASSWORD", "value": "…"}, <add key="ApiKey" value="…"/>
  static const LazyPattern name_and_value(
      R"((?i)(?:key|name)["']?\s*[=:]\s*["']?)" + key + R"(["']?,?\s*["']?value["']?\s*[=:]\s*)" + value, {"value"});
  // "auth": "base64", CSRF: …
  static const LazyPattern coded(R"((?i)\b(auth|csrf)["']?\s*:\s*["']?([\w+/-]{12,}=*))", {"auth", "csrf"});
  static const LazyPattern quoted_word(
      R"((?i)((?:\b|_)(?:token|api[ _-]?key|access[ _-]?key|secret)["'\]]?,?\s*["'])([^"'\s]{6,})["'])", {"\"", "'"});
  static const LazyPattern next_word(
      R"((?i)((?:\b|_)(?:token|api[ _-]?key|access[ _-]?key|secret)(?: (?:provided|is|was|of|named?|with|(?:end|start|beginn)ing (?:with|in)))?:? )([\w*/+-]{10,}))",
      {" "});
  // auth=("user", "password")
  static const LazyPattern pair(R"((?i)((?:auth|credentials?|login)\w*)\s*[=:]?\s*\(([^()\n]*,[^()\n]*[^()\s]))",
                                {"("});
  // Names that tell little: with a long value of letters and digits they name a key.
  static const LazyPattern long_value(
      R"((?i)([\w-]*(?:pass|pw|pwd|key|token|secret|password)(?:["'\])]{0,3}\s*(?::=|=>|::|[=:])\s*["']?|["'\])]{0,3}\s*["']|["'\])]{1,3}\s+))([a-z0-9_-]{20,}[^\s"']*))",
      {"=", ":", "\"", "'", "]", ")"}, 23);
  static const LazyPattern option("(?i)-" + key + R"([ =]\s*)" + value, {" ", "="});
  static const LazyPattern in_file(
      R"((?i)(?:^|\W)(?:(?:env|arg|set(?:env)?)[ \t]+|\[|<))" + key + R"((?:[\]>]\s*|\s))" + value,
      {"env ", "env\t", "arg ", "arg\t", "set ", "set\t", "[", "<"});
  static const LazyPattern short_name(
      R"(\b(pass|auth|pw|(?:SSH|DB|PG|MYSQL|SMTP|FTP|LDAP|ADMIN|ROOT|USER|BMC|IPMI|VNC|KEY|STORE)PASS)(?:=|["'] ?=> ?))" +
          value,
      {"pass=", "auth=", "pw=", "=>"});
  for (const LazyPattern* pattern : {&pair, &joined, &name_and_value, &option, &in_file, &short_name, &in_sentence}) {
    replace_groups(text, *pattern, low, "<secret>", [&](const std::array<Piece, 3>& groups) {
      const auto& [whole, name, said] = groups;
      if (pattern == &pair && !has_digit(said) && said.find('"') == said.npos && said.find('\'') == said.npos)
        return true;  // names of parameters
      const bool own_mark = name == "secret" && name.data() > text.data() && name.data()[-1] == '<';
      const std::string_view all = text;
      const auto begin = static_cast<std::size_t>(name.data() - text.data());
      const auto end = static_cast<std::size_t>(said.data() + said.size() - text.data());
      return own_mark ||
             is_counted(all.substr(0, begin), {name.data(), name.size()}, {said.data(), said.size()},
                        all.substr(end)) ||
             is_no_secret({name.data(), name.size()}, {said.data(), said.size()});
    });
  }
  replace_groups(text, coded, low, "<secret>", [](const std::array<Piece, 3>& groups) {
    return !has_digit(groups[2]) || std::ranges::none_of(groups[2], [](char c) { return c >= 'A' && c <= 'Z'; });
  });
  replace_groups(text, quoted_word, low, "<secret>", [](const std::array<Piece, 3>& groups) {
    return !has_digit(groups[2]) || is_no_secret(groups[1].as_string(), groups[2].as_string());
  });
  replace_groups(text, next_word, low, "<secret>", [](const std::array<Piece, 3>& groups) {
    // A name of a class, as Qwen2Tokenizer, is no key.
    static const LazyRegex drawn("[A-Za-z*_-]*[A-Z][A-Za-z*_-]*[0-9]|[A-Za-z*_-]*[0-9][\\w*-]*[A-Z]", RE2::Latin1),
        name("[A-Za-z]+[0-9]*(?:[A-Z][a-z]+)+", RE2::Latin1);
    const std::string_view said(groups[2].data(), groups[2].size());
    return RE2::FullMatch(groups[2], name) || (!RE2::PartialMatch(groups[2], drawn) && !looks_drawn(said));
  });
  replace_groups(text, long_value, low, "<secret>", [&text](const std::array<Piece, 3>& groups) {
    const std::string_view before(groups[1].data(), groups[1].size()), said(groups[2].data(), groups[2].size());
    if (names_certificate(std::string_view(text.data(), static_cast<std::size_t>(before.data() - text.data()))))
      return true;
    const bool quoted = before.find_first_of("\"'") != before.npos;
    const bool plain = !quoted && said.find_first_of("0123456789") == said.npos;
    return !looks_drawn(said) && (plain || said.find('_') != said.npos);
  });
}

// Whether a text ends in words that say that a revision or a digest follows.
bool names_a_revision(std::string_view before, std::string_view after) {
  static const LazyRegex revision(ends_before_revision("|/|stable-|insiders?-"));
  return RE2::PartialMatch(piece_of(before), revision) || follows_integrity(before) || names_certificate(before) ||
         is_checksum(before, after);
}

// Drawn words behind no name that tells of them, but of forms that programs use: between quotation marks, behind a
// number and a colon, in three parts with dots, or short behind = and :.
void redact_unnamed_keys(std::string& text, const LowerText& low) {
  static const LazyPattern quoted(R"(["']([A-Za-z0-9/+]{40}|[A-Za-z0-9/+]{42,}={1,2})\\?["'])", {"\"", "'"}, 42,
                                  Run::with_marks(40));
  static const LazyPattern numbered(R"((?:\b[0-9]{8,10}|bot[0-9]+):([A-Za-z0-9_-]{34,35}))",
                                    {"0:", "1:", "2:", "3:", "4:", "5:", "6:", "7:", "8:", "9:"}, 39,
                                    Run::with_marks(34));
  static const LazyPattern parts(R"(\b([MNO][A-Za-z0-9_-]{23,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27}))", {{'.', 2}},
                                 59, Run::with_marks(27));
  static const LazyPattern behind_mark(R"((?:^|[\s=:"'])((?:AKC[a-zA-Z0-9]|AP[0-9A-F])[A-Za-z0-9]{8,}))",
                                       {"akc", "ap0", "ap1", "ap2", "ap3", "ap4", "ap5", "ap6", "ap7", "ap8", "ap9",
                                        "apa", "apb", "apc", "apd", "ape", "apf"},
                                       11, 11);
  static const LazyPattern long_one(R"(\b([A-Za-z0-9]{36,})\b)", {}, 36, 36);
  for (const LazyPattern* pattern : {&quoted, &numbered, &parts, &behind_mark, &long_one}) {
    replace_groups(text, *pattern, low, "<secret>", [&](const std::array<Piece, 3>& groups) {
      const std::string_view word(groups[1].data(), groups[1].size());
      const std::string_view all = text;
      const auto at = static_cast<std::size_t>(word.data() - text.data());
      const bool bare = pattern == &long_one;
      return !looks_drawn(word, bare) ||
             ((bare || pattern == &quoted) && names_a_revision(all.substr(0, at), all.substr(at + word.size())));
    });
  }
}

// Keys without a name: 40 hex digits that no revision is said to have, lines of nothing but base64.
void redact_bare_keys(std::string& text, const LowerText& low) {
  static const LazyPattern hex(R"(\b[0-9a-f]{40}\b)", {}, 40, 40);
  if (const RE2* compiled = hex.for_text(low))
    replace_unless(text, *compiled, "<secret>",
                   [](auto before, auto, auto after) { return names_a_revision(before, after); });
  redact_unnamed_keys(text, low);
  static const LazyPattern base64(R"((?m)^[ \t]*([A-Za-z0-9+/]+={0,2})[ \t\r]*$)", {}, 60, Run::with_marks(58));
  replace_groups(text, base64, low, "<secret>",
                 [](const std::array<Piece, 3>& groups) { return groups[1].size() < 60; });
}

// user:password@host without a scheme; not image:tag@sha256:digest.
void redact_logins(std::string& text) {
  static const LazyRegex login(R"(\b[A-Za-z_][\w.-]*:([^\s@:/"'<>=,]{4,})@[A-Za-z0-9][\w.-]*\b)", RE2::Latin1);
  replace_groups(text, login, "<secret>", [](const std::array<Piece, 3>& groups) {
    const std::string_view all(groups[0].data(), groups[0].size());
    return all.ends_with("@sha256") || all.ends_with("@sha512");
  });
}

void redact_secrets(std::string& text, const LowerText& low) {
  for (const SecretKind& kind : secret_kinds()) replace_all(text, kind.pattern, low, kind.by);
  if (low.has("@") && low.has(":")) redact_logins(text);
  static const Needed named[] = {"secret",   "pass",   "pw",    "key",  "credential", "sig", "auth",  "sess",
                                 "licen",    "otp",    "token", "jwt",  "psk",        "pin", "login", "kennw",
                                 "contrase", "wachtw", "senha", "_pat", "-pat",       "csrf"};
  if (std::ranges::any_of(named, [&low](const Needed& word) { return word.in(low); })) redact_named(text, low);
  if (text.size() >= 40)
    redact_bare_keys(text, low);
  else if (text.size() >= 12)
    redact_unnamed_keys(text, low);
}

// "git@node7:repo", "alice@node7:~$". A version of a symbol or of a package, a terminal of systemd's getty, or who
// defined a cipher, stands behind an @ as well.
void redact_accounts(std::string& text) {
  static const LazyRegex account(R"(\b[A-Za-z_][\w.-]*@(?:[A-Za-z][A-Za-z0-9.-]*|<ip>))", RE2::Latin1);
  static const LazyRegex version(
      R"(^(?:feature|unsupported)@|@(?:v?\d|entry\b|[A-Z][A-Z0-9_]*[_.]|main\b|master\b|latest\b|plt\b|sha(?:256|512)\b|(?:tty\w*|default)\.service\b|openssh\.com|libssh\.org))",
      RE2::Latin1);
  replace_unless(
      text, account, "<user>@<host>", [](std::string_view before, std::string_view match, std::string_view after) {
        const std::size_t at = match.find('@');
        static const LazyRegex product(R"([a-zA-Z]\w?@[a-zA-Z]\w?(?:\.(?:T|mT|H|t))?)",
                                       RE2::Latin1);  // of two matrices
        const bool common = RE2::FullMatch(piece_of(match), product) ||
                            (!tells_something(match.substr(0, at)) && !tells_something(match.substr(at + 1)));
        return common || RE2::PartialMatch(piece_of(match), version) || before.ends_with('/') ||
               (!after.empty() && std::string_view(": \t\r\n]\"'),;\\>").find(after.front()) == std::string_view::npos);
      });
}

// Hosts as uname prints them, and those that clouds name by their addresses.
void redact_host_names(std::string& text, const LowerText& low) {
  static const LazyPattern by_address(R"(\b(?:ip|ec2|host|node|gke|aks|vm)-\d{1,3}(?:-\d{1,3}){3}(?:\.[a-z][\w.-]*)?)",
                                      {"ip-", "ec2-", "host-", "node-", "gke-", "aks-", "vm-"});
  static const LazyPattern uname(R"((\bLinux )[A-Za-z0-9][\w.-]*( \d+\.\d+\S* #\d))", {" #"});
  replace_all(text, uname, low, R"(\1<host>\2)");
  replace_all(text, by_address, low, "<host>");
}

// Names behind words that say whose or what they name. A name that many machines share stays.
void redact_said_names(std::string& text, const LowerText& low) {
  static const LazyPattern host(
      R"((?i)(?:\b(?:host ?names?|node ?names?|computer ?name|nodelist|fqdn)|\w(?:_hostname|_?nodename|_nodelist|_host|_addr)|\bmaster_addr)["']?\s*[=:]\s*["']?(?:[a-z]+://)?([A-Za-z][\w.-]*(?:[A-Za-z0-9]|\[[\d,-]+\])))",
      {"hostname", "host name", "nodename", "node name", "computername", "computer name", "nodelist",
       "fqdn",     "_host:",    "_host=",   "_host ",    "_host\"",      "_host'",        "_host\t",
       "_host\r",  "_host\n",   "_host\f",  "_addr:",    "_addr=",       "_addr ",        "_addr\"",
       "_addr'",   "_addr\t",   "_addr\r",  "_addr\n",   "_addr\f"});
  static const LazyPattern domain(
      R"(\b((?:[A-Za-z0-9][\w-]*\.)+(?:corp|intra|intranet|lan|localdomain|home\.arpa)(?:\.[a-z][\w-]*)*|(?:[A-Za-z0-9]+(?:-[\w-]+|\d[\w-]*))\.(?:[\w-]+\.)*(?:intern|internal|cluster|hpc|local|private)(?:\.[a-z][\w-]*)*)\b)",
      {".corp", ".intra", ".lan", ".local", ".home.arpa", ".private", ".intern", ".cluster", ".hpc"});
  // Slurm, Open MPI and NCCL begin lines with the node.
  static const LazyPattern node(
      R"((?m)(?:^srun: error: |\*\*\* \w+ [\d.+]+ ON |\bon node |(?:^|<std(?:err|out)>:)\[)([A-Za-z][\w.-]*)(?:: task| CANCELLED| (?:exited|died|is)\b|\b$|:\d+\] ))",
      {"srun: error: ", "*** ", "on node ", "\n[", ">:["});
  static const LazyPattern nccl(R"((?m)^([A-Za-z][\w.-]*):\d+:\d+ \[\d+\] NCCL)", {"] nccl"});
  // The host that a line of syslog is from.
  static const LazyPattern syslog(
      R"((?m)^(?:(?:<\d+>)?(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[\d.:+Z-]*) )([A-Za-z0-9][\w.-]*) (?:(?:kernel|systemd|[\w./()-]+\[\d+\]):|[\w./()-]+ (?:-|\d+) \S+ (?:-|\[)))",
      {" kernel:", " systemd:", "]:", " - "});
  static const LazyPattern console(R"((?m)^([A-Za-z][\w.-]*) kernel: \[ *\d+\.\d+\])", {" kernel: ["});
  // id, ls -l and ps aux.
  static const LazyPattern numbered(R"(\b(?:[ug]id[= ]|groups=|,)\d{4,} ?\(([A-Za-z_][\w.-]*)\))",
                                    {"0(",  "1(",  "2(",  "3(",  "4(",  "5(",  "6(",  "7(",  "8(",  "9(",
                                     "0 (", "1 (", "2 (", "3 (", "4 (", "5 (", "6 (", "7 (", "8 (", "9 ("});
  static const LazyPattern owner(R"((?m)(?:^|\s)[bcdlps-][rwxsStT-]{9}[+.@]? +\d+ +([A-Za-z_][\w.-]*) )",
                                 {"rw", "r-", "-w", "--"}, 15);
  // Of a device node the group tells who may open it; of other files it is somebody's.
  static const LazyPattern group(R"((?m)(?:^|\s)[dlps-][rwxsStT-]{9}[+.@]? +\d+ +\S+ +([A-Za-z_][\w.-]*) +\d)",
                                 {"rw", "r-", "-w", "--"}, 15);
  static const LazyPattern process(R"((?m)^([A-Za-z_][\w.-]*\+?) +\d+ +[\d.]+ +[\d.]+ +\d+ +\d+ +(?:\?|pts/|tty)\S* )",
                                   {" ?", "pts/", "tty"});
  static const LazyPattern git(R"(\buser\.name["']?\s*[=: ]\s*["']?([^"'\n]{3,60}))", {"user.name"});
  static const LazyPattern service(
      R"(\b(?:tcp|udp|redis|rediss|amqps?|mqtt|nats|ldaps?|smb|nfs|ssh|gs?ftp|sftp|grpc|zmq|ucx)://(?:[^/@\s]*@)?([A-Za-z][\w.-]*))",
      {"://"});
  static const LazyPattern licence(R"(\b\d{4,5}@([A-Za-z][\w.-]*[A-Za-z0-9]))", {"@"});
  static const LazyPattern share(R"((?:^|::|[\s"'=(])\\\\([A-Za-z][\w.-]+\\[\w.-]{2,}(?:\\[\w.-]+)?))", {"\\\\"});
  static const LazyPattern user(
      R"((?:\b(?:USER|LOGNAME|USERNAME|[A-Z_]+_(?:USER|LOGNAME)|user|username|login|acct)=["']?|\b(?i:user(?:[ _-]?name)?|login|account)["']?\s*[:=]?\s*["']|\b[Uu]ser ?[Nn]ame\s*[:=]\s*|\bsudo(?:\[\d+\])?:\s+|\b(?:cron|CRON|crond|anacron|atd)(?:\[\d+\])?:\s+\(|\b(?:session \w+ (?:of|for)|session (?:opened|closed) for) user )([A-Za-z_][\w.-]{2,31}))",
      {"user", "login", "logname", "acct", "account", "sudo", "cron", "atd"});
  for (const auto& [pattern, by] : {std::pair{&host, "<host>"},
                                    {&domain, "<host>"},
                                    {&service, "<host>"},
                                    {&licence, "<host>"},
                                    {&share, "<host>"},
                                    {&node, "<host>"},
                                    {&nccl, "<host>"},
                                    {&syslog, "<host>"},
                                    {&console, "<host>"},
                                    {&user, "<user>"},
                                    {&numbered, "<user>"},
                                    {&owner, "<user>"},
                                    {&group, "<name>"},
                                    {&process, "<user>"},
                                    {&git, "<user>"}}) {
    replace_groups(text, *pattern, low, by, [&](const std::array<Piece, 3>& groups) {
      const std::string name = groups[1].as_string();
      static const LazyRegex common(
          R"((?i)localhost.*|none|null|true|false|unknown|name|error|not|in|is|wsl(?:\.localhost|\$)?(?:\\.*)?|kubernetes\.default.*|(?:host|gateway)\.docker\.internal|host\.containers\.internal|metadata\.google\.internal|.*\.(?:so|py|cpp|cc|h|cu))",
          RE2::Latin1);
      const char behind = groups[1].end() < text.data() + text.size() ? *groups[1].end() : ' ';
      const bool module = name.starts_with("pam_") && behind == '(';  // which sudo's lines begin with
      return module || name == "system" || !tells_something(name) || RE2::FullMatch(name, common);
    });
  }
  // Of a service account of Kubernetes its namespace tells, unless it is one of its own.
  static const LazyPattern service_account(R"(\bsystem:serviceaccount:([\w-]+:[\w.-]+))", {"system:serviceaccount:"});
  replace_groups(text, service_account, low, "<name>", [](const std::array<Piece, 3>& groups) {
    return groups[1].starts_with("kube-") || groups[1].starts_with("default:") ||
           groups[1].starts_with("gpu-operator:");
  });
}

}  // namespace

void redact_patterns(std::string& text) {
  if (text.size() < 6) return;
  const LowerText low(text);
  withhold_at_known_places(text, low);  // first: a secret may look like anything else
  withhold_names_in_rows(text, low);
  withhold_said_names(text, low);
  withhold_behind_foreign_words(text, low);
  redact_secrets(text, low);
  if (low.has("@")) {
    redact_emails(text);
    redact_accounts(text);
  }
  if (low.has(":") || low.has("-") || low.has("_")) redact_hardware_addresses(text, low);
  redact_bare_hardware_addresses(text, low);
  if (low.has(".")) redact_dotted_hardware_addresses(text);
  if (low.has("::") || low.count(':') >= 7) redact_ipv6(text);
  if (low.count('.') >= 3) redact_ipv4(text);
  redact_host_names(text, low);
  redact_said_names(text, low);
}

namespace {

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

// Who wrote a text: a probe of ours in fields that we know, or somebody's program in its own words.
enum class Origin { ours, elsewhere };

void redact_once(std::string& out, const Identity& identity, Origin origin) {
  static const LazyPattern own_home(R"((?:^|[^A-Za-z0-9_.$/<>~-])(/(?:home|Users)/(?:\.ecryptfs/)?[^/\s:;,"'<>\\]+))",
                                    {"/home/", "/users/"});
  static const LazyPattern deeper_home(R"(/(?:home|Users)/(?:\.ecryptfs/)?([^/\s:;,"'<>\\]+))", {"/home/", "/users/"});
  // Homes that a folder for a group of people or a domain holds.
  static const LazyPattern grouped_home(
      R"((/(?:home|Users)/(?:(?i)ldap|nis|local|ad|domain|staff|students|users|faculty|grads|undergrads|phd|postdocs|guests|researchers|labs|groups|people|members|[a-z]|\w[\w-]*\.(?:local|lan|corp|edu|org|com|net|[a-z]{2})))/[^/\s:;,"'<>\\]+)",
      {"/home/", "/users/"});
  static const LazyPattern encoded_home(R"((?i)((?:/|%2F)(?:home|Users)%2F)[\w.~-]+)", {"%2f"});
  // A folder whose name is a path with dashes in place of its slashes.
  static const LazyPattern dashed_home(R"(((?:^|[^\w-])-(?:home|Users)-)[\w.]+-)", {"-home-", "-users-"});
  // Homes on a drive of Windows or a server's share, such as those of WSL: \\wsl$\Ubuntu\home\NAME.
  static const std::string windows_root =
      R"((?i)(?:[A-Z]:|\\\\+[^\\/\s"']+(?:\\+[^\\/\s"']+){0,2}?)[\\/]+(?:Users\$?|homes?\$?|(?:user|benutzer)?profil(?:e|es|s)?\$?|Benutzer|Utilisateurs|Usuarios|Utenti|UserData|DOCUME~1|Documents and Settings)[\\/]+)";
  static const std::vector<Needed> windows_folders = {
      "\\users",    ":/users",    "\\home",     ":/home",   "\\profile",  ":/profile", "\\benutzer",
      "\\userprof", "\\utilisat", "\\usuarios", "\\utenti", "\\userdata", "\\docume"};
  static const LazyPattern windows_home(windows_root + R"(([^\\/:;,"'<>\r\n]{1,64})[\\/])", windows_folders);
  static const LazyPattern windows_home_alone(windows_root + R"(([^\\/\s:;,"'<>]+))", windows_folders);
  // A profile in whatever folder, by the one that each has.
  static const LazyPattern profile(R"((?i)[\\/]([^\\/:;,"'<>\r\n%$]{1,64})[\\/]+AppData[\\/]+(?:Local|Roaming))",
                                   {"appdata"});
  static const LazyPattern shared_home(
      R"(/(?:(?:data\d*|export|net|mnt|storage|shared|cluster|gpfs|lustre|nfs)/)*(?:users|homes?\d*|nfs|scratch\d*|(?:lustre|gpfs|beegfs|scratch\d*)/(?:work|users?|home|projects?|groups?|labs?|teams?)|lustre|gpfs|beegfs|people|run/media)/((?:project_\d+/)?[^/\s:;,"'<>\\$]+))",
      {"/user", "/home", "/nfs/", "/scratch", "/lustre/", "/gpfs/", "/beegfs/", "/people/", "/run/media/"});
  // Projects of a computing centre: letters and a number, below the name of the file system.
  static const LazyPattern project_home(
      R"(/(?:lustre|gpfs)/([a-z]\w*/(?:(?:proj|world|member|user|shared)[\w-]*/|scratch/)?[a-z]{2,5}\d{2,4})/)",
      {"/lustre/", "/gpfs/"});
  static const LazyPattern other_home(
      R"((?:^|[\s"'=:(])(?:/u|/afs/[\w.]+/users?/\w|/Volumes)/([^/\s:;,"'<>\\$]+(?: [\w .-]+/)?))",
      {"/u/", "/afs/", "/volumes/"});
  static const LazyPattern named_home(R"((^|[\s"'=:(])~([a-z_][\w.-]*)(/|["']|$))", {"~"});
  static const LazyPattern named_uuid(R"(((?:GPU|MIG)-[0-9a-fA-F]{8})[0-9a-fA-F]*(?:-[0-9a-fA-F]+)*)", {"gpu-", "mig-"},
                                      13);
  static const LazyPattern bare_uuid(R"([0-9a-fA-F]{8}((?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}))", {{'-', 4}}, 36);
  static const LazyPattern undashed_uuid(R"(\b([0-9a-fA-F]{8})[0-9a-fA-F]{24}\b)", {}, 32, 32);
  static const LazyPattern credentials(R"((://)(?:[^/@\s]*@)+)", {"@"});
  if (!identity.home.empty()) replace_home(out, identity.home);
  const LowerText low(out);
  const auto many_have = [](const std::array<Piece, 3>& groups) { return !tells_something(groups[1].as_string()); };
  const auto of_images = [](const std::array<Piece, 3>& groups) {  // Jupyter's and GitHub's, which all share
    const std::string home = groups[1].as_string();
    return home.ends_with("jovyan") || home == "runner" || home.ends_with("/runner");
  };
  replace_all(out, grouped_home, low, R"(\1/<user>)");
  replace_groups(out, own_home, low, "$HOME", of_images);
  replace_groups(out, deeper_home, low, "<user>", of_images);
  replace_all(out, encoded_home, low, R"(\1<user>)");
  replace_all(out, dashed_home, low, R"(\1<user>-)");
  replace_groups(out, project_home, low, "<user>", many_have);
  replace_groups(out, shared_home, low, "<user>", many_have);
  replace_groups(out, other_home, low, "<user>", many_have);
  replace_all(out, credentials, low, R"(\1)");
  for (const LazyPattern* home : {&windows_home, &windows_home_alone, &profile}) {
    replace_groups(out, *home, low, "<user>", [](const std::array<Piece, 3>& groups) {
      static const LazyRegex of_all(
          "(?i)public|default(?:\\.migrated)?|all users|systemprofile|(?:network|local) "
          "?service|site|logfiles|runneradmin|container(?:user|administrator)",
          RE2::Latin1);
      return RE2::FullMatch(groups[1], of_all);
    });
  }
  replace_all(out, named_home, low, R"(\1~<user>\3)");
  replace_all(out, named_uuid, low, R"(\1)");
  replace_groups(out, bare_uuid, low, "", [&](const std::array<Piece, 3>& groups) {
    static const LazyRegex of_windows(
        R"((?i)\b(?:(?:class|type|provider|interface) ?guid|clsid)\b["']?\s*[:=]?\s*["']?\{?$)",
        RE2::Latin1);  // names a kind of device
    const std::string_view all = out, found(groups[0].data(), groups[0].size());
    const auto at = static_cast<std::size_t>(found.data() - all.data());
    return RE2::PartialMatch(Piece(out.data(), at), of_windows) ||
           is_public_uuid(all.substr(0, at), found, all.substr(at + found.size()));
  });
  if (const RE2* undashed = undashed_uuid.for_text(low)) {
    static const LazyRegex shortened(R"(\b[0-9a-fA-F]{8}([0-9a-fA-F]{24})\b)", RE2::Latin1);
    if (RE2::PartialMatch(out, *undashed)) {
      replace_groups(out, shortened, "", [&](const std::array<Piece, 3>& groups) {
        static const LazyRegex digest(
            R"((?i)(?:commit|revision|\brev|sha\d*|digest|hash(?:es)?|checksum|md5(?:sum)?|etag|fingerprint|cache[ _-]?key)["']?(?:\s+(?:is|was|of))?\s*[:=( ]?\s*["'`]?$|(?:cache|triton|inductor|torch_extensions|snapshots|blobs|xla|kernels?)(?:/[\w.-]+)*/[\w.-]*$)",
            RE2::Latin1);
        const std::string_view all = out;
        const auto at = static_cast<std::size_t>(groups[0].data() - out.data());
        return RE2::PartialMatch(Piece(out.data(), at), digest) ||
               is_checksum(all.substr(0, at), all.substr(at + groups[0].size()));
      });
    }
  }
  if (origin == Origin::elsewhere) withhold_credentials(out);
  redact_patterns(out);
  origin == Origin::elsewhere ? withhold_names(out) : withhold_identifiers(out);
  for (const std::string& user : identity.users) replace_word(out, user, "<user>", false);
  for (const std::string& host : identity.hosts) replace_word(out, host, "<host>", true);
}

std::string redacted(std::string_view text, const Identity& identity, Origin origin) {
  std::string out(text);
  for (int round = 0; round < 4; ++round) {  // what is left may make another one
    const std::string before = out;
    redact_once(out, identity, origin);
    if (out == before) break;
  }
  return out;
}

}  // namespace

std::string redact_text(std::string_view text, const Identity& identity) {
  return redacted(text, identity, Origin::ours);
}

std::string redact_free_text(std::string_view text, const Identity& identity) {
  return redacted(text, identity, Origin::elsewhere);
}

namespace {

// A key with the names of users taken out of it, however they are written there.
std::string without_names(const std::string& key, const Identity& identity) {
  std::string out = key;
  for (const std::string& user : identity.users) {
    for (auto at = lower_case(out).find(lower_case(user)); at != std::string::npos;
         at = lower_case(out).find(lower_case(user)))
      out.replace(at, user.size(), "<user>");
  }
  return out;
}

// Changes every text below what it is given.
struct Redactor {
  const Identity& identity;
  std::function<std::string(const std::string&)> change = [this](const std::string& text) {
    return redact_text(text, identity);
  };

  void operator()(std::string& text) const { text = change(text); }
  template <class T>
  requires std::is_arithmetic_v<T>
  void operator()(T&) const {}
  template <class T>
  void operator()(Reading<T>& reading) const {
    if (T* value = reading.get()) {
      (*this)(*value);
    } else if (reading.outcome() != Outcome::not_probed) {
      reading = Missing{reading.outcome(), change(reading.why())};
    }
  }
  template <class T>
  void operator()(std::vector<T>& values) const {
    for (auto& value : values) (*this)(value);
  }
  template <class T>
  void operator()(std::map<std::string, T>& values) const {
    std::map<std::string, T> redacted;  // a name may hold a name: ALICE_CUDA_HOME
    for (auto& [key, value] : values) {
      (*this)(value);
      redacted.emplace(change(without_names(key, identity)), std::move(value));
    }
    values = std::move(redacted);
  }
  template <Fields T>
  void operator()(T& value) const {
    // What somebody's program says; in what is said of a person's own code, its names are evidence.
    bool of_a_program = std::is_same_v<T, TextLine>;
    if constexpr (std::is_same_v<T, Symptom>) {
      (*this)(value.details);
      of_a_program = !value.subject.or_empty().starts_with("script");
      for (auto& [key, detail] : value.details)
        if (of_a_program) detail = redact_free_text(detail, identity);
    }
    T::each(value, [&](std::string_view name, auto& field) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(field)>, Text>) {
        if (std::string* line = of_a_program && name == "text" ? field.get() : nullptr) {
          *line = redact_free_text(*line, identity);
          return;
        }
      }
      (*this)(field);
    });
  }
};

}  // namespace

namespace {

void keep_known_values(Map<Text>& variables, const std::vector<std::string>& known_paths) {
  if (!variables.get()) return;
  for (auto& [name, value] : *variables.get()) {
    if (!value.get()) continue;
    const auto known = known_value(name, *value.get(), known_paths);
    value = known ? Text(*known) : Text(failed("withheld"));
  }
}

std::vector<std::string> paths_of(const auto& files, auto member) {
  std::vector<std::string> paths;
  for (const auto& file : files.or_empty()) {
    if (const std::string* path = (file.*member).get()) paths.push_back(*path);
  }
  return paths;
}

}  // namespace

void redact(Snapshot& snapshot, const Identity& identity, RedactedTexts* known) {
  RedactedTexts in_this_snapshot;  // most texts of a snapshot stand in it many times
  RedactedTexts& texts = known ? *known : in_this_snapshot;
  Redactor redactor{identity};
  redactor.change = [&identity, &texts](const std::string& text) {
    const auto [entry, fresh] = texts.try_emplace(text);
    if (fresh) entry->second = redact_text(text, identity);
    return entry->second;
  };
  redactor(snapshot);
  const auto known_paths = paths_of(snapshot.libraries, &SharedLibrary::path);
  std::vector<std::pair<std::string, std::string>> named;  // what OpenCL's loaders read
  for (const char* name : {"OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH"}) {
    const Text value = snapshot.env.then([&](const auto& env) {
      const auto found = env.find(name);
      return found == env.end() ? Text(absent("not set")) : found->second;
    });
    if (value.get()) named.emplace_back(name, *value.get());
    for (const std::string_view piece : pieces(value.or_empty(), ':')) named.emplace_back(name, piece);
  }
  keep_known_values(snapshot.env, known_paths);
  // A line that sets a variable says nothing where its value may not be told.
  if (snapshot.log.get()) {
    std::erase_if(*snapshot.log.get(), [&](Symptom& symptom) {
      const auto name = symptom.details.find("name"), value = symptom.details.find("value");
      if (name == symptom.details.end() || value == symptom.details.end() || !knowledge::env_allowed(name->second))
        return false;
      const auto shown = known_value(name->second, value->second, known_paths);
      if (shown) value->second = *shown;
      return !shown;
    });
  }
  // What variables name stands in what was read from there as well.
  if (!snapshot.opencl.get()) return;
  const auto icds = paths_of(snapshot.opencl.get()->icds, &OpenclIcd::file);
  for (const auto& [name, value] : named) {
    const std::string shown = known_value(name, value, icds).value_or("<name>");
    if (value.size() < 4 || shown == value) continue;
    const auto replaced = [&value = value, &shown](const std::string& text) {
      std::string out = text;
      for (auto at = out.find(value); at != out.npos; at = out.find(value, at + shown.size()))
        out.replace(at, value.size(), shown);
      return out;
    };
    Redactor{identity, replaced}(snapshot.opencl);
  }
}

void redact(Watched& watched, const Identity& identity) {
  Redactor{identity}(watched);
  if (ProcessUse* use = watched.process.get())
    keep_known_values(use->env, paths_of(use->libraries, &ProcessLibrary::path));
}

}  // namespace envdoctor

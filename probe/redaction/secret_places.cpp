#include "probe/redaction/secret_places.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "knowledge/lazy_regex.h"
#include "knowledge/wordings/known_words.h"
#include "probe/redaction/lazy_pattern.h"
#include "probe/redaction/place.h"
#include "probe/redaction/public_hosts.h"
#include "probe/redaction/public_values.h"
#include "probe/redaction/replace_groups.h"
#include "probe/text_piece.h"

namespace envdoctor {

bool looks_drawn(std::string_view word, bool bare) {
  const auto kind = [](char c) {
    return c >= '0' && c <= '9' ? 0 : c >= 'a' && c <= 'z' ? 1 : c >= 'A' && c <= 'Z' ? 2 : 3;
  };
  std::array<std::size_t, 4> count{};
  std::size_t changes = 0;
  for (std::size_t i = 0; i < word.size(); ++i) {
    ++count.at(static_cast<std::size_t>(kind(word[i])));
    const bool joined = i > 0 && kind(word[i]) < 3 && kind(word[i - 1]) < 3;
    const bool begins_word = bare && kind(word[i]) == 1 && i > 0 && kind(word[i - 1]) == 2;
    changes += joined && !begins_word && kind(word[i]) != kind(word[i - 1]) ? 1 : 0;
  }
  return count[0] > 0 && count[1] + count[2] > count[0] / 4 && changes * (bare && count[2] > 0 ? 3 : 4) >= word.size();
}

namespace secret_places {
namespace {

using View = std::string_view;

bool has_figure(View word) {
  return std::ranges::any_of(word, [](char c) { return c >= '0' && c <= '9'; });
}
bool has_letter(View word) {
  return std::ranges::any_of(word, [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
}
bool has_mark(View word) { return word.find_first_of("!#%&*?^~_+@-") != word.npos; }

bool without_figure(View /*before*/, View word) { return !has_figure(word); }
bool not_mixed(View /*before*/, View word) { return !has_letter(word) || !(has_figure(word) || has_mark(word)); }
// No number of a machine: a word, or a few digits in one.
bool no_serial(View /*before*/, View word) {
  const auto figures = std::ranges::count_if(word, [](char c) { return c >= '0' && c <= '9'; });
  return figures < 2 || (figures < 10 && !has_letter(word));
}
bool not_drawn(View /*before*/, View word) {
  return !looks_drawn(word) || std::ranges::none_of(word, [](char c) { return c >= 'A' && c <= 'Z'; });
}
// The rest of a command, of which a figure or a known word is no user's password: -u 1000:1000, --user root:docker.
bool of_group(View before, View word) {
  static const LazyRegex group("\\d+|\\$.*|[a-z]+", RE2::Latin1),
      container("docker|podman|nerdctl|install|chpst|setpriv", RE2::Latin1);
  return RE2::FullMatch(piece_of(word), group) &&
         (has_figure(word) || knowledge::is_known_word(word) || RE2::PartialMatch(piece_of(before), container));
}
bool of_file(View /*before*/, View word) {
  return word.starts_with("file:") || word.starts_with("env:") || word.starts_with("fd:") ||
         word.starts_with("stdin") || word.starts_with(":env") || word.starts_with(":file") ||
         (has_figure(word) && word.size() < 3);
}
// A comment behind a public key that says what program it is for.
bool comment_of_all(View /*before*/, View word) {
  return word == "agent" || word == "explicit" || word == "RSA" || word == "ED25519" || word.starts_with("SHA256") ||
         word.starts_with('/') || word.starts_with("...");
}

std::span<const Place> places() {
  static const Place
      all[] =
          {
              // Arguments of commands and protocols.
              {{R"x("AUTH"(?: "[^"\n]*")? ("[^"\n]+"))x", {"\"auth\""}}},
              {{R"((?:^|[\s>'])AUTH [\w.-]+ ([^\s"'<]{6,}))", {"auth "}}, "<secret>", not_mixed},
              {{R"((?i)\bconn(?:ect)? ["']?[a-z_]\w*/([^\s@"'/]+)(?:@| as sys))", {"conn"}}},
              {{R"(\b[A-Za-z_]\w*/([^\s@"'/:]{4,})@(?://|[\w.-]+:\d+/))", {"@"}}},
              {{R"((?:^|\s)(?:-u|-U|-auth|--(?:user(?:name|pwd)?|proxy-user|creds?|credentials|auth|basic-auth|login))[ =]["']?[\w.@+-]+:([^\s"'/<:][^\s"':]*))",
                {"-u ", "-u=", "--user", "--proxy-user", "--cred", "-auth", "--login"}},
               "<secret>",
               of_group},
              {{R"((?i)(?:^|\s)-{1,2}[a-z-]*(?:storepass|keypass|passin|passout|store-?password|plaintext|cleartext|cookie|passwd|psk|pw)(?:[ =]|:)(?:pass:)?("[^"\n]+"?|'[^'\n]+'?|[^\s"'<-][^\s"']*))",
                {"pass", "cookie", "psk", "pw", "plaintext", "cleartext"}},
               "<secret>",
               of_file},
              {{R"((?i)(?:pass|secret|gpg|login|stdin|\bsu\b|sudo|openssl|auth|crypt|unlock|kinit|key)[^\n]*[^<\n]<<< ?("[^"\n]+"?|'[^'\n]+'?|[^\s"'<>$]+)(?:[\s;|&]|$))",
                {"<<<"}}},
              {{R"x(\b(?:echo|printf)(?: -\w+)*(?: ["']?%s(?:\\n)?["']?)? ("[^"\n$]+"|'[^'\n]+'|[^\s"'|$<-][^\s"'|]*) ?\| ?[^\n]*(?:stdin|passphrase|sudo -\w*S|chpasswd|passwd|cryptsetup|gpg|login|kinit|openssl))x",
                {"echo", "printf"}},
               "<secret>",
               [](View /*before*/, View word) {
                 return word.starts_with('%') || word.starts_with("\"%") || word.starts_with("'%");
               }},
              {{R"((?i)(?:passw(?:or)?d|passphrase|secret|token|credentials?)[_-]?(?:command|cmd|eval)["']?\s*[=:]\s*([^\s<][^\n]*))",
                {"_command", "-command", "passcommand", "_cmd", "-cmd", "_eval"}}},
              {{R"((?i)\b(?:password|secret|key|key-string|md5|authentication|community)\s+(?:\d|encrypted)\s+([0-9a-f]{8,}\b|\$\S+))",
                {"password ", "secret ", "key ", "string ", "md5 ", "authentication ", "community "},
                12,
                8}},
              {{R"(\bMIT-MAGIC-COOKIE-1\s+([0-9a-f]{32}))", {"magic-cookie"}}},
              // A value in an object that a word for a secret names, in JSON within JSON as well.
              {{R"x((?i)\\*["'](?:creds?|credentials?|auth|secret|login|password|token)\\*["']\s*:\s*\{[^{}\n]*?\\*["'](?:value|data|key|secret|text)\\*["']\s*:\s*\\*["']([^"'\\\n]+))x",
                {":{", ": {"}}},
              {{R"((?:^|[\s?&;,"'])[A-Za-z]=["']?([A-Za-z0-9_+/-]{24,}={0,2}))", {"="}, 26, Run::with_marks(24)},
               "<secret>",
               not_drawn},
              {{R"(\bsecret,[^\s]*?\bdata=([^\s,"']+))", {"secret,"}}},
              {{R"((?i)\bpassw(?:or)?d\b[^\n]{0,20}? from \S+ to ["']?([^\s"'<]+))", {"passw"}}},
              // Passwords in configurations of programs: StoragePass=…
              {{R"x(\b[A-Za-z]*(?i:storage|comp|job|db|data|base|sql|mail|smtp|imap|admin|root|user|login|bind|ldap|auth|store|cert|http|proxy|ftp|vnc|ipmi|bmc|redis|mongo|rabbit|registry|docker|git|ssh|sudo|become|wifi|snmp|svc|app|service|server|client|remote|zabbix|grafana|broker|mqtt|my)(?:P|p)ass["']?\s*(?:=>|[:=])\s*(?:"([^"\n]+)|'([^'\n]+)|([^\s"'(<{$][^\s"']*))|\b(?:(?:Bind|Admin|Proxy|Smtp|Mail|Storage)Pass|(?:root)?bindpw|rootpw|ldap_default_authtok)[ \t]+([^\s"'(<{$=:][^\s"']*))x",
                {"pass=", "pass:", "pass\"", "pass'", "pass =", "pass  ", "pass\t", "bindpass", "bindpw", "rootpw",
                 "authtok", "adminpass", "proxypass", "smtppass", "mailpass", "storagepass"}},
               "<secret>",
               [](View before, View word) {
                 static const LazyRegex nothing("(?i)none|null|yes|no|true|false|=|\\d{1,2}", RE2::Latin1);
                 // Behind blanks alone a plain word goes on with a sentence.
                 const View name = before.substr(0, before.find_last_not_of(' ') + 1);
                 const bool by_sign =
                     name.size() == before.size() || name.ends_with('=') || name.ends_with(':') || name.ends_with('>');
                 return RE2::FullMatch(piece_of(word), nothing) || (!by_sign && !has_figure(word) && !has_mark(word));
               }},
              {{R"(["']pass["']\]? ?(?:=>?|:) ?["']([^"'\n]{4,})["'])", {"pass"}}, "<secret>", not_mixed},
              // Codes that a person types to let a program in.
              {{R"((?i:\bcode["']?(?:\s+is)?[:=]?\s+["'`]?)([A-Z0-9]{4}-[A-Z0-9]{4})\b)", {"code"}},
               "<secret>",
               [](View /*before*/, View word) { return !has_figure(word) || !has_letter(word); }},
              {{R"((?i:\b(?:enter|use|type|device|user|one-time|activation|pairing|verification)\b[^\n]{0,60}?\bcode["']?(?:\s+is)?\s*[:=]?\s*["'`]?|\b(?:devicelogin|login/device|activat\w+|pairing)\b[^\n]*?\b(?:type|enter|use)\s+["'`]?)([A-Z]{4}-[A-Z]{4}|[A-Z0-9]{4}-[A-Z0-9]{4}|[A-Z0-9]{8,9})\b)",
                {"code", "devicelogin", "login/device", "activat", "pairing"}},
               "<secret>",
               [](View /*before*/, View word) {
                 return word.find('-') == word.npos && !(has_figure(word) && has_letter(word));
               }},
              {{R"((?i:\b(?:verification|pairing|security|login|one-time|confirmation|activation|access|authorization|sms|2fa|mfa|otp|backup|recovery)\s+code(?:\s+is|\s+was)?[:=]?\s+["'`]?)([A-Z0-9]{5,10}(?:-[A-Z0-9]{4,})*)\b|\b([A-Z]-\d{5,8}|\d{5,8}) is your\b)",
                {" code", " is your"}},
               "<secret>",
               without_figure},
              {{R"((?i)\bapp(?:lication)?[ -]password["']?[:=]? ["']?((?:[a-z]{4}[ -]){3}[a-z]{4})\b)", {"password"}}},
              {{R"((?i)\b(?:auth|join|enrol?lment|registration|pairing|service|admin|deploy)[ _-]?key["']?[:=]?\s+["']?([^\s"'<]{6,}))",
                {"key ", "key:", "key="}},
               "<secret>",
               [](View before, View word) { return not_mixed(before, word) || !has_figure(word); }},
              {{R"((?i)\b(?:pin|password|passphrase|passcode) for ["'][^"'\n]+["']: ?([^\s"'<]{4,}))", {" for "}},
               "<secret>",
               not_mixed},
              {{R"((?i)connect jdbc:\S+ ["']?[\w.-]+["']? ([^\s<]+))", {"jdbc:"}}},
              {{R"x((?i)\bConvertTo-SecureString(?: -String)? ["']?([^"'\s<$(-][^"'\s]*)|NetworkCredential\((?:"[^"\n]*"|'[^'\n]*'), ?["']([^"'\n]+))x",
                {"securestring", "networkcredential"}}},
              // Keys by the beginnings that providers give them.
              {{R"(\b(?:LTAI[A-Za-z0-9]{12,26}|AKID[A-Za-z0-9]{13,40}|AKLT[\w=]{20,}|A(?:IDA|ROA|GPA|NPA)[A-Z0-9]{16}|lsv2_[\w]{20,}|xai-\w{20,}|tgp_v1_[\w-]{20,}|fw_\w{20,}|csk-\w{20,}|pcsk_\w{20,}|tvly-[\w-]{16,}|jina_\w{20,}|apify_api_\w{16,}|e2b_[0-9a-f]{20,}|sgp_\w{20,}|ops_eyJ[\w-]{20,}|PMAK-[\w-]{20,}|NR(?:AK|JS)-\w{16,}|NRAA-\w{16,}|dt0[a-z]\d{2}\.[\w.]{20,}|dp\.(?:pt|st|ct|sa)\.[\w.-]{20,}|sbp_[0-9a-f]{20,}|figd_[\w-]{20,}|ntn_\w{20,}|sntry[su]_[\w=+/-]{20,}|ph[cx]_\w{20,}|rnd_\w{20,}|fo1_[\w-]{20,}|FlyV1 \w{3,}_\S{16,}|glc_\w{20,}|rubygems_[0-9a-f]{20,}|pul-[0-9a-f]{20,}|do[or]_v1_[0-9a-f]{32,}|CFPAT-[\w-]{20,}|duffel_\w{20,}|EZ[AT]K\w{30,}|FLW(?:PUB|SEC)K[\w-]{20,}|pscale_\w{3,5}_[\w.=-]{20,}|\w{14}\.atlasv1\.[\w-]{30,}|bkua_\w{20,}|CCIPAT_\w{16,}|dckr_oat_[\w-]{16,}|oy2[a-z0-9]{43}|xkeysib-[0-9a-f]{20,}|shp(?:ss|ca|pa)_[0-9a-f]{20,}|shippo_live_\w{20,}|aio_\w{24,}|api_org_\w{20,}|nfp_\w{20,}|vc[pkr]_\w{20,}|perm:[\w=.-]{40,}|A3-[A-Z0-9]{6}-[A-Z0-9]{6,11}-[A-Z0-9-]{17,}|ABSK[\w+/=]{40,}|waka_[0-9a-f-]{30,}|sess-\w{30,}))",
                {"ltai",    "akid",    "aklt",     "aida",    "aroa",    "agpa",  "anpa",    "lsv2_",    "xai-",
                 "tgp_",    "fw_",     "csk-",     "pcsk_",   "tvly-",   "jina_", "apify",   "e2b_",     "sgp_",
                 "ops_eyj", "pmak-",   "nrak-",    "nrjs-",   "nraa-",   "dt0",   "dp.pt.",  "dp.st.",   "dp.ct.",
                 "dp.sa.",  "sbp_",    "figd_",    "ntn_",    "sntry",   "phc_",  "phx_",    "rnd_",     "fo1_",
                 "flyv1",   "glc_",    "rubygems", "pul-",    "doo_",    "dor_",  "cfpat",   "duffel",   "ezak",
                 "eztk",    "flwpubk", "flwseck",  "pscale_", "atlasv1", "bkua",  "ccipat",  "dckr_oat", "oy2",
                 "xkeysib", "shpss_",  "shpca_",   "shppa_",  "shippo_", "aio_",  "api_org", "nfp_",     "vcp_",
                 "vck_",    "vcr_",    "perm:",    "a3-",     "absk",    "waka_", "sess-"},
                19,
                12}},
              {{R"(\b(re_\w{8}_\w{16,}|sl\.[\w-]{60,})\b)", {"re_", "sl."}, 28, Run::with_marks(27)}},
              {{R"(\b(cio[A-Za-z0-9]{32}|sk_[0-9a-f]{40,})\b)", {"cio", "sk_"}, 35, 35}},
              {{R"(\b(S[ACNOUX][A-Z2-7]{56})\b)", {}, 58, 58}},  // seeds of NATS
              {{R"(\b([0-9a-f]{32}\.[A-Za-z0-9]{16}|patm?[A-Za-z0-9]{14}\.[0-9a-f]{30,})\b)", {"."}, 32, 30}},
              // Numbers of devices, licences and people.
              {{R"((?m)(?:^|: ?|\s)([A-Za-z0-9]{8,20})\s+(?:device|unauthorized|offline|recovery|sideload|fastboot)(?:\s+(?:usb|product|model|transport_id):|\s*$))",
                {"product:", "transport_id", "usb:", "\tdevice", "\tunauthorized", "\toffline", "fastboot"}},
               "<serial>",
               without_figure},
              {{R"((?i)\b(?:imei(?:sv)?(?: ?\d)?|meid|imsi|iccid|eid|esn|msisdn|own|equipment (?:id|identifier))["']?(?:\s*[:=]\s*|\s+)["']?(\+?\d{10,}|[0-9a-f]{14,})\b)",
                {"imei", "meid", "imsi", "iccid", "eid", "esn", "msisdn", " own:", "\nown:", "equipment"}},
               "<serial>",
               without_figure},
              {{R"((?i)\bservice code\b[:= ]+(\d{9,11})\b|\b(?:naa\.|eui\.|wwn-0x)([0-9a-f]{16,32})\b)",
                {"service code", "naa.", "eui.", "wwn-0x"}},
               "<serial>"},
              {{R"((?i)\b(?:client|device|sensor|clientid)["']?[ =:]+["']?([0-9a-f]{12})\b)",
                {"client", "device", "sensor"},
                16,
                12},
               "<mac>",
               not_mixed},
              {{R"((?i)\b(?:ssn|ahv(?:-nummer)?|nhs(?: number)?|bsn|cpf|cnpj|pesel|codice fiscale|steuer-?id|personnummer|aadhaar|passport(?: no| number)?|social security(?: number)?|vat (?:id|no|number)|tax id)\b[^\n\d]{0,12}(\d[\dA-Z./ -]{5,}[\dA-Z])\b)",
                {"ssn", "ahv", "nhs", "bsn", "cpf", "cnpj", "pesel", "fiscale", "steuer", "personnummer", "aadhaar",
                 "passport", "social security", "vat ", "tax id"}}},
              {{R"((?i)\b(?:customer|contract|support|member(?:ship)?|host) ?(?:number|no|id)\b[:=#]?\s+["']?([A-Z0-9]+(?:-[A-Z0-9]+)+)\b|\blicen[cs]e[ _-]?(?:id|no|number)["']?\s*[:=]\s*["']?(\d{5,}))",
                {"customer", "contract n", "contract i", "support n", "support i", "member", "host id", "hostid",
                 "licen"}},
               "<serial>",
               without_figure},
              // Of disks, as Samsung, Western Digital and Intel form them.
              {{R"(\b(S\d[A-Z0-9]{2}N[A-Z][A-Z0-9]\d?[A-Z]?\d{5,6}[A-Z]?|WD-W[A-Z0-9]{11}|PH[A-Z]{2}\d{8}\w{6})\b)",
                {"nvme", "disk", "/dev/sd", "samsung", "wdc", "wd-w", " ata "},
                14,
                11},
               "<serial>"},
              {{R"(\biSerial +\d+ +(\w{6,}))", {"iserial"}}, "<serial>", without_figure},
              {{R"((?i)\b(?:activation|licen[cs]e|product|registration|unlock)[ _-]?(?:key|code|id|number|no)\b[^\n]{0,20}?[:=]\s*["']?([A-Z0-9]{4,}(?:-[A-Z0-9]{4,})+)\b|\$ActivationKey\b[^\n]{0,20}?[:=]\s*["']?([A-Z0-9-]{9,}))",
                {"activation", "licen", "product k", "product c", "product i", "product n", "product-", "product_",
                 "registration", "unlock"}},
               "<secret>",
               without_figure},
              // In a sentence: the S/N, mine says …; the serial number of the second card is …
              {{R"x((?i)\b(?:s/n|serials?|service tag|asset tag|rma)\b[^\n]{0,64}?(?:\b(?:is|are|was|says?|reads?|shows?|reports?|prints?|gives?|being|be|then|of|card|gpu|module|board|unit|box|node|server|laptop|sticker|label|plate|bezel)\b(?: \d{1,2})?[^\w\n]{1,3}|[:=,(] ?)(\d{10,14}\b|(?-i:[A-Z0-9]{7,18})\b)|\b(?:(?:sticker|label|backplate|back plate|bezel|underside)\b[^\n\d]{0,32}?\b(?:says?|reads?|shows?|is|prints?)[^\w\n]{1,3}|(?:sticker|backplate|back plate|bezel|underside)\b[^\n\d:=]{0,32}?[:=(] ?|(?:ser\.?[ -]?(?:no|nr|num)|ser|s\.n|snr|serno)\b ?[.:=#]{0,2} ?)(\d{10,14}\b|(?-i:[A-Z0-9]{7,18})\b))x",
                {"\ns/n", " s/n",   "(s/n",   "\"s/n",   "serial", "service tag", "asset tag",
                 " rma ", "\nrma ", " rma:",  "sticker", "ser.",   "ser ",        "s.n.",
                 "snr",   "serno",  "label ", "plate ",  "bezel",  "underside"},
                10,
                7},
               "<serial>",
               no_serial},
              {{R"x(<serial>(?:,| and| und| et| y|;| &) (\d{10,14}\b|[A-Z0-9]{7,18}\b))x", {"<serial>"}},
               "<serial>",
               no_serial},
              {{R"((?i)([^\s"'<]{4,})["']? (?:is|as) (?:the|your|my|its|our) (?:serial(?: (?:number|no))?|licen[cs]e (?:key|number|code)|activation (?:key|code)|access code|pin|passcode|password|passphrase)\b)",
                {" serial", " licen", " activation", " access code", " pin", " pass"}},
               "<secret>",
               without_figure},
              {{R"((?i)\b(?:anydesk|teamviewer|rustdesk)\b[^\n]*?\b(?:desk|id|address)\b["']?\s*[:= ]\s*(\d{1,3}(?: ?\d{3}){2,3})\b)",
                {"anydesk", "teamviewer", "rustdesk"}},
               "<secret>"},
              {{R"((?i)\((?:0010,[0-9a-f]{4}|0008,(?:0050|0080|0081|0090|1010|1040|1048|1050|1060|1070)|0018,1000|0020,(?:0010|000d|000e))\) [A-Z]{2} [\[=]([^\]\n]+))",
                {"(0010,", "(0008,", "(0018,", "(0020,"}},
               "<name>",
               [](View /*before*/, View word) { return word.starts_with('<'); }},
              {{R"((?i)\b(?:chip|device|unit|unique|machine|hardware|board|cpu|soc|mcu|die|boot|system)[ _-]?(?:uid|unique[ _-]?id|ecid|id|serial)\b[^\n]{0,16}?[:=]\s*((?:0x)?[0-9a-f]{16,})\b)",
                {"chip", "device", "unit", "unique", "machine", "hardware", "board", "cpu", "soc", "mcu", "die", "boot",
                 "system"},
                20,
                16},
               "<serial>"},
              {{R"(\b(?:ECID|BR_CID)["']?[:= ]+((?:0x)?[0-9A-Fa-f]{10,}))", {"ecid", "_cid"}}, "<serial>"},
              {{R"((?i)\b(?:account|tenant|subscription|organi[sz]ation|org|workspace|project|customer)(?:[ _-]?(?:id|name|identifier|locator|number|no))?["']?\s*[:=]\s*["']?([a-z]{2,4}\d{4,}(?:[.-][a-z0-9-]+)*|\d{9,12}|[0-9a-f]{32})\b)",
                {"account", "tenant", "subscription", "organi", "org ", "org_", "org-", "org:", "org=", "workspace",
                 "project", "customer"}},
               "<name>",
               without_figure},
              // Names of people where tools put them.
              {{R"(\b(?:Author|Committer|Maintainer|(?:Co-authored|Signed-off|Reviewed|Acked|Tested|Reported|Suggested)-by): *([A-Z][^\s<]*(?: [A-Z][^\s<]*){1,3}))",
                {"author", "committer", "maintainer", "-by:"}},
               "<name>",
               [](View /*before*/, View word) {
                 static const LazyRegex firm(
                     "(?i).* "
                     "(?:corporation|corp|inc|ltd|llc|team|foundation|developers|contributors|authors|project)\\b."
                     "*",
                     RE2::Latin1);
                 return RE2::FullMatch(piece_of(word), firm);
               }},
              {{R"((?m)^\^?[0-9a-f]{7,40} (?:[^\s(]+ +)?\(([^()\n]+?) +\d{4}-\d\d-\d\d )",
                {" +0", " -0", " +1", " -1"},
                24,
                7},
               "<name>"},
              {{R"(\b([A-Za-z0-9][\w.+-]*%40[A-Za-z0-9][\w-]*(?:\.[\w-]+)+))", {"%40"}}, "<email>"},
              {{R"x(\bagent comment "([^"\n]+)"|\b(?:ssh-(?:rsa|ed25519|dss)|(?:sk-)?ecdsa-sha2-\S+|sk-ssh-\S+) AAAA\S+ (\S+)|\b(?:identity|public key|accepts key): (\S+) (?:RSA|ED25519|ECDSA)\b|\b\d{3,4} SHA256:\S+ (\S+) \((?:RSA|ED25519|ECDSA))x",
                {"agent comment", "ssh-", "ecdsa-", "(rsa", "(ed25519", "(ecdsa", "identity: ", "key: "}},
               "<name>",
               comment_of_all},
          };
  return all;
}

// Whether the check digits of an IBAN fit: its letters are numbers from 10, and four characters go to the end.
bool is_bank_account(View digits) {
  unsigned rest = 0;
  std::string all(digits);
  std::erase(all, ' ');
  constexpr std::size_t shortest = 15, longest = 34, head = 4;
  if (all.size() < shortest || all.size() > longest) return false;
  std::rotate(all.begin(), all.begin() + head, all.end());
  for (const char c : all) {
    const unsigned value = c <= '9' ? static_cast<unsigned>(c - '0') : static_cast<unsigned>(c - 'A') + 10U;
    rest = (rest * (value < 10 ? 10U : 100U) + value) % 97U;
  }
  return rest == 1;
}

void withhold_bank_accounts(std::string& text, const LowerText& low) {
  if (low.longest_run() < 4) return;
  for (std::size_t at = 0; at + 15 <= text.size(); ++at) {
    const auto is_capital = [&](std::size_t i) { return text[i] >= 'A' && text[i] <= 'Z'; };
    const auto is_figure = [&](std::size_t i) { return text[i] >= '0' && text[i] <= '9'; };
    if (!is_capital(at) || !is_capital(at + 1) || !is_figure(at + 2) || !is_figure(at + 3)) continue;
    static const LazyRegex form(R"([A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b)", RE2::Latin1);
    const std::size_t size = match_length(form, View(text).substr(at));
    if ((at > 0 && (std::isalnum(static_cast<unsigned char>(text[at - 1])) != 0 || text[at - 1] == '_')) ||
        !is_bank_account(View(text).substr(at, size)))
      continue;
    text.replace(at, size, "<secret>");
  }
}

// Whether the check digit of a card's number fits, of which every second figure counts twice.
bool is_card(View number) {
  unsigned sum = 0, figures = 0;
  for (auto c = number.rbegin(); c != number.rend(); ++c) {
    if (!(*c >= '0' && *c <= '9')) continue;
    constexpr unsigned nine = 9;
    const unsigned value = static_cast<unsigned>(*c - '0') << (figures++ % 2);
    sum += value > nine ? value - nine : value;
  }
  return figures >= 15 && sum % 10 == 0;
}

bool no_card(View /*before*/, View word) { return !is_card(word); }

// One number in ten has a fitting digit by chance: without a word for payments only what has dashes is taken for one.
void withhold_cards(std::string& text, const LowerText& low) {
  static const Place places[] = {
      {{R"(\b([3-6]\d{3}-\d{4}-\d{4}-\d{4}|3[47]\d{2}-\d{6}-\d{5})\b)", {{'-', 2}}, 17}, "<secret>", no_card},
      {{R"((?i)\b(?:credit|debit|visa|master ?card|maestro|amex|american express|payment|card ?(?:no|num|number|holder)|cc ?num\w*)\b[^\n]{0,60}?\b([3-6]\d{3}(?:[ -]?\d{4}){3}|3[47]\d{2}[ -]?\d{6}[ -]?\d{5})\b)",
        {"credit", "debit", "visa", "master card", "mastercard", "maestro", "amex", "american express", "payment",
         "card n", "cardn", "card h", "cardh", "cc num", "ccnum"},
        15},
       "<secret>",
       no_card}};
  if (std::ranges::count_if(text, [](char c) { return c >= '0' && c <= '9'; }) < 15) return;
  for (const Place& place : places) withhold(text, low, place);
}

}  // namespace
}  // namespace secret_places

void withhold_at_known_places(std::string& text, const LowerText& low) {
  using namespace secret_places;
  for (const Place& place : places()) withhold(text, low, place);
  withhold_bank_accounts(text, low);
  withhold_cards(text, low);
}

}  // namespace envdoctor

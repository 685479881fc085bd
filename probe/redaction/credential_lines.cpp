#include "probe/redaction/credential_lines.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "knowledge/lazy_regex.h"
#include "knowledge/lower_case.h"
#include "knowledge/wordings/known_words.h"
#include "probe/redaction/lazy_pattern.h"
#include "probe/redaction/public_hosts.h"
#include "probe/redaction/public_values.h"

namespace envdoctor {
namespace credential_lines {
namespace {

using View = std::string_view;

re2::StringPiece as_piece(View text) { return {text.data(), text.size()}; }
bool fits(View text, const RE2& form) { return RE2::FullMatch(as_piece(text), form); }
bool finds(View text, const RE2& form) { return RE2::PartialMatch(as_piece(text), form); }

bool is_small(char c) { return c >= 'a' && c <= 'z'; }
bool is_large(char c) { return c >= 'A' && c <= 'Z'; }
bool is_figure(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// What messages, commands and configurations say around a credential. Whatever else stands in such a line may be the
// credential itself, words of plain English too.
bool is_plain(View word) {
  static const std::unordered_set<View> plain = [] {
    static constexpr View words =
        "a about above askpass deprecated accept accepted access account accounts action active add added address "
        "admin "
        "administrator aes after again age agent airflow algorithm all allow allowed already also alter always an "
        "and ansible any api app application apt are arg argon args argument artifactory as ascii ask at attempt "
        "attempts auth authenticate authenticated authentication authority authorization authorize authorized "
        "auto anonymous available aws az azure backend backup bad base bash basic batch bcrypt be bearer because been "
        "before begin being below between bind bitbucket bmc bot box branch broker browser budget build but by bytes "
        "cache call called can cannot cargo catalog celery cert certificate change changed changing channel char "
        "character characters chars check checking chmod chown chr ci class clear clearml cleartext cli client "
        "cloud cluster cmd cn code column com comet command common community compose con config configuration "
        "configure configured connect connected connecting connection connector console contact contain container "
        "containers contains content context control cookie copy could cpu create created creating credential "
        "credentials creds cron crt csharp csr csrf cuda current currently cursor daemon daemonset dask data "
        "database date days db dbus dc debug default defaults delete deleted denied deny deploy deployment der "
        "dev did digest digitalocean directory disable disabled disk dn do docker dockerconfigjson does domain "
        "don done dotnet driver dsa dsn due during each eap ec2 ecdsa echo ed edit email empty enable enabled "
        "encoding encrypt encrypted encryption end endpoint engine ens ensure enter entered entry env environment "
        "err error errors etc eth event every exception exec executing exist exists exit expected expire expired "
        "expires expiring export exporting fail failed failing failure fallback falling false fatal field file "
        "files first fish "
        "flag for forbidden format found from ftp function gateway gb gcloud gcp generate generated generic get "
        "ge gid git github gitlab given global gnome go golang got gpg gpu gpus grafana grant granted group groups "
        "guest harbor has hash have head header headers helm helper helpers here hex hmac home hook host hostname "
        "hosts hours how htpasswd http https hub huggingface iam ibm id identified identity if ignored image imap "
        "import in incorrect info init initial input insecure install instance instead int integrated interactive "
        "interface internal into invalid ipmi is issue issuer it item its iv java jax jdbc jenkins jks job json "
        "jupyter jupyterhub just jwt kafka kb kde kerberos kernel key keyboard keychain keyring keys keystore "
        "kdc keytab kind kinit know kubeadm kubectl kubernetes lab lambda lanplus last later launch ldap length let "
        "level lib library like line linode list literal lo load loaded loading local localhost locate locked log "
        "logged "
        "login logon lsf logout long lost machine mail main make managed manager mariadb mark master match matched "
        "matches max mb md message method mfa min minio minutes mismatch missing mlflow mode model module mongo "
        "mongodb mongosh monitor more mount ms msg munge must my mysql name named names need needed needs netrc "
        "network never new next nexus nfs ngc no node nonce none not note notebook notice now npm npx null number "
        "nvcc nvcr nvidia oauth object oci odbc of off oidc ok old on once one only opaque open operation "
        "operator opt option options or org organization origin other otp ou our out output over owner package "
        "page pair pam pbs paperspace param parameter parameters part pass passed passphrase passwd password "
        "passwords path pbkdf peap pem per perl permission permissions pfx pgp pgpass php pid pin pip pipeline "
        "pipelines pkcs plain plaintext please plugin plus pod pods point policy pool port post postgres "
        "postgresql powershell present principal private problem process prod production profile project prometheus "
        "prompt prompted prompting prompts protocol provide provided provider proxy psk psycopg pts pub public "
        "publickey pull push put pwd pymysql python quay query queue rabbitmq ray rdp read reader readonly "
        "readwrite ready realm reason received redis refused region register registration registry reject "
        "rejected remote remove renew replication repo repositories repository request requested require required "
        "requires reset resource response rest retry return returned right ro role roles root rotate rotated rsa "
        "ruby run runner running runpod runtime rust rw s3 salt same saml sasl save saved saw schema scheme scram "
        "script sec seconds secret secrets section secure security see select send sent server service session "
        "set sets setting settings setup sftp sh sha share shared shell should show sid sign signature signed "
        "since single size skip slurm slurmdbd smb sms smtp snmp so socket some sops source spark sqlalchemy ssh "
        "sshd sshpass ssl sslmode sso stage staging start started starting state statement status stderr stdin "
        "stdout step still stop storage stored str string sts such sudo superuser support supported sure switch "
        "system systemd table tag target task tcp team temp template tensorflow terraform test text than that the "
        "their them then there these they this through ticket time timeout times title tls tmp to token tokens "
        "too toolkit torch totp trap tried true trust truststore try trying ttl tty two type udp uid unable "
        "unauthorized "
        "reply expectations preauthentication undefined unexpected unit unix unknown unlock unresolved unset "
        "unsupported until update updated upgrade "
        "upload url "
        "uge usage use used user username users using usr utf v1 v2c v3 valid validate validation value values var "
        "variable vault verification verify version via vnc vpn vultr wallet wandb want warn warning was way we "
        "web were what when where which while who wifi will with within without wlan wpa write writer wrong xsrf "
        "yaml yarn yes yet you your yourself zsh";
    std::unordered_set<View> all;
    for (std::size_t begin = 0; begin < words.size();) {
      const std::size_t end = std::min(words.find(' ', begin), words.size());
      all.insert(words.substr(begin, end - begin));
      begin = end + 1;
    }
    return all;
  }();
  const std::string low = lower_case(word);
  return plain.contains(low) || (low.ends_with("n't") && plain.contains("not"));
}

// The words that a name is made of, in small letters: "StoragePass" has storage and pass.
std::vector<std::string> parts_of(View name) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < name.size();) {
    if (!is_ascii_letter(name[i])) {
      ++i;
      continue;
    }
    std::size_t end = i + 1;
    while (end < name.size() && is_ascii_letter(name[end])) {
      const bool begins = is_large(name[end]) && (!is_large(name[end - 1]) ||  // "APIKey" has api and key
                                                  (end + 1 < name.size() && is_small(name[end + 1])));
      if (begins) break;
      ++end;
    }
    parts.push_back(lower_case(name.substr(i, end - i)));
    i = end;
  }
  return parts;
}

enum class Kind { none, weak, strong };  // weak: a language model may mean something else

Kind kind_of_pass(const std::vector<std::string>& parts) {
  static const LazyRegex of_tests("tests?", RE2::Latin1);
  static const LazyRegex of_compilers(
      "(?:forward|backward|fwd|bwd|first|second|third|single|multi|one|two|final|next|prev|current|extra|by|com|low|"
      "high|"
      "band|compile|opt|fusion|hlo|mlir|llvm|graph|module|function|loop|inline|rewrite|lowering|legalize|must|can|did|"
      "optimi[sz]ation|transform|scheduling|codegen|analysis|layout|sharding|"
      "training|train|eval|inference|render|depth|shadow|pre|post|xla|ir|all|test|tests|num|n|max|per|in|out|do|of)",
      RE2::Latin1);
  return parts.size() < 2 || fits(parts[parts.size() - 2], of_compilers) || fits(parts.front(), of_tests)
             ? Kind::none
             : Kind::strong;
}

Kind kind_of_token(const std::vector<std::string>& parts) {
  static const LazyRegex of_services(
      "(?:access|auth|authentication|api|bearer|refresh|id|session|csrf|xsrf|deploy|registration|runner|hf|hub|github|"
      "gitlab|gh|git|npm|pypi|wandb|vault|slack|bot|jwt|oauth|private|personal|job|ci|kube|join|admin|root|service|"
      "user|"
      "security|sas|sts|aws|az|azure|gcp|google|telegram|discord|comet|neptune|swarm|agent|build|push|pull|read|write|"
      "sentry|sonar|codecov|jupyter|huggingface|openai|anthropic|influx|grafana|consul|nomad|k8s|cluster|login|"
      "device)",
      RE2::Latin1);
  if (parts.size() < 2) return Kind::weak;
  return fits(parts[parts.size() - 2], of_services) ? Kind::strong : Kind::none;
}

Kind kind_of(View name) {
  static const LazyRegex anywhere(
      ".*(?:as{1,2}w(?:o?r?)[dt]|pwrd|pword|passphrase|passcode|kennwort|pswd|securestring).*", RE2::Latin1);
  static const LazyRegex together(
      "(?:db|user|usr|root|admin|bind|smb|ftp|my|sql|mysql|pg|http|proxy|auth|ssh|key|store|mail|smtp|ldap|redis|"
      "become|sudo|default|require|master|storage|trust|ssl|cert|enc|vault|git|registry|docker|rabbit|mongo|wifi|vnc|"
      "ipmi|bmc|snmp|login|svc|app)(?:pass|pw|pwd|psw)|masterauth|mdp|dbpwd",
      RE2::Latin1);
  static const LazyRegex of_a_key(
      "(?:api|auth|access|private|licen[cs]e|activation|product|unseal|recovery|encryption|ssh|signing|account|shared|"
      "deploy|"
      "wandb|secret|hmac|stream|storage|ngc|openai|comet)",
      RE2::Latin1);
  static const LazyRegex says("(?:secrets?|creds?|credentials?|psw|psk|pwd)", RE2::Latin1);
  static const LazyRegex no_name("^[/~.]|(?i)^(?:ask|com|by|sur|tres|en)pass", RE2::Latin1);
  if (name.size() < 2 || finds(name, no_name)) return Kind::none;
  const std::string low = lower_case(name);
  if (fits(low, anywhere) || fits(low, together)) return Kind::strong;
  std::vector<std::string> parts = parts_of(name);
  static const LazyRegex added("(?:id|b|base|value|val|str|string|plain|text|file|ref|env|data)", RE2::Latin1);
  while (parts.size() > 1 && fits(parts.back(), added)) parts.pop_back();
  if (parts.empty()) return Kind::none;
  const std::string& last = parts.back();
  if (fits(last, says)) return Kind::strong;
  if (last == "pass" || last == "pw") return last == "pass" ? kind_of_pass(parts) : Kind::strong;
  if (last == "token" || last == "authtoken" || last == "accesstoken") return kind_of_token(parts);
  if (last == "apikey" || last == "secretkey" || last == "accesskey") return Kind::strong;
  if (last == "key" && parts.size() > 1)
    return parts[parts.size() - 2] == "secret" || fits(parts[parts.size() - 2], of_a_key) ? Kind::strong : Kind::none;
  return Kind::none;
}

bool may_speak_of_credentials(const LowerText& low) {
  static const Needed ascii[] = {
      "pass",    "assw",   "pword",  "pw",     "psw",    "psk",     "secret",  "token",    "cred",    "securestring",
      "identif", "api",    "key",    "kennw",  "senha",  "heslo",   "hesl",    "hasl",     "geslo",   "mdp",
      "clave",   "parol",  "sandi",  "salas",  "wachtw", "lozi",    "sifre",   "zapor",    "ntras",   "zugangs",
      "anmelde", "kodeo",  "adgang", "jelsz",  "tunnus", "commun",  "netrc",   "unseal",   "hashcat", "cracked",
      "git-c",   "smbc",   "pin:",   "pin ",   "pin=",   "ss code", "ty code", "ck code",  "ry code", "up code",
      "phrase",  "auth f", "auth k", "auth-k", "auth_k", "c auth",  "p auth",  "login at", "d login", "autologin"};
  if (std::ranges::any_of(ascii, [&low](const Needed& word) { return word.in(low); })) return true;
  static constexpr std::array<const char*, 21> other = {"\xc3", "\xc5", "\xce", "\xcf", "\xd0", "\xd1", "\xd7",
                                                        "\xd8", "\xd9", "\xe0", "\xe1", "\xe3", "\xe4", "\xe5",
                                                        "\xe6", "\xe7", "\xe8", "\xe9", "\xeb", "\xec", "\xed"};
  return std::ranges::any_of(other, [&low](const char* byte) { return low.has(byte); });
}

struct Word {
  std::size_t begin = 0, end = 0;
  char quote = 0;        // the mark that it stands between, alone
  bool foreign = false;  // has letters outside ASCII
};

// How many bytes a character outside ASCII has that is a letter of an alphabet; 0: it separates words, as the letters
// of scripts without blanks do.
std::size_t letter_size(View text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  if (byte(at) >= 0xC3U && byte(at) <= 0xDFU) return 2;
  return byte(at) == 0xE1U && byte(at + 1) >= 0xB8U && byte(at + 1) <= 0xBFU ? 3 : 0;
}

// Ways to say it that are more than one word, or no word in ASCII letters, in small letters; a word may go on behind
// them. Capitals outside ASCII stand here as well.
constexpr std::array<View, 75> stems = {"identified by", "pass phrase",   "community string",
                                        "mot de passe",  "mots de passe", "mdp",
                                        "contraseñ",     "contrasenya",   "contrasena",
                                        "senha",         "palavra-passe", "kennw",
                                        "losungswort",   "zugangsdaten",  "anmeldedaten",
                                        "wachtwoord",    "lösenord",      "passord",
                                        "adgangskod",    "kodeord",       "salasana",
                                        "tunnussana",    "hasł",          "haslo",
                                        "heslo",         "hesla",         "heslem",
                                        "geslo",         "lozink",        "zapork",
                                        "şifre",         "Şifre",         "sifre",
                                        "parola",        "parolă",        "jelszó",
                                        "slaptažod",     "parool",        "mật khẩu",
                                        "Mật khẩu",      "kata sandi",    "clave",
                                        "identifiant",   "credenciales",  "credenciais",
                                        "credenziali",   "пароль",        "Пароль",
                                        "ПАРОЛЬ",        "парол",         "Парол",
                                        "гасло",         "лозинк",        "токен",
                                        "Токен",         "密码",          "密碼",
                                        "口令",          "暗号",          "暗証番号",
                                        "令牌",          "密钥",          "密鑰",
                                        "凭据",          "凭证",          "認証情報",
                                        "パスワード",    "パスフレーズ",  "トークン",
                                        "비밀번호",      "암호",          "패스워드",
                                        "토큰",          "κωδικ",         "รหัสผ่าน"};
constexpr std::array<View, 38> more_stems = {
    "basic auth",     "smtp auth",     "auth failed",   "auth failure", "unseal",        "hashcat",
    "cracked",        "login attempt", "failed login",  "autologin",    "auth key",      "key phrase",
    "keyphrase",      "passkey",       "secret phrase", "seed phrase",  "shared key",    "wpa key",
    "wep key",        "network key",   "wi-fi key",     "access code",  "security code", "unlock code",
    "recovery code",  "backup code",   "كلمة المرور",   "كلمة السر",    "סיסמ",          "رمز عبور",
    "पासवर्ड",         "συνθηματικ",    ".pgpass",       ".netrc",       "htpasswd",      ".git-credentials",
    "smbcredentials", "vault_pass"};

// Where the stems stand in a line, with the rest of their words.
std::vector<std::pair<std::size_t, std::size_t>> phrases_of(View line) {
  std::vector<std::pair<std::size_t, std::size_t>> found;
  const std::string low = lower_case(line);
  const auto search = [&](View stem) {
    for (auto at = low.find(stem); at != low.npos; at = low.find(stem, at + stem.size())) {
      const bool whole = !is_ascii_letter(stem[0]) || at == 0 || !is_ascii_letter(low[at - 1]);
      if (!whole) continue;
      std::size_t end = at + stem.size();
      const bool alphabet = static_cast<unsigned char>(stem[0]) < 0xE0U;
      while (alphabet && end < low.size() && (is_ascii_letter(low[end]) || letter_size(low, end) > 0))
        end += std::max<std::size_t>(letter_size(low, end), 1);
      found.emplace_back(at, end);
    }
  };
  std::ranges::for_each(stems, search);
  std::ranges::for_each(more_stems, search);
  return found;
}

std::size_t marker_size(View text, std::size_t at) {
  // What we withheld, and what tells a reader to put his own there: <your key here>.
  static const LazyRegex marker(
      "(<(?:secret|name|host|email|ip|mac|uuid|user|serial|phone|"
      "(?i:your|my|the|insert|enter|paste|put|add|replace|some|an?)(?:[ _-][A-Za-z]+){1,6})>)",
      RE2::Latin1);
  re2::StringPiece found;
  if (text[at] != '<' || !marker->Match(as_piece(text), at, text.size(), RE2::ANCHOR_START, &found, 1)) return 0;
  return found.size();
}

void add_words(View line, std::size_t begin, std::size_t end, std::vector<Word>& words) {
  static constexpr View separators = " \t\r\"'`,;()[]{}<>|=:";
  for (std::size_t i = begin; i < end;) {
    const char c = line[i];
    if (const std::size_t size = marker_size(line, i); size > 0) {
      i += size;
      continue;
    }
    const bool opens =
        (c == '"' || c == '`' || c == '\'') && (i == begin || c != '\'' || !is_ascii_letter(line[i - 1]));
    const std::size_t closing = opens ? line.find(c, i + 1) : View::npos;
    if (opens && closing != View::npos && closing < end && closing > i + 1) {
      const View inside = line.substr(i + 1, closing - i - 1);
      if (inside.find_first_of(" \t\"'{}<>=(") == View::npos && inside.find("://") == View::npos) {
        words.push_back({i + 1, closing, c, std::ranges::any_of(inside, [](char x) { return x < 0; })});
      } else {
        add_words(line, i + 1, closing, words);
      }
      i = closing + 1;
      continue;
    }
    // A line's end or a tabulator, as texts between quotation marks write them.
    const auto escapes = [&](std::size_t at) {
      return line[at] == '\\' && at + 1 < end && View("nrt").find(line[at + 1]) != View::npos;
    };
    if (escapes(i)) {
      i += 2;
      continue;
    }
    std::size_t last = i;
    bool foreign = false;
    while (last < end) {
      if (static_cast<unsigned char>(line[last]) >= 0x80U) {
        const std::size_t size = letter_size(line, last);
        if (size == 0) break;
        foreign = true;
        last += size;
        continue;
      }
      const bool apostrophe = line[last] == '\'' && last > i && last + 1 < end && is_ascii_letter(line[last - 1]) &&
                              is_small(line[last + 1]);
      if ((separators.find(line[last]) != View::npos && !apostrophe) || escapes(last)) break;
      ++last;
    }
    last = std::min(last, end);
    if (last == i) {
      ++i;
      continue;
    }
    Word word{i, last, 0, foreign};
    while (word.end > word.begin + 1 && (line[word.end - 1] == '.' || line[word.end - 1] == '?')) --word.end;
    words.push_back(word);
    i = last;
  }
}

bool is_number(View word) {
  static const LazyRegex form(
      R"([-+#]?(?:0x[0-9a-fA-F]+|v?\d[\d.,/x-]*(?:[a-zA-Z%]{0,3}|e[-+]?\d+|Z)|\d{4}-\d\d-\d\dT\d\d))", RE2::Latin1);
  return fits(word, form);
}

bool is_variable(View word) {
  static const LazyRegex form(R"(\$\(?\{?[A-Z_][A-Z0-9_]*\}?\)?|%[A-Z_]+%|\$[a-z]{1,8}|\$\d)", RE2::Latin1);
  return fits(word, form);
}

// Words of reports that people take for passwords.
bool is_taken_for_passwords(View word) {
  static const LazyRegex form(
      "(?i)apple|azure|bat|black|blue|bridge|car|cat|cinnamon|cloud|dolphin|eagle|falcon|forest|game|gold|gray|green|"
      "happy|horse|lake|lightning|llama|love|magic|master|mint|moon|mouse|ninja|opal|pasta|phoenix|pink|red|rock|sage|"
      "silver|sky|star|sun|super|train|tree|turbo|welcome|wine|wizard|january|february|march|april|may|june|july|"
      "august|september|october|november|december|monday|friday|sunday",
      RE2::Latin1);
  return fits(word, form);
}

// A value that withholds nothing, or the file of a library.
bool is_nothing(View word) {
  static const LazyRegex form(
      R"((?i)(?:none|null|nil|nullptr|undefined|true|false|yes|no)"
      R"(|lib[\w+-]+\.so(?:\.\d+)*|[a-z][\w.-]*==\d[\w.*+]*|n/a|empty|unset|required|missing|invalid|redacted|hidden|masked|falsch|incorrecta?|invalide|inválid[ao]|errat[ao]|неверный|错误)"
      R"(|keyboard-interactive|hostbased|gssapi-[a-z-]+|withheld|\*+|x{3,}|\.{3}|-|_|password|passwd|secret|token))",
      RE2::Latin1);
  return fits(word, form);
}

bool are_known(const std::vector<std::string>& parts, bool technical) {
  return std::ranges::all_of(parts, [technical](const std::string& part) {
    return part.size() < 3 || is_plain(part) || (technical && knowledge::is_technical_word(part)) ||
           kind_of(part) != Kind::none || part == "pass";
  });
}

bool is_of_one_case(View word) {
  static const LazyRegex form("[A-Z]?[a-z]+(?:'[a-z]{1,2})?|[A-Z]+s?", RE2::Latin1);
  return fits(word, form);
}

class Line {
 public:
  explicit Line(View text) : text_(text) {
    add_words(text, 0, text.size(), words_);
    phrases_ = phrases_of(text);
    find_mentions();
  }

  [[nodiscard]] std::string without_credentials();

 private:
  [[nodiscard]] View of(const Word& word) const { return text_.substr(word.begin, word.end - word.begin); }
  [[nodiscard]] View between(std::size_t begin, std::size_t end) const {
    return begin < end ? text_.substr(begin, end - begin) : View{};
  }
  [[nodiscard]] View behind(std::size_t i) const {
    return between(words_[i].end, i + 1 < words_.size() ? words_[i + 1].begin : text_.size());
  }
  void find_mentions();
  [[nodiscard]] bool stays(std::size_t i) const;
  [[nodiscard]] bool is_key(std::size_t i) const;
  [[nodiscard]] bool is_path(View word) const;

  View text_;
  std::vector<Word> words_{};
  std::vector<std::pair<std::size_t, std::size_t>> phrases_{};
  std::vector<Kind> kinds_{};  // of the words
  bool strong_ = false, weak_ = false;
};

// A name that a message of a framework cites is no credential's: "has no attribute 'secret_head'".
bool is_cited(View before) {
  static const LazyRegex cited(R"((?i)(?:attribute|argument|module|named|name|layer|function|parameter|import)"
                               R"(|class|type|method|KeyError:|NameError:) ["'`]?$)",
                               RE2::Latin1);
  return finds(before, cited);
}

bool are_of_models(View text) {
  static const LazyRegex of_models(
      R"((?i)tokeniz|\btokens\b|vocab|embed|logit|\b(?:eos|bos|pad|unk|cls|sep|mask)\b|<\|)"
      R"(|special token|prompt|json|syntax|unexpected token|pars(?:e|ing)|lexer|sequence)"
      R"(|per[- ]token|first token|next token|token (?:id|ind))",
      RE2::Latin1);
  return finds(text, of_models);
}

void Line::find_mentions() {
  static const LazyRegex joined(
      R"(^["'\])}]{0,4}\s*(?:=>|->|:=|[=:])\s*["']|^["'\])}]{1,4}\s*(?:=>|:=|[=:,])|^\s?=\s?\S|^ ")", RE2::Latin1);
  strong_ = !phrases_.empty();
  for (const Word& word : words_) {
    const View name = of(word);
    const View rest = text_.substr(word.end);
    constexpr std::size_t looked_at = 32;
    const View before = text_.substr(word.begin - std::min(word.begin, looked_at), std::min(word.begin, looked_at));
    Kind kind = word.foreign ? Kind::none : kind_of(name);
    static const LazyRegex bare("(?i)[:@*&$-]{0,2}pass", RE2::Latin1);
    // A column of a table.
    static const LazyRegex behind_a_user(R"((?i)(?:user|login|name|account)\s?[;,|:/\t]\s?$)", RE2::Latin1);
    if (kind == Kind::none && name.size() < 7 && fits(name, bare) && finds(before, behind_a_user)) kind = Kind::strong;
    static const LazyRegex given("^(?:\\s?[:=]| is | was )", RE2::Latin1);
    if (kind == Kind::none && fits(name, bare) && (finds(rest, joined) || (name == "--pass" && rest.starts_with(" "))))
      kind = Kind::strong;
    if (name == "PIN" && finds(rest, given)) kind = Kind::strong;
    // The pass of a compiler or a test: a sentence follows.
    static const LazyRegex passes("_PASS(?:ES|ED)?$", RE2::Latin1),
        sentence("^: [A-Z][a-z]+ [\\w'-]+ [\\w'-]+", RE2::Latin1);
    static const LazyRegex method("[A-Z]\\w*\\.\\w+", RE2::Latin1);  // of a class: PasswordEncoder.forward()
    if (before.ends_with("::") && name.starts_with("test_")) kind = Kind::none;
    if ((finds(name, passes) && finds(rest, sentence)) || (fits(name, method) && rest.starts_with("(")))
      kind = Kind::none;
    static const LazyRegex without("(?i)^ (?:is |was )?(?:not set|unset|missing)\\b",
                                   RE2::Latin1);  // no value stands in this line
    if (finds(rest, without)) kind = Kind::none;
    // What needs none.
    static const LazyRegex needs_none("(?i)pass(?:word|wd|phrase)-?(?:less|free)", RE2::Latin1);
    if (fits(name, needs_none)) kind = Kind::none;
    // Tests that passed, in a row of counts.
    static const LazyRegex counts("^\\s?[:=]\\s?(\\d+)", RE2::Latin1);
    re2::StringPiece number;
    if (kind != Kind::none && RE2::PartialMatch(as_piece(rest), counts, &number) &&
        is_counted(text_.substr(0, word.begin), name, {number.data(), number.size()},
                   rest.substr(static_cast<std::size_t>(number.end() - rest.data()))))
      kind = Kind::none;
    const bool working_directory = (name == "PWD" || name == "OLDPWD") && rest.starts_with("=/");
    if (kind != Kind::none && (working_directory || is_cited(before) || (kind == Kind::weak && are_of_models(text_))))
      kind = Kind::none;
    kinds_.push_back(kind);
    strong_ = strong_ || kind == Kind::strong;
    weak_ = weak_ || kind == Kind::weak;
  }
}

bool Line::is_key(std::size_t i) const {
  static const LazyRegex joiner(R"(^["'\])}]{0,4}\s?(?:=>|->|:=|[=:(]|::)\s*)", RE2::Latin1);
  return finds(text_.substr(words_[i].end), joiner) && are_known(parts_of(of(words_[i])), true);
}

bool Line::is_path(View word) const {
  static const LazyRegex begins(R"(^(?:/|\./|\.\./|~/|[A-Za-z]:\\|\\\\|\$\w+/))", RE2::Latin1);
  return finds(word, begins);
}

// Whether a word that isn't where the value of a credential stands tells nothing of it.
bool Line::stays(std::size_t i) const {
  const Word& one = words_[i];
  View word = of(one);
  if (is_number(word) || is_variable(word) || is_path(word) || is_nothing(word)) return true;
  if (word.find('.') != word.npos && std::ranges::any_of(word, is_ascii_letter) && is_public(word)) return true;
  // A number of an error or of a weakness: ORA-01017: …
  static const LazyRegex code(R"([A-Z]{2,8}-?\d{4,8}[A-Z]?)", RE2::Latin1),
      advisory("(?:CVE|GHSA|USN|RHSA|DSA)-.*", RE2::Latin1);
  if ((fits(word, code) && behind(i).starts_with(":")) || fits(word, advisory)) return true;
  const bool letters = std::ranges::any_of(word, is_ascii_letter);
  if (one.foreign) return !std::ranges::any_of(word, is_figure) && word.find_first_of("!#$%&*_") == word.npos;
  if (!letters && !std::ranges::any_of(word, is_figure)) return true;
  static const LazyRegex error(R"([A-Za-z_.]*(?:Error|Exception|Warning|Failure|Failed|Denied|Refused))", RE2::Latin1);
  if (fits(word, error)) return true;
  if (kinds_[i] != Kind::none || is_key(i)) return are_known(parts_of(word), true);
  static const LazyRegex option(R"(-{1,2}[A-Za-z][\w-]*|/[A-Za-z]+)", RE2::Latin1);
  if (fits(word, option)) return are_known(parts_of(word), true);
  while (!word.empty() && View("#@!*.-+&%$\\").find(word.front()) != View::npos) word.remove_prefix(1);
  while (!word.empty() && View("#!*.-+&%\\/").find(word.back()) != View::npos) word.remove_suffix(1);
  if (word.empty() || word.find('@') != word.npos || word.find('/') != word.npos)
    return word.empty() || are_known(parts_of(word), true) || word.find('@') != word.npos;
  if (is_of_one_case(word)) return is_plain(word) || knowledge::is_technical_word(word);
  static const LazyRegex numbered(R"([a-z]{1,8}\d{1,3}|[A-Z]{1,6}\d{1,3})", RE2::Latin1);
  if (fits(word, numbered)) return are_known(parts_of(word), false) && parts_of(word).front().size() > 1;
  return word.find_first_of("!#$%&*?^~+") == word.npos && are_known(parts_of(word), false);
}

std::string Line::without_credentials() {
  enum class Expects { nothing, next, value };
  static const LazyRegex type(R"((?i)string|chr|str|text|bytes|some|secret|just|b|u|r|f|N|varchar|char|securestring)",
                              RE2::Latin1);
  static const LazyRegex copula(R"((?i)is|was|are|be|now|still|set|to|changed|reset|war|ist|lautet|est|es|era|foi)"
                                R"(|jest|byl|byla|var|er|on|as|of|the|new|old|provided|value|jetzt|maintenant|ahora)",
                                RE2::Latin1);
  static const LazyRegex joins(R"([=:(]|->|<<|,\s*["'<]|\x{ff1a}|\x{662f}|\x{306f}|\x{4e3a}|\x{70ba})");
  static const LazyRegex is_the(
      R"(^\s+(?:is|was|as|for)\s+(?:(?:the|my|our|your|his|her|a|new|old|current|root|admin|db)\s+)*)", RE2::Latin1);
  static const LazyRegex quotes("^ ?[\"']", RE2::Latin1), goes_on("^ |^[.:]", RE2::Latin1);
  // dpkg's list, of which a package may be named after secrets or passwords.
  static const LazyRegex package(R"((?:ii|rc|un|hi|iU|iF) +[a-z0-9][\w+.:-]* +\d\S* +(?:amd64|arm64|i386|all)\b.*)",
                                 RE2::Latin1);
  // A header that lists names of headers, alone on its line.
  static const LazyRegex names_of_headers(
      R"((?i)[<>*|\s"']*access-control-(?:allow|expose)-headers["']?\s*[:=]\s*["']?[\w*, -]*["',;]*\s*)", RE2::Latin1);
  if ((!strong_ && !weak_) || fits(text_, package) || fits(text_, names_of_headers)) return std::string(text_);
  std::string out;
  std::size_t done = 0;
  Expects expects = Expects::nothing;
  bool continues = false;  // a passphrase of several words
  std::size_t before = 0;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const Word& one = words_[i];
    const View word = of(one), gap = between(before, one.begin);
    for (const auto& [begin, end] : phrases_) {
      if (begin < one.begin && end <= one.begin && end > before)
        expects = finds(between(end, one.begin), joins) ? Expects::value : Expects::next;
    }
    bool in_phrase = false;
    for (const auto& [begin, end] : phrases_) in_phrase = in_phrase || (one.begin < end && one.end > begin);
    before = one.end;
    // What a sentence says next, or what is withheld already, stands between.
    static const LazyRegex ends(R"([;.)]\s|<(?:secret|name)>)", RE2::Latin1);
    if (expects != Expects::nothing && finds(gap, ends) && !(expects == Expects::value && finds(gap, joins)))
      expects = Expects::nothing;
    if (gap.find("<secret>") != gap.npos) expects = Expects::nothing;
    const bool mention = kinds_[i] != Kind::none || in_phrase;
    const bool typed = fits(word, type) && (behind(i).starts_with("(") || finds(behind(i), quotes));
    const bool quoted = one.quote != 0;
    bool withheld = false;
    const bool mark =
        word.size() < 3 && std::ranges::none_of(word, [](char c) { return is_ascii_letter(c) || is_figure(c); });
    if (mark) {
      continue;
    } else if (mention) {
      // "passwords": [{"name": "password", …
      withheld = false;
      expects = finds(behind(i), joins) ? Expects::value : Expects::next;
      continues = false;
    } else if (expects == Expects::value) {
      const bool size_of_type = gap.ends_with("(") && is_number(word) && behind(i).starts_with(")");
      const bool said = !quoted && gap.find('=') == gap.npos && gap.find("->") == gap.npos && is_plain(word);
      if (typed || size_of_type || (!quoted && fits(word, copula)) || is_key(i)) {
        // The value comes behind it.
      } else {
        static const LazyRegex version(R"(\d+(?:\.\d+)+[\w.+-]*)", RE2::Latin1);  // of a package: detect-secrets==1.5.0
        withheld = !(said || (gap == "==" && fits(word, version)) || is_nothing(word) || is_variable(word) ||
                     is_path(word) || (is_number(word) && (weak_ || word.size() < 3)));
        continues = withheld && !quoted;
        expects = Expects::nothing;
      }
    } else if (expects == Expects::next) {
      const bool option = word.starts_with("-") && kinds_[i] == Kind::none && stays(i);
      if (option || typed || (!quoted && fits(word, copula))) {
        // The value may come behind it.
      } else {
        static const LazyRegex error("[A-Za-z_.]*(?:Error|Exception|Warning)", RE2::Latin1);
        const bool sentence = is_of_one_case(word) && !quoted && knowledge::is_technical_word(word) &&
                              !is_taken_for_passwords(word) && finds(behind(i), goes_on);
        withheld =
            !(stays(i) && (is_plain(word) || is_nothing(word) || sentence || fits(word, error) || is_number(word) ||
                           is_variable(word) || is_path(word) || one.foreign || (!strong_ && is_of_one_case(word))));
        continues = withheld && !quoted;
        expects = Expects::nothing;
      }
    } else {
      const bool follows = continues && gap == " ";
      continues = follows && is_of_one_case(word) && !is_plain(word);
      const bool names_it = i + 1 < words_.size() && [&] {
        re2::StringPiece found;
        return RE2::PartialMatch(as_piece(text_.substr(one.end)), is_the) &&
               std::any_of(words_.begin() + static_cast<std::ptrdiff_t>(i), words_.end(), [&](const Word& next) {
                 static const LazyRegex whole(
                     R"(^\s+(?:is|was|as|for)\s+(?:(?:the|my|our|your|his|her|a|new|old|current|root|admin|db)\s+)*$)",
                     RE2::Latin1);
                 const std::size_t at = static_cast<std::size_t>(&next - words_.data());
                 return kinds_[at] != Kind::none && finds(between(one.end, next.begin), whole);
               });
      }();
      withheld = continues || (strong_ && !stays(i)) || (strong_ && names_it && !is_plain(word) && !is_number(word));
    }
    if (!withheld) continue;
    std::size_t end = one.end;
    // What else is joined to it belongs to it: a password may have marks that separate words elsewhere.
    while (!quoted && end < text_.size() && !is_blank(text_[end]) &&
           View("\"'`,;()[]{}<>|").find(text_[end]) == View::npos)
      ++end;
    out.append(text_, done, one.begin - done).append("<secret>");
    done = end;
    while (i + 1 < words_.size() && words_[i + 1].begin < end) ++i;
    before = end;
  }
  return done == 0 ? std::string(text_) : out.append(text_.substr(done));
}

}  // namespace
}  // namespace credential_lines

void withhold_credentials(std::string& text) {
  constexpr std::size_t least = 6;
  if (text.size() < least || !credential_lines::may_speak_of_credentials(LowerText(text))) return;
  std::string out;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (begin > 0) out += '\n';
    out += credential_lines::Line(std::string_view(text).substr(begin, end - begin)).without_credentials();
    begin = end + 1;
  }
  text = out;
}

}  // namespace envdoctor

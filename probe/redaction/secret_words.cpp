#include "probe/redaction/secret_words.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "knowledge/lazy_regex.h"
#include "knowledge/wordings/known_words.h"
#include "probe/redaction/lazy_pattern.h"
#include "probe/redaction/replace_groups.h"

namespace envdoctor {
namespace secret_words {
namespace {

using View = std::string_view;

constexpr auto passwords =
    R"(contraseñ|contrasenya|contrasinal|palabra de paso|clave de acceso|senha|palavra-passe|mots? de passe|passwort|kennwort|schlüsselinhalt|zugangscode|losungswort|wachtwoord|paswoord|wagwoord|lösenord|passord|adgangskode|kodeord|salasana|tunnussana|lykilorð|aðgangsorð|hasł|hasel|heslo|hesla|heslem|geslo|lozink|zapork|şifre|şifrə|parola|parolă|parole|parool|parolē|parol|jelszó|jelszav|slaptažod|fjalëkalim|pasahitz|cyfrinair|pasfhocal|facal-faire|pasvorto|fjalkalim|mật khẩu|kata sandi|kata laluan|kata kunci|nywila|neno la siri|contenu de la clé|contenido de la clave|contenuto chiave|conteúdo da chave|inhoud sleutel|sleutelinhoud|avaimen sisältö|содержимое ключа|құпия ?сөз|сырсөз|пароль|пароля|парол|лозинк|гасло|нууц үг|κωδικ\pL+(?: πρόσβασης)?|συνθηματικ|პაროლ|գաղտնաբառ|סיסמ|كلمة المرور|كلمة السر|رمز عبور|گذرواژه|پاس ورڈ|पासवर्ड|कूटशब्द|পাসওয়ার্ড|ਪਾਸਵਰਡ|પાસવર્ડ|கடவுச்சொல்|పాస్‌?వర్డ్|ಪಾಸ್‌?ವರ್ಡ್|പാസ്‌?വേഡ്|මුරපදය|รหัสผ่าน|ລະຫັດຜ່ານ|ពាក្យសម្ងាត់|စကားဝှက်|የይለፍ ቃል|密码|密碼|口令|通行碼|パスワード|パスフレーズ|暗証番号|合言葉|비밀번호|암호|패스워드)";
constexpr auto keys =
    R"((?:lizenz|produkt|api-|zugriffs|geheim|sicherheits|netzwerk|wlan-)schlüssel|(?:wlan|wifi|suojaus)-?avain|säkerhetsnyckel|sikkerhetsnøkkel|sikkerhedsnøgle|beveiligingssleutel|klucz zabezpieczeń|bezpečnostní klíč|biztonsági kulcs|güvenlik anahtarı|ключ безопасности|安全密钥|セキュリティ ?キー|보안 키|clé (?:de sécurité|réseau|wifi)|clave (?:de seguridad|de red)|chiave (?:di sicurezza|di rete)|clé (?:de licence|de produit|d['’]api|secrète|privée|d['’]accès)|jeton|clave (?:de licencia|de producto|de api|secreta|privada)|chave (?:de licença|do produto|de api|secreta|de acesso)|chiave (?:di licenza|api|segreta|di accesso|del prodotto)|licentiesleutel|productsleutel|api-sleutel|licensnyckel|produktnyckel|api-nyckel|lisensnøkkel|api-nøkkel|licensnøgle|api-nøgle|lisenssiavain|tuoteavain|api-avain|klucz (?:licencyjny|produktu|api|dostępu)|licenční klíč|klíč (?:api|produktu)|kľúč api|licenckulcs|api-kulcs|cheie (?:de licență|api)|lisans anahtarı|api anahtarı|лицензионный ключ|ключ (?:лицензии|api|продукта|доступа)|токен|ліцензійний ключ|κλειδί (?:api|άδειας|προϊόντος)|مفتاح|מפתח|khóa api|mã truy cập|kunci api|kunci lisensi|许可证密钥|产品密钥|密钥|密鑰|令牌|凭证|激活码|授权码|验证码|ライセンスキー|プロダクトキー|apiキー|トークン|認証コード|라이선스 키|제품 키|api 키|토큰|인증번호|คีย์|कुंजी)";
constexpr auto users =
    R"(benutzername|benutzer|anmeldename|nom d['’]utilisateur|utilisateur|identifiant|nombre de usuario|usuario|nome de usuário|usuário|nome de utilizador|utilizador|nome utente|utente|nom d['’]usuari|gebruikersnaam|gebruiker|användarnamn|användare|brukernavn|brugernavn|bruger|käyttäjänimi|käyttäjätunnus|käyttäjä|nazwa użytkownika|użytkownik|uživatelské jméno|uživatel|používateľ|felhasználónév|felhasználó|nume de utilizator|utilizator|korisničko ime|korisnik|uporabniško ime|uporabnik|kullanıcı adı|kullanıcı|naudotojas|lietotājs|kasutajanimi|kasutaja|erabiltzailea|ainm úsáideora|notandanafn|потребител|имя пользователя|пользователь|ім['’]я користувача|користувач|корисник|όνομα χρήστη|χρήστης|שם משתמש|משתמש|اسم المستخدم|المستخدم|نام کاربری|उपयोगकर्ता(?: नाम)?|tên đăng nhập|người dùng|tài khoản|nama pengguna|pengguna|ชื่อผู้ใช้|用户名|用户|用戶|使用者名稱|使用者|帐号|账号|帳號|ユーザー名|ユーザー|ユーザ名|アカウント|사용자 이름|사용자|아이디|계정)";
constexpr auto serials =
    R"(seriennummer|serien-?nr\.?|geräte-?id|numéro de série|n° de série|número de (?:serie|série)|nº de (?:serie|série)|numero di serie|numero seriale|serienummer|serienr\.?|sarjanumero|numer seryjny|sériové číslo|sorozatszám|gyári szám|număr de serie|serijski broj|serijska številka|seri numarası|seri no|serijos numeris|sērijas numurs|seerianumber|serie-zenbakia|raðnúmer|сериен номер|серийный номер|серійний номер|серијски број|σειριακός αριθμός|מספר סידורי|الرقم التسلسلي|شماره سریال|क्रम संख्या|सीरियल नंबर|số sê-?ri|số seri|nomor seri|nombor siri|หมายเลขซีเรียล|หมายเลขประจำเครื่อง|序列号|序號|序列號|シリアル番号|シリアルナンバー|製造番号|機器番号|시리얼 번호|시리얼번호|일련번호)";

// Between the word and the value: the rest of the word and others, then a sign or a form of "to be".
constexpr auto joiner =
    R"(\pL*(?:[ \t]+[\pL\pM\d'’()/_.-]+){0,6}?[\s\pM]*(?:["'»”)\]]*\s*(?:[=:：]|->)|[ \t](?:hau da|lautet|adalah|ialah|jest|to|je|ist|est|este|είναι|olarak|yra|là|är|er|es|é|è|je|on|is|van)[ \t:]+|[을를은는이が][ \t]+|为|為|是|は)\s*["'«„“「『]?)";
constexpr auto value = R"(([^\s"'«»„“”「」『』，。；,;<>=]{3,}))";
// Behind a sign alone.
constexpr auto sign = R"([\pM]*["'»”)\]]*\s*[=:：]?\s*["'«„“「『]?)";

bool is_figure(char c) { return c >= '0' && c <= '9'; }
bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }
bool is_small(char c) { return c >= 'a' && c <= 'z'; }

// What of a value in a message tells nothing: a word in small letters ("Passwort: falsch").
bool is_plain(View before, View word) {
  static constexpr auto quotes = std::to_array<View>({"\"", "'", "«", "„", "“", "「", "『"});
  if (std::ranges::any_of(quotes, [before](View quote) { return before.ends_with(quote); })) return false;
  const bool inner_capital =
      std::any_of(word.begin() + 1, word.end(), is_capital) && std::ranges::any_of(word, is_small);
  return std::ranges::none_of(word, is_figure) && !inner_capital && word.find_first_of("!#$%&*_+@~^?-") == View::npos;
}

struct NamedBy {
  std::vector<Needed> words;  // one of these stands in a text of ASCII alone
  LazyPattern pattern;
  const char* by;
};

std::span<const NamedBy> named() {
  static const auto made = [](const char* words, const char* between) {
    return std::string("(?i)(?:") + words + ")" + between + value;
  };
  static const NamedBy all[] = {
      {{"contrase",   "contrasin", "palabra",  "clave",  "senha",   "palavra",   "de passe",  "passwort",
        "kennw",      "zugangsc",  "losungs",  "wachtw", "paswo",   "wagwo",     "passord",   "adgangs",
        "kodeord",    "salasana",  "tunnus",   "hasel",  "hesl",    "geslo",     "lozink",    "zapork",
        "parol",      "parool",    "pasahitz", "cyfrin", "pasfhoc", "facal-",    "pasvorto",  "fjalkal",
        "kata sandi", "laluan",    "kata kun", "nywila", "neno la", "contenuto", "sleutelinh"},
       {made(passwords, joiner), {}},
       "<secret>"},
      {{"jeton", "clave ", "chave ", "chiave ", "sleutel", "avain", "klucz", "kulcs", "cheie ", "kunci "},
       {made(keys, joiner), {}},
       "<secret>"},
      {{"serienn", "serien-", "serienr", "numero ", "sarjanum", "seryjn", "serijsk", "seri no", "seerianum", "serie-z",
        "nomor ser", "nombor s", "numeris"},
       {made(serials, sign), {}},
       "<serial>"},
      {{"serienn", "serien-", "serienr", "numero ", "sarjanum", "seryjn", "serijsk", "seri no", "seerianum", "serie-z",
        "nomor ser", "nombor s", "numeris"},
       {made(serials, joiner), {}},
       "<serial>"},
      {{"benutzer", "anmeldename", "utilisateur", "identifiant", "usuari", "utilizador", "utilizator", "utente",
        "gebruiker", "brukern", "bruger", "uporabnik", "korisnik", "naudotoj", "kasutaja", "erabiltz", "notanda",
        "pengguna"},
       {made(users, R"([\pM]*["'»”)\]]*\s*(?:[=:：]\s*|\s["'«„“「『])["'«„“「『]?)"), {}},
       "<user>"}};
  return all;
}

// Whether a letter of an alphabet or a script that isn't ASCII stands in it; dashes and arrows don't count.
bool has_foreign_letter(const LowerText& low) {
  static constexpr auto first_bytes = std::to_array<unsigned char>(
      {0xc3, 0xc4, 0xc5, 0xc8, 0xc9, 0xce, 0xcf, 0xd0, 0xd1, 0xd2, 0xd5, 0xd6, 0xd7, 0xd8, 0xd9,
       0xda, 0xdb, 0xe0, 0xe1, 0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9, 0xea, 0xeb, 0xec, 0xed});
  return !low.is_ascii() && std::ranges::any_of(first_bytes, [&low](unsigned char byte) {
    return low.count(static_cast<char>(byte)) > 0;
  });
}

}  // namespace
}  // namespace secret_words

void withhold_behind_foreign_words(std::string& text, const LowerText& low) {
  using namespace secret_words;
  const bool foreign = has_foreign_letter(low);
  for (const NamedBy& kind : named()) {
    if (!foreign && std::ranges::none_of(kind.words, [&low](const Needed& word) { return word.in(low); })) continue;
    const RE2* pattern = kind.pattern.for_text(low);
    const View by = kind.by;
    replace_groups(text, *pattern, by, [&](const auto& groups) {
      const View word(groups[1].data(), groups[1].size());
      const View before(text.data(), static_cast<std::size_t>(word.data() - text.data()));
      if (by == "<user>") return word == "root" || word == "admin" || knowledge::is_known_word(word);
      if (by == "<serial>") return word.size() < 5 || std::ranges::none_of(word, is_figure);
      return is_plain(before, word);
    });
  }
}

}  // namespace envdoctor

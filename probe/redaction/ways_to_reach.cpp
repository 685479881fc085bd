#include "probe/redaction/ways_to_reach.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "knowledge/lazy_regex.h"
#include "knowledge/lower_case.h"
#include "knowledge/wordings/known_words.h"
#include "probe/redaction/place.h"
#include "probe/text_piece.h"

namespace envdoctor {
namespace ways_to_reach {
namespace {

using View = std::string_view;

bool is_figure(char c) { return c >= '0' && c <= '9'; }

// Numbers of telephones have eight figures at least, and fifteen at most.
bool no_telephone(View /*before*/, View word) {
  constexpr std::ptrdiff_t least = 8, most = 15;
  const auto figures = std::ranges::count_if(word, is_figure);
  const bool one_number = word.find_first_not_of("0123456789") == word.npos && word[0] != '0';
  return one_number || figures < least || figures > most;
}

// Whether all words that a name is made of are known: of those with fewer than three letters nobody can say.
bool is_made_of_known_words(View word) {
  for (std::size_t at = 0; at < word.size();) {
    std::size_t end = at;
    while (end < word.size() && is_ascii_letter(word[end])) ++end;
    if (end - at >= 3 && !knowledge::is_known_word(word.substr(at, end - at))) return false;
    at = std::max(end, at + 1);
  }
  return true;
}

// A reference to an issue has the name of a program before its number: vllm#4471.
bool no_name_with_number(View before, View word) {
  static const LazyRegex chat("(?i)discord", RE2::Latin1);
  return is_made_of_known_words(word) && !RE2::PartialMatch(piece_of(before), chat);
}

// What stands behind the name of a chat service is a name only behind a sign or a verb, or with its mark.
bool no_name_in_chat(View before, View word) {
  static const LazyRegex numbers("(?i)(?:qq|wechat|weixin|icq|line)\\W*(?:id|number|no)?\\W*(?:is )?$", RE2::Latin1);
  if (std::ranges::none_of(word, is_ascii_letter))
    return word.size() < 6 || !std::ranges::all_of(word, is_figure) || !RE2::PartialMatch(piece_of(before), numbers);
  static const LazyRegex said(R"((?:[:=(]|\b(?:is|as|under|id|handle))\s*["'`(]?@?$)", RE2::Latin1),
      ambiguous(R"((?i)\b(?:signal|matrix|irc|teams|line|slack)\W*(?:is\W*)?$)", RE2::Latin1);
  if (before.ends_with('@')) return is_made_of_known_words(word) && word.find_first_of("_.0123456789") == View::npos;
  return word.size() < 4 || !RE2::PartialMatch(piece_of(before), said) ||
         RE2::PartialMatch(piece_of(before), ambiguous) || is_made_of_known_words(word);
}

std::span<const Place> telephones() {
  static const std::vector<Needed> words = {
      "phone",    "tel",      "fax",      "natel",       "gsm",         "handy",       "whats",     "durchwahl",
      "hotline",  "pager",    "mero",     "m\xc3\xa9ro", "t\xc3\xa9l",  "nummer",      "appel",     "anruf",
      "rufen",    "erreich",  "mame",     "mar ",        "chiam",       "bel me",      "bel mij",   "bel ons",
      "call me",  "ring me",  "text me",  "reach me",    "phone me",    "dial me",     "call us",   "ring us",
      "reach us", "call him", "call her", "ring him",    "ring her",    "call them",   " mig ",     " meg ",
      "to ring",  "can ring", "to call",  "can call",    "please ring", "please call", "just ring", "just call",
      "zadzwo",   "joindre",  "joign",    "portable",    "contactez"};
  static const Place all[] = {
      // With the country's code and what one leaves out behind it: +49 (0)221 / 47 10-774, +33 6 39 98 41 27.
      {{R"((?:^|[^\w.+])(\+[1-9]\d{0,2}[ ./-]{0,2}\(0\)[\d ()./-]{5,22}\d|\+[1-9]\d{0,2}(?: ?\d{1,5}){1,3} [/-] ?[\d -]{4,16}\d|\+[1-9]\d{0,2}[ .-]\d(?:[ ./-]{1,2}\d{2,5}){2,5}|\+[1-9]\d{0,2}(?:[ ./-]?\(?\d{2,5}\)?){2,5}))",
        {"+"}},
       "<phone>",
       no_telephone},
      // Behind a word that asks to be called.
      {{R"((?i)\b(?:phone|tele?[fp]on\w*|tel|t[ée]l(?:[ée]phone)?|fax|natel|gsm|handy\w{0,7}|whats ?app|durchwahl|hotline|pager|num[ée]ro|n[úu]mero|nummer|(?:call|ring|text|reach|phone|dial) (?:me|us|him|her|them)|(?:can|to|please|just) (?:ring|call)|appel\w*|rappel\w*|anruf\w*|rufen|erreich\w*|ll[áa]ma\w+|chiama\w*|bel(?:len)? (?:me|mij|ons)|ring m[ei]g|zadzwo\w*|joindre|joign\w*|portable|contactez)\b(?:[^\w\n+(]|[A-Za-z'’]|[^\x00-\x7f]){0,40}?(\+?\(?\d[\d ()./-]{6,22}\d))",
        words},
       "<phone>",
       no_telephone},
      // Mobile numbers of China behind the words for telephone, mobile and WeChat.
      {{R"((?:电话|手机|微信|联系)[^0-9A-Za-z\n]{0,12}(1[3-9]\d{9})(?:\D|$))", {"电话", "手机", "微信", "联系"}},
       "<phone>"},
      // Mobile numbers by the form that they have in France, Britain and Germany, where nothing of it goes on.
      {{R"((?:^|[^\d .:/-]|[^\d.:/-] )(0[67](?:[ .]\d\d){4}|07\d{3} \d{3} ?\d{3}|01[567]\d[ /-]\d{3,4} ?\d{3,4})(?:$|[^\d .:/-]|\.?$|[ .](?:[^\d]|$)))",
        {"06 ", "06.", "07", "015", "016", "017"}},
       "<phone>",
       no_telephone},
      {{R"(\b(0[1-9](?:[ .]\d\d){4}|\(?0\d{2,4}\)?[ /-]{1,3}\d{3,4}[ -]?\d{3,5}) (?:is|est|ist|es|è) (?:my|mon|ma|meine?|mi|il mio)\b)",
        {" is my", " est m", " ist mein", " es mi", " il mio"}},
       "<phone>",
       no_telephone},
  };
  return all;
}

std::span<const Place> chats() {
  static const Place all[] = {
      {{R"((?:^|[\s"'`(@:,])([A-Za-z_][\w.]{1,31}#\d{4})(?:[^\w#]|$))",
        {"#0", "#1", "#2", "#3", "#4", "#5", "#6", "#7", "#8", "#9"}},
       "<name>",
       no_name_with_number},
      {{R"((?i)\b(?:discord|telegram|slack|skype|wechat|weixin|whatsapp|signal|threema|matrix|mastodon|twitter|bluesky|linkedin|instagram|kakao(?:talk)?|icq|qq|irc|xmpp|teams|zulip|line)(?: (?:handle|id|name|nick(?:name)?|user(?:name)?|tag|account|contact|number))?(?:\s*[:=]\s*|\s+(?:is|as|under)\s+|\s+)["'`(]?@?([A-Za-z0-9_][\w.:-]*\w))",
        {"discord", "telegram",  "slack",    "skype",    "wechat",  "weixin",  "whatsapp", "signal: @", "signal @",
         "threema", "matrix: @", "matrix @", "mastodon", "twitter", "bluesky", "linkedin", "instagram", "kakao",
         "icq",     "qq",        "irc nick", "irc: ",    "xmpp",    "teams: ", "zulip",    "line id"}},
       "<name>",
       no_name_in_chat},
      {{R"(微信(?:号|ID|id)?[\s:：是]{1,4}([A-Za-z][\w-]{4,19}))", {"微信"}},
       "<name>",
       [](View /*before*/, View word) {
         return is_made_of_known_words(word) && word.find_first_of("_0123456789") == View::npos;
       }},
      {{R"((?i)([a-z_][\w.]{2,31}) (?:on|in) (?:the )?\w{0,12} ?(?:discord|telegram|slack|skype|wechat|whatsapp|mastodon|twitter|bluesky|linkedin|matrix\.org|zulip|irc|libera)\b)",
        {"discord", "telegram", "slack", "skype", "wechat", "whatsapp", "mastodon", "twitter", "bluesky", "linkedin",
         "matrix.org", "zulip", " irc", "libera"}},
       "<name>",
       [](View /*before*/, View word) { return is_made_of_known_words(word) && word.find('_') == View::npos; }},
      // Who speaks in a log of IRC: "[09:14] <anna_b> my card …"; programs write their levels so, too.
      {{R"(^\s*(?:\[?\d{1,2}:\d\d(?::\d\d)?\]?|\[[\d -]+ \d{1,2}:\d\d(?::\d\d)?\]) +<[ @+%~&]?([A-Za-z_\[\]\\^{}|`][\w\[\]\\^{}|`-]{1,30})> )",
        {"> "}},
       "<name>",
       [](View /*before*/, View word) { return is_made_of_known_words(word); }},
  };
  return all;
}

}  // namespace
}  // namespace ways_to_reach

void withhold_shared_links(std::string& text, const LowerText& low) {
  static const Place links[] = {
      {{R"(\b(?:(?:drive|docs|photos|meet|script)\.google\.com|colab\.research\.google\.com/drive|forms\.(?:gle|microsoft\.com)|dropbox\.com|1drv\.ms|we\.tl|mega\.nz|box\.com|gofile\.io|pan\.baidu\.com|pastebin\.com|wormhole\.app|transfer\.sh|file\.io|zoom\.us|discord\.gg|t\.me|icloud\.com|wetransfer\.com|sharepoint\.com)/((?:[\w.!~:-]+/)*[^\s"'<>)\],;]*[\w-]{5,}[^\s"'<>)\],;]*))",
        {".google.com/", "forms.", "dropbox.com/", "1drv.ms/", "we.tl/", "mega.nz/", "box.com/", "gofile.io/",
         "baidu.com/", "pastebin.com/", "wormhole.app/", "transfer.sh/", "file.io/", "zoom.us/", "discord.gg/", "t.me/",
         "icloud.com/", "wetransfer.com/", "sharepoint.com/"}},
       "<name>"},
      {{R"(\bgdown(?: -\S+)*(?: --id[ =])? ([A-Za-z0-9_-]{20,}))", {"gdown"}}, "<name>"},
  };
  for (const Place& link : links) withhold(text, low, link);
}

void withhold_ways_to_reach(std::string& text, const LowerText& low) {
  using namespace ways_to_reach;
  if (std::ranges::count_if(text, is_figure) >= 8)
    for (const Place& one : telephones()) withhold(text, low, one);
  for (const Place& one : chats()) withhold(text, low, one);
}

}  // namespace envdoctor

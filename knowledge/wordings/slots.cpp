#include "knowledge/wordings/slots.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <vector>

#include "knowledge/lower_case.h"
#include "knowledge/table_rows.h"

namespace envdoctor::knowledge {
namespace {

struct Phrase {
  std::string words{};
  std::string state{};
  bool before = false;  // it precedes the subject
};

struct SlotSubject {
  std::string subject{};
  std::vector<std::string> names{};  // longest first
};

struct SlotMeaning {
  std::string subject{}, state{};
  SlotMatch match{};
};

struct Slots {
  std::vector<SlotSubject> subjects{};
  std::vector<Phrase> phrases{};
  std::set<std::string, std::less<>> between{}, following{};
  std::vector<SlotMeaning> meanings{};

  Slots() {
    const Table table("slots");
    for (const Row& row : table["subjects"]) {
      subjects.push_back({row.text("subject"), row.texts("names")});
      std::ranges::sort(subjects.back().names, std::ranges::greater{}, &std::string::size);
    }
    for (const Row& row : table["states"])
      for (std::string& words : row.texts("phrases"))
        phrases.push_back({std::move(words), row.text("state"), row.text("where") == "before"});
    for (const Row& row : table["between"])
      for (std::string& word : row.texts("words")) between.insert(std::move(word));
    for (const Row& row : table["following"])
      for (std::string& word : row.texts("words")) following.insert(std::move(word));
    for (const Row& row : table["meanings"])
      meanings.push_back({row.text("subject"), row.text("state"), {row.text("class"), row.text("kind")}});
  }
};

bool of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '/'; }

// The place of these whole words, from `from` on; after a hyphen they are part of an option or a name.
std::size_t find_words(std::string_view line, std::string_view words, std::size_t from) {
  for (std::size_t at = line.find(words, from); at != line.npos; at = line.find(words, at + 1)) {
    const std::size_t end = at + words.size();
    if ((at == 0 || (!of_word(line[at - 1]) && line[at - 1] != '-')) && (end == line.size() || !of_word(line[end])))
      return at;
  }
  return line.npos;
}

bool is_number(std::string_view word) { return word.find_first_not_of("0123456789.-#") == word.npos; }

// Whether the text between two places adds no meaning: known words, numbers, quotes and brackets.
bool only_filler(std::string_view gap, const Slots& slots) {
  constexpr std::size_t longest_gap = 60;
  if (gap.size() > longest_gap || gap.find_first_of(".;!?|=") != gap.npos) {
    // A version's dots end no sentence.
    const std::size_t dot = gap.find('.');
    if (gap.size() > longest_gap || gap.find_first_of(";!?|=") != gap.npos || dot + 1 >= gap.size() ||
        gap[dot + 1] == ' ')
      return false;
  }
  std::size_t at = 0;
  while (at < gap.size()) {
    const std::size_t begin = gap.find_first_not_of(" ,:'\"`()[]", at);
    if (begin == gap.npos) return true;
    const std::size_t end = std::min(gap.find_first_of(" ,:'\"`()[]", begin), gap.size());
    const std::string_view word = gap.substr(begin, end - begin);
    if (!is_number(word) && !word.starts_with("sm_") && !slots.between.contains(word)) return false;
    at = end;
  }
  return true;
}

// "No GPU is needed" doesn't mean that one is missing.
bool only_wished(std::string_view behind) {
  for (const std::string_view words : {" is needed", " is required", " is necessary", " is requested", " are needed",
                                       " are required", " are requested", " needed", " required", " requested"})
    if (behind.starts_with(words)) return true;
  return false;
}

// Whether a name that ends at `end` is the subject itself, and not part of a longer term: "the CUDA IPC handle".
bool stands_alone(std::string_view line, std::size_t end, const Slots& slots) {
  const std::string_view rest = line.substr(end);
  const std::size_t begin = rest.find_first_not_of(' ');
  if (begin == rest.npos || !of_word(rest[begin])) return true;
  const std::string_view word = rest.substr(begin, rest.find_first_of(" ,.:;!?()'\"", begin) - begin);
  return is_number(word) || (slots.between.contains(word) && !only_wished(rest)) || slots.following.contains(word);
}

// Whether a subject at `at` is only hypothetically in a state: "if the GPU is not detected, reboot".
bool only_supposed(std::string_view line, std::size_t at, const Slots& slots) {
  const std::size_t word = line.substr(0, at).rfind("if ");
  if (word == line.npos || (word > 0 && of_word(line[word - 1]))) return false;
  return only_filler(line.substr(word + 3, at - word - 3), slots);
}

// The state of a subject at [begin, end) of the line; empty: none is stated.
std::string state_of(std::string_view line, std::size_t begin, std::size_t end, const Slots& slots,
                     const std::string& subject) {
  for (const SlotMeaning& meaning : slots.meanings) {
    if (meaning.subject != subject) continue;
    for (const Phrase& phrase : slots.phrases) {
      if (phrase.state != meaning.state) continue;
      if (!phrase.before) {
        const std::size_t at = find_words(line, phrase.words, end);
        if (at != line.npos && only_filler(line.substr(end, at - end), slots)) return phrase.state;
      } else if (phrase.words.size() < begin && stands_alone(line, end, slots)) {
        const std::size_t at = line.substr(0, begin).rfind(phrase.words);
        const std::size_t behind = at + phrase.words.size();
        if (at != line.npos && (at == 0 || !of_word(line[at - 1])) && !of_word(line[behind]) &&
            only_filler(line.substr(behind, begin - behind), slots))
          return phrase.state;
      }
    }
  }
  return {};
}

}  // namespace

std::optional<SlotMatch> match_slots(std::string_view line) {
  constexpr std::size_t longest = 400;
  if (line.size() > longest) return std::nullopt;
  const Slots& slots = read_once<Slots>();
  const std::string small = lower_case(line);
  for (const SlotSubject& subject : slots.subjects) {
    for (const std::string& name : subject.names) {
      for (std::size_t at = find_words(small, name, 0); at != small.npos; at = find_words(small, name, at + 1)) {
        if (only_supposed(small, at, slots)) continue;
        const std::string state = state_of(small, at, at + name.size(), slots, subject.subject);
        if (state.empty()) continue;
        const auto meaning = std::ranges::find_if(slots.meanings, [&](const SlotMeaning& one) {
          return one.subject == subject.subject && one.state == state;
        });
        return meaning->match;
      }
    }
  }
  return std::nullopt;
}

}  // namespace envdoctor::knowledge

#include "knowledge/wordings/questions.h"

#include <algorithm>
#include <map>

#include "knowledge/lower_case.h"
#include "knowledge/table_rows.h"

namespace envdoctor::knowledge {
namespace {

constexpr std::size_t key_length = 2;  // of the characters by which a word is looked up

struct Questions {
  std::vector<Question> all{};
  std::map<std::string, std::set<std::string>, std::less<>> words{};  // by their first characters

  Questions() {
    const Table table("questions");
    for (const Row& row : table["questions"]) {
      all.push_back({.name = row.text("question"),
                     .words = row.texts("words"),
                     .also = row.texts("also"),
                     .known = row.text_if("known"),
                     .missing = row.text("missing"),
                     .command = row.text("command")});
      for (const auto* list : {&all.back().words, &all.back().also}) {
        for (const std::string& word : *list) {
          if (word.size() < key_length || word != lower_case(word)) row.wrong("words", "a word in small letters");
          words[word.substr(0, key_length)].insert(word);
        }
      }
    }
  }
};

bool in_word(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

// Whether `text` starts with the word, and the word ends there or ends in a star.
bool begins(std::string_view text, std::string_view word) {
  if (word.ends_with('*')) return text.starts_with(word.substr(0, word.size() - 1));
  return text.starts_with(word) && (text.size() == word.size() || !in_word(text[word.size()]));
}

}  // namespace

const std::vector<Question>& questions() { return read_once<Questions>().all; }

std::set<std::string> question_words_in(std::string_view text) {
  const auto& words = read_once<Questions>().words;
  const std::string small = lower_case(text);
  const std::string_view all = small;
  std::set<std::string> found;
  for (std::size_t at = 0; at + key_length <= all.size(); ++at) {
    if (at > 0 && in_word(all[at]) && in_word(all[at - 1])) continue;
    const auto some = words.find(all.substr(at, key_length));
    if (some == words.end()) continue;
    for (const std::string& word : some->second) {
      if (begins(all.substr(at), word)) found.insert(word);
    }
  }
  return found;
}

}  // namespace envdoctor::knowledge

#include "knowledge/wordings/known_words.h"

#include <algorithm>
#include <set>
#include <string>

#include "knowledge/codes/names.h"
#include "knowledge/embedded_tables.h"
#include "knowledge/lower_case.h"
#include "knowledge/table_rows.h"
#include "knowledge/wordings/resemblance_index.h"

namespace envdoctor::knowledge {
namespace {

struct PlainWords {
  std::set<std::string, std::less<>> all{};

  PlainWords() {
    const Table table("plain_words");
    for (const Row& row : table["words"]) {
      const std::string words = row.text("words");
      for (std::size_t begin = 0; begin < words.size();) {
        const std::size_t end = std::min(words.find(' ', begin), words.size());
        all.insert(words.substr(begin, end - begin));
        begin = end + 1;
      }
    }
  }
};

bool stands_in_a_table(const std::string& word) {
  static const ResemblanceIndex reports(bytes_of(embedded_index, "resemblance"));
  return reports.find(word) || reports.find(word + "0") || read_once<PlainWords>().all.contains(word) ||
         std::ranges::binary_search(env_words(), word);
}

}  // namespace

bool is_known_word(std::string_view word) {
  const std::string low = lower_case(word);
  if (stands_in_a_table(low)) return true;
  for (const std::string_view ending : {"s", "es", "d", "ed", "ing", "ly", "er", "ers"}) {
    if (low.size() < ending.size() + 3 || !low.ends_with(ending)) continue;
    const std::string stem = low.substr(0, low.size() - ending.size());
    if (stands_in_a_table(stem) || (ending == "ing" && stands_in_a_table(stem + "e"))) return true;
  }
  return false;
}

}  // namespace envdoctor::knowledge

#include "knowledge/wordings/known_words.h"

#include <algorithm>
#include <string>
#include <vector>

#include "knowledge/codes/names.h"
#include "knowledge/embedded_tables.h"
#include "knowledge/lower_case.h"
#include "knowledge/sorted_lines.h"

namespace envdoctor::knowledge {
namespace {

bool is_in(const char* list, const std::string& word) {
  return lines_from(bytes_of(embedded_index, list), word).starts_with(word + '\n');
}

bool is_said_by_programs(const std::string& word) {
  return is_in("report_words", word) || is_in("report_words", word + "0") ||
         std::ranges::binary_search(env_words(), word);
}

bool stands_in_a_table(const std::string& word) { return is_in("plain_words", word) || is_said_by_programs(word); }

}  // namespace

bool is_technical_word(std::string_view word) { return is_said_by_programs(lower_case(word)); }

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

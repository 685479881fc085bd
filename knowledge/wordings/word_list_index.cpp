#include "knowledge/wordings/word_list_index.h"

#include <algorithm>
#include <set>

#include "knowledge/table_rows.h"

namespace envdoctor::knowledge {

std::string word_list_index(const char* name) {
  std::set<std::string> all;
  const Table table(name);
  for (const Row& row : table["words"]) {
    const std::string words = row.text("words");
    for (std::size_t begin = 0; begin < words.size();) {
      const std::size_t end = std::min(words.find(' ', begin), words.size());
      all.insert(words.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  std::string lines;
  for (const std::string& word : all) lines.append(word) += '\n';
  return lines;
}

}  // namespace envdoctor::knowledge

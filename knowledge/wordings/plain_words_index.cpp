#include "knowledge/wordings/plain_words_index.h"

#include <algorithm>
#include <set>

#include "knowledge/table_rows.h"

namespace envdoctor::knowledge {

std::string plain_words_index() {
  std::set<std::string> all;
  const Table table("plain_words");
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

bool holds_line(std::string_view lines, std::string_view line) {
  while (!lines.empty()) {
    const std::size_t last_end = lines.rfind('\n', lines.size() / 2);
    const std::size_t begin = last_end == lines.npos ? 0 : last_end + 1, end = lines.find('\n', begin);
    const int order = line.compare(lines.substr(begin, end - begin));
    if (order == 0) return true;
    order < 0 ? lines.remove_suffix(lines.size() - begin) : lines.remove_prefix(end + 1);
  }
  return false;
}

}  // namespace envdoctor::knowledge

// Any pattern and a line: what RE2 finds in the line is found by the pattern's words too.
#include <re2/re2.h>

#include <algorithm>

#include "knowledge/literals.h"
#include "knowledge/log_patterns.h"
#include "knowledge/lower_case.h"
#include "tests/support/fuzz.h"

using namespace envdoctor;

namespace {

RE2::Options latin() {
  RE2::Options options;
  options.set_encoding(RE2::Options::EncodingLatin1);
  options.set_log_errors(false);
  options.set_max_mem(1 << 20);
  return options;
}

bool stands_in(const knowledge::Literal& literal, const std::string& line) {
  const std::string text = literal.fold ? lower_case(line) : line;
  const std::string word = literal.fold ? lower_case(literal.word) : literal.word;
  for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if (literal.at_start && at > literal.before) continue;
    if (!literal.in_front.all() && (at == 0 || !literal.in_front[knowledge::index_of(line[at - 1])])) continue;
    if (literal.behind.all() || (end < line.size() && literal.behind[knowledge::index_of(line[end])])) return true;
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = fuzz_input(data, size);
  const auto end = std::min(text.find('\n'), text.size());
  const std::string pattern = text.substr(0, end);
  const std::string line = text.substr(std::min(end + 1, text.size())).substr(0, 200);
  const auto literals = knowledge::required_literals(pattern);
  if (literals.empty() || line.find('\n') != line.npos || !RE2::PartialMatch(line, RE2(pattern, latin()))) return 0;
  if (std::ranges::none_of(literals, [&line](const auto& one) { return stands_in(one, line); }))
    broken_promise("RE2 finds what the pattern's words do not", text);
  return 0;
}

std::vector<std::string> fuzz_seeds() {
  std::vector<std::string> seeds;
  for (const auto& row : knowledge::log_patterns()) seeds.push_back(row.pattern + '\n' + row.example);
  return seeds;
}

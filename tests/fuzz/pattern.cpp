// Any pattern and a line: if RE2 matches the line, the pattern's words must occur in it too.
#include <re2/re2.h>

#include "knowledge/wordings/wordings.h"
#include "tests/support/fuzz.h"
#include "tests/support/stands_in.h"

using namespace envdoctor;

namespace {

// A pattern may want any amount of memory.
RE2::Options modest() {
  RE2::Options options = knowledge::latin();
  options.set_max_mem(1 << 20);
  return options;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = fuzz_input(data, size);
  const auto end = std::min(text.find('\n'), text.size());
  const std::string pattern = text.substr(0, end);
  const std::string line = text.substr(std::min(end + 1, text.size())).substr(0, 128);
  if (knowledge::required_literals(pattern).empty() || line.find('\n') != line.npos) return 0;
  const RE2 expression(pattern, modest());
  if (RE2::PartialMatch(line, expression) && !knowledge::found_by_its_words(pattern, expression, line))
    broken_promise("RE2 finds what the pattern's words do not", text);
  return 0;
}

std::vector<std::string> fuzz_seeds() {
  std::vector<std::string> seeds;
  for (const auto& row : knowledge::wordings()) seeds.push_back(row.pattern + '\n' + row.example);
  return seeds;
}

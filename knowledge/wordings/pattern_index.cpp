#include "knowledge/wordings/pattern_index.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <unordered_map>

#include "knowledge/table_rows.h"

namespace envdoctor::knowledge {
namespace {

std::uint32_t number(std::size_t size) { return static_cast<std::uint32_t>(size); }

bool holds_digit(std::string_view word) { return word.find_first_of("0123456789") != std::string_view::npos; }

bool compiles(const std::string& expression) { return RE2(expression, pattern_options()).ok(); }

class Writer {
 public:
  Writer() {
    const Table table("wordings");
    for (const Row& row : table["reports"]) reports_.emplace(row.text("kind"), row.texts("words"));
    for (const Row& row : table["patterns"]) {
      const std::vector<Literal> literals = required_literals(row.text("pattern"));
      if (literals.empty() || !compiles(row.text("pattern")) || !compiles(row.text_if("capture")))
        row.wrong("pattern", "an RE2 expression whose alternatives each hold four fixed characters");
      for (const Literal& one : literals) add(one);
      ++rows_;
    }
  }

  std::string bytes() {
    for (std::uint32_t kind = 0; const auto& [name, words] : reports_) {
      for (const std::string& word : words) {
        texts_.emplace_back(shape_of(word), true);
        words_.push_back({.row = kind, .size = number(word.size()), .report = true});
      }
      ++kind;
    }
    std::vector<LiteralSearch::Word> searched;
    for (const auto& [text, fold] : texts_) searched.push_back({.text = text, .fold = fold});
    std::string all;
    append_array(all, words_);
    append_array(all, sets_);
    append_array(all, runs_);
    append_array(all, letters_);
    return all + LiteralSearch::tables(searched);
  }

 private:
  void add(const Literal& one) {
    const std::string text = shape_of(one.word);
    PatternIndex::Word word{.row = rows_,
                            .size = number(one.word.size()),
                            .in_front = number_of(one.in_front),
                            .behind = number_of(one.behind),
                            .whole = one.whole && !holds_digit(one.word),
                            .at_start = one.at_start,
                            .fold = one.fold,
                            .before = number(one.before),
                            .after = number(one.after),
                            .also_begin = number(runs_.size())};
    for (const auto& runs : one.also) {
      for (const std::string& run : runs) {
        runs_.push_back({.begin = number(letters_.size()), .size = number(run.size())});
        letters_ += shape_of(run);
      }
      runs_.back().ends_set = 1;
    }
    word.also_end = number(runs_.size());
    texts_.emplace_back(text, one.fold);
    words_.push_back(word);
  }

  std::uint32_t number_of(const Characters& set) {
    Characters of_shape = set;
    for (char digit = '1'; digit <= '9'; ++digit)
      if (set[index_of(digit)]) of_shape.set(index_of('0'));
    const auto [found, fresh] = numbers_.emplace(of_shape, number(sets_.size()));
    if (fresh) sets_.push_back(of_shape);
    return found->second;
  }

  std::map<std::string, std::vector<std::string>> reports_{};
  std::uint32_t rows_ = 0;
  std::vector<std::pair<std::string, bool>> texts_{};  // the words' texts
  std::vector<PatternIndex::Word> words_{};
  std::vector<Characters> sets_{any_character};
  std::unordered_map<Characters, std::uint32_t> numbers_{{any_character, 0}};
  std::vector<PatternIndex::Run> runs_{};
  std::string letters_{};
};

}  // namespace

PatternIndex::PatternIndex(std::string_view bytes)
    : words(take_array<Word>(bytes)),
      sets(take_array<Characters>(bytes)),
      runs(take_array<Run>(bytes)),
      letters(take_array<char>(bytes)),
      search(bytes) {}

void PairsOfLine::take(std::string_view line) {
  if (++line_ == 0) {
    line_of_.fill(0);
    line_ = 1;
  }
  const std::uint8_t number = line_;  // in a register: the compiler must assume that the array could alias the member
  for (std::size_t i = 0; i + 1 < line.size(); ++i) line_of_[place(line.data() + i)] = number;
}

bool PatternIndex::may_match(const Word& word, const PairsOfLine& pairs, std::size_t at) const {
  return !(word.at_start && at > word.before) &&
         one_of_each(word, [&pairs](std::string_view run) { return pairs.may_hold(run); });
}

bool PatternIndex::runs_are_near(const Word& word, const PairsOfLine& pairs, std::string_view line,
                                 std::size_t at) const {
  const std::size_t from = at - std::min<std::size_t>(at, word.before);
  const std::size_t size = std::min(line.size(), at + word.size + word.after) - from;
  return one_of_each(word, [&](std::string_view run) {
    // memmem() is faster than find().
    return pairs.may_hold(run) && memmem(line.data() + from, size, run.data(), run.size()) != nullptr;
  });
}

std::string pattern_index() { return Writer().bytes(); }

}  // namespace envdoctor::knowledge

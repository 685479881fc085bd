#include "knowledge/wordings/resemblance.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "knowledge/lower_case.h"
#include "knowledge/table_rows.h"

namespace envdoctor::knowledge {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 18, shortest = 3, longest = 24;

struct Word {
  std::string word{};
  double rarity = 0;
  std::vector<std::pair<std::size_t, double>> weights{};  // cause, weight
};

struct Cause {
  std::string id{};
  double bias = 0;
};

// "3:120 17:-44"
std::vector<std::pair<std::size_t, double>> weights_of(const Row& row, std::size_t causes) {
  std::vector<std::pair<std::size_t, double>> all;
  const std::string text = row.text("weights");
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    std::size_t cause = 0;
    int weight = 0;
    const auto first = std::from_chars(at, end, cause);
    const auto second = first.ptr < end ? std::from_chars(first.ptr + 1, end, weight) : first;
    if (first.ec != std::errc() || second.ec != std::errc() || second.ptr <= first.ptr || cause >= causes)
      row.wrong("weights", "pairs of a cause and a weight");
    all.emplace_back(cause, weight / 100.0);
    at = second.ptr + (second.ptr < end ? 1 : 0);
  }
  return all;
}

struct Model {
  std::vector<Cause> causes{};
  std::vector<Word> words{};
  std::unordered_map<std::string_view, std::size_t> places{};

  Model() {
    const Table table("resemblance");
    for (const Row& row : table["causes"])
      causes.push_back({row.text("id"), static_cast<double>(row.number("bias")) / 100});
    for (const Row& row : table["words"])
      words.push_back(
          {row.text("word"), static_cast<double>(row.number("rarity")) / 100, weights_of(row, causes.size())});
    for (std::size_t i = 0; i < words.size(); ++i) places.emplace(words[i].word, i);
  }
};

// The words of a line, in small letters, each number in them as a single 0: "sm_86" is "sm_0".
template <class Take>
void each_word(std::string_view line, const Take& take) {
  std::string word;
  const auto end = [&] {
    if (word.size() >= shortest && word.size() <= longest && word[0] != '0') take(word);
    word.clear();
  };
  for (const char raw : line) {
    const char c = lower_case(raw);
    const bool digit = c >= '0' && c <= '9';
    if (digit && !word.empty() && word.back() == '0') continue;
    if (digit || c == '_' || (c >= 'a' && c <= 'z')) {
      if (word.size() <= longest) word += digit ? '0' : c;
    } else {
      end();
    }
  }
  end();
}

}  // namespace

void ResemblingWords::line(std::string_view line) {
  const auto& places = read_once<Model>().places;
  line = line.substr(0, most_bytes - bytes_);
  bytes_ += line.size();
  each_word(line, [&](const std::string& word) {
    if (const auto found = places.find(word); found != places.end()) ++counts_[found->second];
  });
}

Resemblance ResemblingWords::likeliest() const {
  if (counts_.empty()) return {};
  const Model& model = read_once<Model>();
  std::vector<double> sums;
  for (const Cause& cause : model.causes) sums.push_back(cause.bias);
  const auto value_of = [&](std::size_t word, std::uint32_t count) {
    return (1 + std::log(count)) * model.words[word].rarity;
  };
  double square = 0;
  for (const auto& [word, count] : counts_) square += value_of(word, count) * value_of(word, count);
  const double length = std::sqrt(square);
  for (const auto& [word, count] : counts_) {
    for (const auto& [cause, weight] : model.words[word].weights)
      sums[cause] += weight * value_of(word, count) / length;
  }
  const auto best = static_cast<std::size_t>(std::max_element(sums.begin(), sums.end()) - sums.begin());
  double all = 0;
  for (const double sum : sums) all += std::exp(sum - sums[best]);
  std::vector<std::pair<double, std::size_t>> telling;
  for (const auto& [word, count] : counts_) {
    for (const auto& [cause, weight] : model.words[word].weights) {
      if (cause == best && weight > 0) telling.emplace_back(-weight * value_of(word, count), word);
    }
  }
  constexpr std::size_t shown = 5;
  std::sort(telling.begin(), telling.end());
  Resemblance found{.id = model.causes[best].id, .share = 1 / all};
  for (std::size_t i = 0; i < std::min(shown, telling.size()); ++i)
    found.words.push_back(model.words[telling[i].second].word);
  return found;
}

}  // namespace envdoctor::knowledge

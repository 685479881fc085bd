// The speed of reading different kinds of logs: bench_log_scan [MEGABYTES] [ONLY] [FILE ...]
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>

#include "knowledge/wordings/literals.h"
#include "knowledge/wordings/wordings.h"
#include "probe/paste/log_reader.h"

namespace {

constexpr std::size_t piece = std::size_t{1} << 20;

// Lines from `line(i)`, i = 0, 1, …, up to the size of a piece.
template <class Line>
std::string fill(Line line) {
  std::string text;
  for (std::size_t i = 0; text.size() < piece; ++i) text += line(i);
  text.resize(piece - 1);
  return text + '\n';
}

const std::vector<envdoctor::knowledge::LogPattern>& rows() {
  static const auto all = envdoctor::knowledge::wordings();
  return all;
}

std::string ordinary() {
  return fill([](std::size_t i) {
    std::string line = fmt::format(
        "2024-05-01 12:00:{:02}.123456 INFO trainer.py:214] epoch {} step {}: loss {:.4f}, accuracy {:.4f}, "
        "lr 3.0e-04, {:.1f} images/s\n",
        i % 60, i / 1000, i, 2.0 / static_cast<double>(i + 1), 1.0 - 1.0 / static_cast<double>(i + 2),
        900.0 + static_cast<double>(i % 37));
    if (i % 997 == 0)
      line +=
          "I cuda_executor.cc:998] successful NUMA node read from SysFS had negative value (-1), but there must be at "
          "least one NUMA node\n";
    return line;
  });
}

// Prefixes of every example, so that the search goes deep but finds nothing.
std::string near_misses(std::size_t in_a_line) {
  return fill([in_a_line](std::size_t i) {
    return rows()[i % rows().size()].example.substr(0, 4 + i % 9) + (i % in_a_line == in_a_line - 1 ? '\n' : ' ');
  });
}

// Words from patterns that need more than the word, so that a pattern may have to be tried at each place.
std::string words_alone(std::size_t in_a_line) {
  std::vector<std::string> words;
  for (const auto& row : rows()) {
    for (const auto& literal : envdoctor::knowledge::required_literals(row.pattern)) {
      if (!literal.whole && envdoctor::knowledge::match_log_line(literal.word).empty()) words.push_back(literal.word);
    }
  }
  return fill(
      [&](std::size_t i) { return words[i % words.size()] + (i % in_a_line == in_a_line - 1 ? '\n' : " ~:="[i % 4]); });
}

std::string hits() {
  return fill([](std::size_t i) { return rows()[i % rows().size()].example + '\n'; });
}

// No two lines alike: every number in them is another one.
std::string distinct_hits() {
  std::size_t number = 1;
  return fill([&number](std::size_t i) {
    std::string line;
    for (const char c : rows()[i % rows().size()].example)
      line += c >= '0' && c <= '9' ? char('0' + number++ % 7 * 3 % 10) : c;
    return line + fmt::format(" {}\n", i);
  });
}

std::string coloured() {
  return fill([](std::size_t i) {
    return fmt::format("\x1b[32m[rank{}]:\x1b[0m \x1b[1mstep\x1b[0m {} \x1b[31mloss\x1b[0m {}\n", i % 8, i, i * 7919);
  });
}

std::string binary() {
  std::uint64_t state = 1;
  return fill([&state](std::size_t) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return std::string(1, static_cast<char>(state >> 56U));
  });
}

std::string packages() {
  return fill(
      [](std::size_t i) { return fmt::format("package-{}=={}.{}\nPATH=/a\nPackage Version\n", i, i % 9, i % 7); });
}

struct Sort {
  const char* name;
  std::string (*make)();
};
constexpr Sort sorts[] = {
    {"ordinary lines", ordinary},
    {"colours, rank marks", coloured},
    {"near misses", [] { return near_misses(7); }},
    {"near misses, 14 KB lines", [] { return near_misses(1500); }},
    {"words alone", [] { return words_alone(7); }},
    {"words alone, 14 KB lines", [] { return words_alone(600); }},
    {"nothing but hits", hits},
    {"no two hits alike", distinct_hits},
    {"package lists", packages},
    {"random bytes", binary},
    {"empty lines", [] { return std::string(piece, '\n'); }},
    {"blanks and >", [] { return fill([](std::size_t i) { return i % 4096 == 4095 ? "\n" : "> "; }); }},
    {"one endless line", [] { return std::string(piece, 'x'); }},
};

// CPU time of this thread only, without other load on the machine.
double seconds_since(std::clock_t start) { return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC; }

void measure(const char* name, const std::string& text, int pieces) {
  envdoctor::read_log(text, name);  // patterns are compiled once, when they are first needed
  const std::clock_t start = std::clock();
  envdoctor::LogReader reader(name);
  for (int i = 0; i < pieces; ++i) reader.feed(text);
  const auto snapshot = reader.finish();
  const double took = seconds_since(start);
  const double megabytes = static_cast<double>(text.size()) * pieces / 1e6;
  fmt::print("{:<25} {:7.0f} MB/s  {} events kept\n", name, megabytes / took, snapshot.log.get()->size());
}

}  // namespace

int main(int argc, char** argv) {
  const int pieces = argc > 1 ? std::max(1, std::atoi(argv[1])) : 200;
  const char* only = argc > 2 ? argv[2] : "";
  const std::clock_t start = std::clock();
  envdoctor::read_log("x\n", "first");
  fmt::print("first line   {:7.2f} ms (the tables are read); then logs of {} MB\n", 1000 * seconds_since(start),
             pieces);
  for (const Sort& sort : sorts) {
    if (std::strstr(sort.name, only)) measure(sort.name, sort.make(), pieces);
  }
  for (int i = 3; i < argc; ++i) {
    std::ifstream file(argv[i]);
    measure(argv[i], {std::istreambuf_iterator<char>(file), {}}, 1);
  }
}

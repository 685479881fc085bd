// How fast logs are read: an ordinary training log, a log full of near misses, and one of nothing but hits.
#include <fmt/format.h>

#include <ctime>
#include <string>

#include "knowledge/log_patterns.h"
#include "probe/log.h"

namespace {

constexpr std::size_t piece = std::size_t{1} << 20;
constexpr int pieces = 32;

std::string ordinary() {
  std::string text;
  for (int i = 0; text.size() < piece; ++i) {
    text += fmt::format(
        "2024-05-01 12:00:{:02}.123456 INFO trainer.py:214] epoch {} step {}: loss {:.4f}, accuracy {:.4f}, "
        "lr 3.0e-04, {:.1f} images/s\n",
        i % 60, i / 1000, i, 2.0 / (i + 1), 1.0 - 1.0 / (i + 2), 900.0 + i % 37);
    if (i % 997 == 0)
      text +=
          "I cuda_executor.cc:998] successful NUMA node read from SysFS had negative value (-1), but there must be at "
          "least one NUMA node\n";
  }
  text.resize(piece - 1);
  return text + '\n';
}

// Beginnings of every example, so that the search goes deep and finds nothing.
std::string near_misses() {
  std::string text;
  const auto rows = envdoctor::knowledge::log_patterns();
  for (std::size_t i = 0; text.size() < piece; ++i) {
    const std::string& example = rows[i % rows.size()].example;
    text += example.substr(0, 4 + i % 9);
    text += i % 7 == 6 ? '\n' : ' ';
  }
  text.resize(piece - 1);
  return text + '\n';
}

std::string hits() {
  std::string text;
  const auto rows = envdoctor::knowledge::log_patterns();
  for (std::size_t i = 0; text.size() < piece; ++i) text += rows[i % rows.size()].example + '\n';
  text.resize(piece - 1);
  return text + '\n';
}

// Processor time of this one thread: what else the machine does is left out.
double seconds_since(std::clock_t start) { return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC; }

void measure(const char* name, const std::string& text) {
  envdoctor::read_log(text, name);  // patterns are compiled once, when they are first needed
  const std::clock_t start = std::clock();
  envdoctor::LogReader reader(name);
  for (int i = 0; i < pieces; ++i) reader.feed(text);
  const auto snapshot = reader.finish();
  const double took = seconds_since(start);
  const double megabytes = static_cast<double>(text.size()) * pieces / 1e6;
  fmt::print("{:<12} {:7.0f} MB/s  {} events kept\n", name, megabytes / took, snapshot.log.get()->size());
}

}  // namespace

int main() {
  const std::clock_t start = std::clock();
  envdoctor::read_log("x\n", "first");
  fmt::print("first line   {:7.2f} ms (the tables are read)\n", 1000 * seconds_since(start));
  measure("ordinary", ordinary());
  measure("near misses", near_misses());
  measure("hits", hits());
}

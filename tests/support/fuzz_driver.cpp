// Runs one file of tests/fuzz without a fuzzer: fuzz_<name> [ROUNDS] [FILE…]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "tests/support/fuzz.h"
#include "tests/support/mutate.h"

namespace {

void run(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

}  // namespace

int main(int count, char** words) {
  const int rounds = count > 1 ? std::atoi(words[1]) : 3000;
  std::vector<std::string> seeds = fuzz_seeds();
  run("");
  // Beginnings of each seed: fewer of each where there are many seeds.
  const std::size_t beginnings =
      std::min(static_cast<std::size_t>(rounds) / 6,
               4 * static_cast<std::size_t>(rounds) / std::max<std::size_t>(seeds.size(), 1));
  for (const std::string& seed : seeds) {
    run(seed);
    const std::size_t step = seed.size() / (beginnings + 1) + 1;
    for (std::size_t length = 0; length < seed.size(); length += step) run(seed.substr(0, length));
  }
  // Files are run as they are: what was found is cut already, and there may be thousands.
  for (int i = 2; i < count; ++i) {
    std::ifstream file(words[i], std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    run(seeds.back());
  }
  if (seeds.empty()) return std::fprintf(stderr, "no seeds\n"), 1;
  envdoctor::Mutator mutator(20240229);
  for (int i = 0; i < rounds; ++i) run(mutator.mutate(seeds[static_cast<std::size_t>(i) % seeds.size()]));
  std::printf("%d rounds over %zu seeds\n", rounds, seeds.size());
}

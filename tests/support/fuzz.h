#pragma once
// Each file in tests/fuzz is one program: LLVMFuzzerTestOneInput over the inputs of fuzz_seeds(). The ordinary tests
// run it with tests/support/fuzz_driver.cpp over seeds, their truncations and a few thousand damaged copies. `./dev
// fuzz` builds the any_*.cpp with clang's libFuzzer and AddressSanitizer and runs them for any time.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

// Must survive any input; aborts if a guarantee is broken.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
// Valid or almost valid inputs.
std::vector<std::string> fuzz_seeds();

inline std::string fuzz_input(const std::uint8_t* data, std::size_t size) {
  return size == 0 ? std::string() : std::string(reinterpret_cast<const char*>(data), size);
}

[[noreturn]] inline void broken_promise(const char* promise, const std::string& input) {
  std::fprintf(stderr, "%s:\n%s\n", promise, input.c_str());
  std::abort();
}

// The kept corpus of a target, fixtures/fuzz/<name>/, in the order of the files' names.
inline std::vector<std::string> seed_files(const std::string& name) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(ENVDOCTOR_SOURCE "/fixtures/fuzz/" + name))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> seeds;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return seeds;
}

#pragma once
// Each file in tests/fuzz is one program: LLVMFuzzerTestOneInput over what fuzz_seeds() gives. The ordinary tests run
// it with tests/support/fuzz_driver.cpp over seeds, their truncations and a few thousand damaged copies. With clang,
// for as long as one likes and without the driver:
//   clang++ -std=c++20 -g -fsanitize=fuzzer,address,undefined -I. tests/fuzz/elf.cpp host/*.cpp … -o fuzz_elf
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Must survive any input; aborts where a promise is broken.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
// Good inputs, or nearly so.
std::vector<std::string> fuzz_seeds();

inline std::string fuzz_input(const std::uint8_t* data, std::size_t size) {
  return size == 0 ? std::string() : std::string(reinterpret_cast<const char*>(data), size);
}

// Run by the build: write_pattern_index FILE writes what our own log patterns are found by.
#include <fstream>
#include <iostream>

#include "knowledge/wordings/pattern_index.h"

int main(int count, char** arguments) try {
  if (count != 2) throw std::runtime_error("usage: write_pattern_index FILE");
  const std::string index = envdoctor::knowledge::pattern_index();
  std::ofstream file(arguments[1], std::ios::binary);
  if (!file.write(index.data(), static_cast<std::streamsize>(index.size())).flush())
    throw std::runtime_error(std::string(arguments[1]) + ": cannot be written");
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}

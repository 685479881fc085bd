#include <charconv>

#include "host/files.h"

namespace envdoctor {

Reading<std::string> read_line(const Files& files, const std::string& path) {
  return files.read(path).then([&](const std::string& content) -> Reading<std::string> {
    constexpr const char* blanks = " \t\r\f\v";
    std::string line = content.substr(0, content.find('\n'));
    line.erase(0, std::min(line.find_first_not_of(blanks), line.size()));
    line.erase(line.find_last_not_of(blanks) + 1);
    return line.empty() ? Reading<std::string>(failed(path + ": empty")) : Reading<std::string>(line);
  });
}

Reading<std::int64_t> read_number(const Files& files, const std::string& path) {
  return read_line(files, path).then([&](const std::string& line) -> Reading<std::int64_t> {
    const bool negative = line[0] == '-';
    const bool hex = line.rfind("0x", negative ? 1 : 0) == (negative ? 1U : 0U);
    const char* begin = line.data() + (hex ? 2 + (negative ? 1 : 0) : 0);
    const char* end = line.data() + line.size();
    std::int64_t value = 0;
    const auto [stop, error] = std::from_chars(begin, end, value, hex ? 16 : 10);
    if (error != std::errc() || stop != end || (hex && negative))
      return failed(path + ": not a number: " + line.substr(0, 40));
    return value;
  });
}

}  // namespace envdoctor

#include "app/options/arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

namespace envdoctor {

Argument& Argument::shown(const std::string& value) {
  option_.option_text(value);
  return *this;
}

Argument& Argument::one_of(const std::vector<std::string>& words) {
  option_.check(CLI::IsMember(words))->option_text(fmt::format("{}", fmt::join(words, "|")));
  return *this;
}

Argument& Argument::between(std::int64_t least, std::int64_t most) {
  option_.check(CLI::Range(least, most));
  return *this;
}

Argument& Argument::between(double least, double most) {
  option_.check(CLI::Range(least, most));
  return *this;
}

Argument& Argument::a_folder() {
  option_.check(CLI::ExistingDirectory);
  return *this;
}

Argument& Argument::with_commas() {
  option_.delimiter(',');
  return *this;
}

Argument& Argument::values(int least, int most) {
  option_.expected(least, most);
  return *this;
}

Argument& Argument::required() {
  option_.required();
  return *this;
}

template <class T>
Argument Arguments::option(const std::string& name, T& target, const std::string& help) {
  return Argument(*app_.add_option(name, target, help));
}
template Argument Arguments::option(const std::string&, std::string&, const std::string&);
template Argument Arguments::option(const std::string&, std::optional<std::string>&, const std::string&);
template Argument Arguments::option(const std::string&, std::vector<std::string>&, const std::string&);
template Argument Arguments::option(const std::string&, std::int64_t&, const std::string&);
template Argument Arguments::option(const std::string&, std::optional<std::int64_t>&, const std::string&);
template Argument Arguments::option(const std::string&, double&, const std::string&);

Argument Arguments::option(const std::string& name, const std::function<void(const std::string&)>& take,
                           const std::string& help) {
  return Argument(*app_.add_option_function<std::string>(name, take, help));
}

void Arguments::flag(const std::string& name, bool& target, const std::string& help) {
  app_.add_flag(name, target, help);
}

void Arguments::flag(const std::string& name, const std::function<void()>& take, const std::string& help) {
  app_.add_flag_callback(name, take, help);
}

void Arguments::footer(const std::string& text) { app_.footer(text); }

}  // namespace envdoctor

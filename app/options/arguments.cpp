#include "app/options/arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <optional>

namespace envdoctor {

namespace {

void restrict(CLI::Option& option, const Takes& takes, bool whole_numbers) {
  const auto [least, most] = takes.between;
  if (most > 0 && whole_numbers)
    option.check(CLI::Range(static_cast<std::int64_t>(least), static_cast<std::int64_t>(most)));
  else if (most > 0)
    option.check(CLI::Range(least, most));
  if (!takes.words.empty())
    option.check(CLI::IsMember(takes.words))->option_text(fmt::format("{}", fmt::join(takes.words, "|")));
  if (!takes.shown.empty()) option.option_text(takes.shown);
  if (takes.folder) option.check(CLI::ExistingDirectory);
  if (takes.with_commas) option.delimiter(',');
  if (takes.one) option.expected(takes.required ? 1 : 0, 1);
  option.required(takes.required);
}

}  // namespace

template <class T>
void Arguments::option(const std::string& name, T& target, const std::string& help, const Takes& takes) {
  restrict(*app_.add_option(name, target, help), takes,
           !std::is_same_v<T, double> && !std::is_same_v<T, std::optional<double>>);
}
template void Arguments::option(const std::string&, std::string&, const std::string&, const Takes&);
template void Arguments::option(const std::string&, std::optional<std::string>&, const std::string&, const Takes&);
template void Arguments::option(const std::string&, std::vector<std::string>&, const std::string&, const Takes&);
template void Arguments::option(const std::string&, std::int64_t&, const std::string&, const Takes&);
template void Arguments::option(const std::string&, std::optional<std::int64_t>&, const std::string&, const Takes&);
template void Arguments::option(const std::string&, double&, const std::string&, const Takes&);
template void Arguments::option(const std::string&, std::optional<double>&, const std::string&, const Takes&);

void Arguments::option(const std::string& name, const std::function<void(const std::string&)>& take,
                       const std::string& help, const Takes& takes) {
  restrict(*app_.add_option_function<std::string>(name, take, help), takes, true);
}
void Arguments::flag(const std::string& name, bool& target, const std::string& help) {
  app_.add_flag(name, target, help);
}

void Arguments::flag(const std::string& name, const std::function<void()>& take, const std::string& help) {
  app_.add_flag_callback(name, take, help);
}

void Arguments::footer(const std::string& text) { app_.footer(text); }

}  // namespace envdoctor

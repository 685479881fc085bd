#pragma once
// What a command takes, declared. Behind it stands CLI11, which takes a compiler ten seconds wherever it is included.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace envdoctor {

// One option, or one argument without a name, that may be told more about.
class Argument {
 public:
  explicit Argument(CLI::Option& option) : option_(option) {}
  Argument& shown(const std::string& value);                  // in --help, behind its name
  Argument& one_of(const std::vector<std::string>& words);    // --help shows them, unless shown() comes after
  Argument& between(std::int64_t least, std::int64_t most);
  Argument& between(int least, int most) { return between(std::int64_t{least}, std::int64_t{most}); }
  Argument& between(double least, double most);
  Argument& a_folder();
  Argument& with_commas();                                    // a list; else values stand apart
  Argument& values(int least, int most);
  Argument& required();

 private:
  CLI::Option& option_;
};

// Of one command. Names are "--long", "-s,--long" or, for arguments without one, a plain word; targets keep what they
// hold unless something is typed, and must outlive the parsing. A wrong value is a UsageError of parse_options().
class Arguments {
 public:
  explicit Arguments(CLI::App& app) : app_(app) {}
  // For a target of text, number, a list of texts, or an optional of one.
  template <class T>
  Argument option(const std::string& name, T& target, const std::string& help);
  Argument option(const std::string& name, const std::function<void(const std::string&)>& take, const std::string& help);
  void flag(const std::string& name, bool& target, const std::string& help);
  void flag(const std::string& name, const std::function<void()>& take, const std::string& help);
  void footer(const std::string& text);  // below --help

 private:
  CLI::App& app_;
};

}  // namespace envdoctor

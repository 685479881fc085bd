#pragma once
// What a command takes, declared. Behind it stands CLI11, which takes a compiler ten seconds wherever it is included.
#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace envdoctor {

// What an option, or an argument without a name, takes.
struct Takes {
  std::string shown{};                  // in --help, behind its name; empty: the words
  std::vector<std::string> words{};     // one of these alone
  std::pair<double, double> between{};  // a number from the first to the second; both 0: any
  bool folder = false;                  // one that exists
  bool with_commas = false;             // a list; else values stand apart
  bool one = false;                     // no more than one value
  bool required = false;
};

// Of one command. Names are "--long", "-s,--long" or, for arguments without one, a plain word; targets keep what they
// hold unless something is typed, and must outlive the parsing. A wrong value is a UsageError of parse_options().
class Arguments {
 public:
  explicit Arguments(CLI::App& app) : app_(app) {}

  // For a target of text, number, a list of texts, or an optional of one.
  template <class T>
  void option(const std::string& name, T& target, const std::string& help, const Takes& takes = {});
  void option(const std::string& name, const std::function<void(const std::string&)>& take, const std::string& help,
              const Takes& takes);
  void flag(const std::string& name, bool& target, const std::string& help);
  void flag(const std::string& name, const std::function<void()>& take, const std::string& help);
  void footer(const std::string& text);  // below --help

 private:
  CLI::App& app_;
};

}  // namespace envdoctor

#pragma once
// The arguments and options of a command. Hides CLI11, which costs ten seconds of compile time wherever it is included.
#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace envdoctor {

// The values of an option or positional argument.
struct Takes {
  std::string shown{};                  // in --help, behind its name; empty: the words
  std::vector<std::string> words{};     // only one of these
  std::pair<double, double> between{};  // a number from the first to the second; both 0: any
  bool folder = false;                  // one that exists
  bool with_commas = false;             // a comma-separated list; else each value is an argument of its own
  bool one = false;                     // at most one value
  bool required = false;
};

// The arguments of one command. Names are "--long", "-s,--long" or, for positional ones, a plain word; targets keep
// their value unless the option is given, and must outlive the parsing. parse_options() throws UsageError for a wrong
// value.
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

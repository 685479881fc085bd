#pragma once
// What people typed and what it printed: commands at prompts, lines of code, and labels with values. A value behind a
// well-known question fills the field that a live probe of the framework fills.
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/snapshot.h"
#include "probe/transcript/transcript_prints.h"

namespace envdoctor {

// How much of a line is the prompt of a shell; 0: none.
std::size_t shell_prompt(std::string_view line);

class Transcript {
 public:
  // A line and its number; `hint`: it holds one of the words that knowledge has of transcripts. The answer, empty
  // mostly, is a line in the words of knowledge/wordings/wordings.json that says what this line answers to an earlier
  // one.
  std::string line(std::string_view line, std::int64_t number, bool hint);
  // What was told; each field with `source` and its line.
  Snapshot finish(const std::string& source);

 private:
  enum class Prompt { none, python, more, shell, out };
  struct Awaited {
    AnnouncedLine line{};
    bool labelled = false;
    bool at_prompt = false;
    int patience = 0;  // lines that may come before it
  };
  struct Variable {
    std::string value{};
    std::int64_t line = 0;
    bool differs = false;  // set to several values
  };

  static Prompt cut_prompt(std::string_view& line);
  void code(std::string_view text, Prompt prompt);
  void await(std::vector<AnnouncedLine> lines, bool at_prompt);
  bool answers_itself(std::string_view text);
  bool label(std::string_view text);
  bool speaks_for_itself(std::string_view text);
  bool output(std::string_view text);
  bool output_line(std::string_view text);
  void answer(const Question& question, std::string_view value);
  void variables(std::string_view text, Prompt prompt);
  void variable(std::string_view name, std::string_view value, bool printed = false);

  std::deque<Awaited> awaited_{};
  HeldAnswers held_{};
  std::map<std::string, Variable, std::less<>> variables_{};
  Snapshot filled_{};
  std::map<std::int64_t, NvidiaDevice> devices_{};
  std::int64_t devices_line_ = 0;
  std::int64_t number_ = 0;  // of the line at hand
  std::string said_{};
  std::string list_{};  // the lines of a list whose end has not come yet
  bool frame_ = false;  // the line before names a place in a traceback, of which this one is the code
  bool torch_ = false, tensorflow_ = false;  // they were mentioned
};

}  // namespace envdoctor

#pragma once
// Typed commands and their output: commands at prompts, lines of code, and labels with values. A value of a
// well-known query fills the field that a live probe of the framework fills.
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/snapshot.h"
#include "probe/transcript/transcript_prints.h"

namespace envdoctor {

// The length of a shell prompt at the start of a line; 0: none.
std::size_t shell_prompt(std::string_view line);
// That of one where Python waits for a statement: ">>> " and "In [3]: "; 0: none.
std::size_t python_prompt(std::string_view line);

class Transcript {
 public:
  // A line and its number; `hint`: it contains one of knowledge's words for transcripts. The result, usually
  // empty, is a line in the wording of knowledge/wordings/wordings.json that states this line's answer to an earlier
  // query.
  std::string line(std::string_view line, std::int64_t number, bool hint);
  // The result; each field with `source` and its line.
  Snapshot finish(const std::string& source);

 private:
  enum class Prompt { none, python, more, shell, out };
  struct Awaited {
    AnnouncedLine line{};
    bool labelled = false;
    bool at_prompt = false;
    int patience = 0;  // lines that may precede it
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
  bool numbered_names(std::string_view text);
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
  std::int64_t number_ = 0;  // of the current line
  std::string said_{};
  std::string list_{};                       // the lines of an incomplete list
  bool frame_ = false;                       // the previous line names a place in a traceback, and this one is its code
  bool torch_ = false, tensorflow_ = false;  // they were mentioned
  bool names_asked_ = false;                 // of every device, one after the other
};

}  // namespace envdoctor

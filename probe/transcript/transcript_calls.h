#pragma once
// The well-known framework queries, and the meaning of the values that they return.
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "evidence/snapshot.h"

namespace envdoctor {

// What results fill in: fields of a snapshot, devices by number, and lines in wordings that
// knowledge/wordings/wordings.json matches.
struct Answered {
  Snapshot snapshot{};
  std::map<std::int64_t, NvidiaDevice> devices{};
  std::string said{};
};

// The format of a value, so that other output is not mistaken for it.
enum class ValueForm { boolean, number, version, words, list, tuple };

struct KnownCall {
  const char* name;  // "torch.cuda.is_available()"; with "*" for the arguments
  ValueForm form;
  void (*take)(Answered& into, std::string_view value, std::string_view argument);
};

// An expression that a program evaluates: a known call, or its length.
struct Question {
  const KnownCall* call = nullptr;
  std::string argument{};  // its arguments, without quote marks
  bool length = false;
  bool operator==(const Question&) const = default;
};

// By the text of an expression: "torch.cuda.is_available()", "len(tf.config.list_physical_devices('GPU'))",
// "numpy.__version__". None: another one.
std::optional<Question> question_of(std::string_view expression);

// Whether this whole text may be the value of the query.
bool may_answer(const Question& question, std::string_view value);

// Fills in the meaning of the value. `value` may_answer the question.
void take_answer(const Question& question, std::string_view value, Answered& into);

}  // namespace envdoctor

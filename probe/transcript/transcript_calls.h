#pragma once
// The well-known questions that people put to a framework, and what the values say that it answers.
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "evidence/snapshot.h"

namespace envdoctor {

// What answers fill in: fields of a snapshot, devices by their numbers, and lines in the words that
// knowledge/wordings/wordings.json knows.
struct Answered {
  Snapshot snapshot{};
  std::map<std::int64_t, NvidiaDevice> devices{};
  std::string said{};
};

// How a value is written, so that no other output is taken for it.
enum class ValueForm { boolean, number, version, words, list, tuple };

struct KnownCall {
  const char* name;  // "torch.cuda.is_available()"; with "*" for what stands in the brackets
  ValueForm form;
  void (*take)(Answered& into, std::string_view value, std::string_view argument);
};

// An expression that a program evaluates: a known call, or its length.
struct Question {
  const KnownCall* call = nullptr;
  std::string argument{};  // what stands in its brackets, quote marks aside
  bool length = false;
  bool operator==(const Question&) const = default;
};

// By the text of an expression: "torch.cuda.is_available()", "len(tf.config.list_physical_devices('GPU'))",
// "numpy.__version__". None: another one.
std::optional<Question> question_of(std::string_view expression);

// Whether this text may be the value of the question, and nothing else.
bool may_answer(const Question& question, std::string_view value);

// Fills in what the value says. `value` may_answer the question.
void take_answer(const Question& question, std::string_view value, Answered& into);

}  // namespace envdoctor

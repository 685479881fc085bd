#pragma once
// What calls in training scripts do to devices (script_calls.json).
#include <string>
#include <string_view>
#include <vector>

namespace envdoctor::knowledge {

// All calls that the table knows, in full, some of which end in .*; and MODULE=NAMES, all names of a module.
std::vector<std::string> script_call_names();

// What a call starts of its framework: "driver" (CUDA, which then reads its variables), "devices" (that, and the
// framework's own list of them), or nothing.
struct Starts {
  std::string framework{};
  std::string what{};
};
Starts started_by(std::string_view call);

// A call that must come before the framework's devices are started.
struct EarlyCall {
  std::string framework{};
  std::string argument{};  // only where the arguments hold this text
  std::string label{};     // raises, no effect
  std::string says{};      // what it does when it comes too late
  std::string instead{};
};
const EarlyCall* early_call(std::string_view call);  // null: none of these

// When a framework reads a variable: "import", "driver" or "devices".
struct ReadVariable {
  std::string name{};
  std::string framework{};
  std::string read{};
};
const std::vector<ReadVariable>& read_variables();

// A call that does something else than many believe, or a mistake that the reader of scripts names.
struct ScriptCall {
  std::string call{};
  std::string id{};        // the diagnosis
  std::string framework{};  // empty: of none
  std::string argument{};  // only where the arguments hold this text
  std::string from{};      // first release of the framework that this holds for; empty: all
  std::string label{};     // works, no effect, raises
  std::string says{};      // of a mistake: {0}, {1}, {2} stand for what the reader saw
  std::string instead{};
  std::vector<std::string> unless{};  // calls of the same script that make it right
  bool mistake = false;
  bool removed = false;    // its import raises as well
};
const std::vector<ScriptCall>& script_calls();

// The newest release of a framework that the tables were tried on; empty: of none.
std::string newest_tried(std::string_view framework);

// How many mistakes of scripts the table knows: calls that do something else, and what can come too late.
std::size_t known_script_mistakes();
// How many public names of older releases it knows that the newest tried lack (removed_names.json).
std::size_t names_that_are_gone();

// The major version of the Keras that tensorflow.keras is: "2" of TensorFlow 2.15. Empty: not recorded.
std::string keras_of_tensorflow(std::string_view tensorflow);

}  // namespace envdoctor::knowledge

#pragma once
// The effects of calls in training scripts on devices (script_calls.json).
#include <string>
#include <string_view>
#include <vector>

namespace envdoctor::knowledge {

// The full names of all calls in the table, some of which end in .*; and MODULE=NAMES, all names of a module.
std::vector<std::string> script_call_names();

// What calls of libraries take: a line "MODULE\tRELEASES\tCALLS" for each module, as parameters.json describes them.
std::string call_parameters();

// The part of its framework that a call starts: "driver" (CUDA, which then reads its variables), "devices" (that, and
// the framework's own list of them), or nothing.
struct Starts {
  std::string framework{};
  std::string what{};
};
Starts started_by(std::string_view call);

// A call that must come before the framework's devices are started.
struct EarlyCall {
  std::string framework{};
  std::string argument{};  // only if the arguments contain this text
  std::string label{};     // raises, no effect
  std::string says{};      // its effect when it comes too late
  std::string instead{};
};
const EarlyCall* early_call(std::string_view call);  // null: not such a call

// When a framework reads a variable: "import", "driver" or "devices".
struct ReadVariable {
  std::string name{};
  std::string framework{};
  std::string read{};
};
const std::vector<ReadVariable>& read_variables();

// A call that does something else than often expected, or a mistake that the script reader reports.
struct ScriptCall {
  std::string call{};
  std::string id{};         // the diagnosis
  std::string framework{};  // empty: none
  std::string argument{};   // only if the arguments contain this text
  std::string from{};       // first release of the framework that this applies to; empty: all
  std::string label{};      // works, no effect, raises
  std::string title{};      // of its finding; empty: that of the diagnosis
  std::string says{};       // for a mistake: {0} to {4} are replaced by the reader's values
  std::string instead{};
  std::vector<std::string> unless{};  // calls in the same script that make it correct
  bool mistake = false;
  bool removed = false;  // importing it raises as well
};
const std::vector<ScriptCall>& script_calls();
// Whether a row is for this full name: its own, one below a row that ends in .*, or one below a name that was removed.
bool stands_for(const ScriptCall& row, std::string_view name);

// The row of a missing name, "tensorflow.contrib", that raises since some release. Null: none is known. What stands above
// it was found, as a message names the first that is missing: so a row of a name above it is not meant. Several rows may
// hold it: `id` chooses, unless it is empty.
const ScriptCall* call_that_raises(std::string_view name, std::string_view id = {});

// The newest release of a framework that the tables were tested with; empty: none.
std::string newest_tried(std::string_view framework);

// The number of script mistakes in the table: calls with unexpected effects, and settings that can come too late.
std::size_t known_script_mistakes();
// The number of known public names of older releases that the newest tested releases lack (removed_names.json).
std::size_t names_that_are_gone();

// The major version of Keras behind tensorflow.keras: "2" of TensorFlow 2.15. Empty: not recorded.
std::string keras_of_tensorflow(std::string_view tensorflow);

}  // namespace envdoctor::knowledge

#pragma once
#include <string>
#include <string_view>

namespace envdoctor {

// Whether some command that asks for the machine's state may stand twice in a text: a fast look.
bool may_ask_twice(std::string_view text);

// The text with empty lines for each run of such a command ("nvidia-smi", "lspci -k") that a later run of the same
// command, by the same person on the same machine, shows to be history: the later one failed, or lists the state anew.
std::string without_earlier_state(std::string_view text);

}  // namespace envdoctor

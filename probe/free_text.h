#pragma once
#include <string>

namespace envdoctor {

// Takes out of a sentence, a command or a row of a table what names somebody's: words that no program is known to say
// become <name>, except where evidence stands (behind "module", "symbol", in code, in paths of the system), and so do
// folders that are not the system's, hosts and buckets of addresses that are not a public project's, and drawn words.
// A text that is one word, such as a path or a version, stays as it is, addresses aside.
void withhold_names(std::string& text);

}  // namespace envdoctor

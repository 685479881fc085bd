#pragma once
#include <string>

namespace envdoctor {

class LowerText;

// Withholds names of hosts and users where sentences, labels and arguments of known programs have them: what somebody
// connects to, whom sudo lets in, "on NAME", instance="NAME".
void withhold_said_names(std::string& text, const LowerText& low);

}  // namespace envdoctor

#pragma once
#include <string>

namespace envdoctor {

class LowerText;

// Withholds users, accounts and hosts in rows of tables whose header stands elsewhere: of queues, processes, open
// files, sessions, mounts, accounts, nodes.
void withhold_names_in_rows(std::string& text, const LowerText& low);

}  // namespace envdoctor

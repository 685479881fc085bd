#pragma once
#include <string>

namespace envdoctor {

// Words with letters outside ASCII that no known message has become <name>, with what is joined to them: nobody can
// tell a name or a password in another script from a sentence without knowing its words. Units and single Greek
// letters stay.
void withhold_foreign_words(std::string& text);

}  // namespace envdoctor

#pragma once
#include <string>

namespace envdoctor {

class LowerText;

// Withholds what stands behind a word for a password, a key, a user or a serial number in a language other than English,
// with a copula or a few words between: "Mot de passe du compte : …", "Pasahitza hau da: …".
void withhold_behind_foreign_words(std::string& text, const LowerText& low);

}  // namespace envdoctor

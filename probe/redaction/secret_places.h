#pragma once
#include <string>
#include <string_view>

namespace envdoctor {

class LowerText;

// Withholds what stands where known commands, protocols and reports have a secret, a serial number or a name: AUTH and
// its user's password, --user name:password, a here-string for gpg, keys by their provider's prefix, a device code, an
// IMEI, a bank account, the author of a line.
void withhold_at_known_places(std::string& text, const LowerText& low);

// How random a word looks: how often digits, small and capital letters follow each other.
// `bare`: nothing around it tells of a key, so that words written together (OneLongName) must not look so.
bool looks_drawn(std::string_view word, bool bare = false);

}  // namespace envdoctor

#pragma once
#include <string>

namespace envdoctor {

// Redacts names in a sentence, a command or a row of a table: words that no known program prints become <name>, except
// where evidence stands (after "module", "symbol", in code, in system paths). The same goes for folders outside the
// system, for hosts and buckets in addresses that don't belong to a public project, and for random-looking words. A
// text that is one word, such as a path or a version, stays as it is, except addresses.
void withhold_names(std::string& text);
// Of these what stands at places that tell what it is, in any text: hosts in addresses, accounts, identifiers in
// clouds, columns of known tables.
void withhold_identifiers(std::string& text);

}  // namespace envdoctor

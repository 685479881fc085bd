#pragma once
#include <string>

namespace envdoctor {

// In each line that speaks of a credential (a password, a passphrase, a secret, a token that is no language model's),
// in any of many languages or as part of a name such as StoragePass, what may be the credential becomes <secret>:
// every word that is neither a plain word of such messages nor a number, a path, an option or the name of a value.
void withhold_credentials(std::string& text);

}  // namespace envdoctor

#pragma once
// What looks like a secret, an address or a machine's identifier and is the same for everybody.
#include <string_view>

namespace envdoctor {

// Whether a name of a user or a host tells of somebody: it isn't one that many machines share.
bool tells_something(std::string_view name);
// A UUID of a standard or of a package, which names no machine.
bool is_public_uuid(std::string_view before, std::string_view uuid, std::string_view after);
// An address of those that documents use.
bool is_documentation_address(std::string_view address);
// Whether what stands before a digest in pairs says that it is one: "sha1 ", "SHA1 Fingerprint=".
bool follows_fingerprint(std::string_view before);
// Whether the name of a certificate stands so far, between marks, as the kernel says that it loaded one with its key.
bool names_certificate(std::string_view before);
// Whether a digest of a package stands so far, such as sha512-4Fa+/9.
bool follows_integrity(std::string_view before);
// What stands where a secret would: a metavariable (--api-key API_KEY), a debugger's entry value (sig=sig@entry=6), the
// public key of an assembly.
bool is_public_value(std::string_view key, std::string_view value);

}  // namespace envdoctor

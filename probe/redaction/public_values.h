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
// Whether hexadecimal digits between these are said to be the checksum of a file or of a part of a program: "md5 of
// libcudnn.so.9: ", "SHA256 (driver.run) = ", digits with a file's name behind them.
bool is_checksum(std::string_view before, std::string_view after);
// A number that a word for a credential counts or numbers in a model or a test: "EOT token = 128009", "pass=128 fail=0".
bool is_counted(std::string_view before, std::string_view key, std::string_view value, std::string_view after);
// A namespace that a cluster or its operators make, which every cluster has: "kube-system", "gpu-operator".
bool is_namespace_of_clusters(std::string_view name);
// What stands where a secret would: a metavariable (--api-key API_KEY), a debugger's entry value (sig=sig@entry=6), the
// public key of an assembly.
bool is_public_value(std::string_view key, std::string_view value);

}  // namespace envdoctor

#pragma once
// What tells of a person or a machine by its shape alone, whoever they are.
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "evidence/snapshot.h"
#include "evidence/watched_process.h"
#include "host/host.h"

namespace envdoctor {

// E-mail, MAC and IP addresses, secrets behind their names (token=…), tokens known by their beginning (ghp_…) and
// serial numbers become <email>, <mac>, <ip>, <secret>, <serial>. Versions of four numbers, which look like IP
// addresses, stay: a text that is nothing else, one behind a package's name, and one below 14 unless something says
// that it is an address.
void redact_patterns(std::string& text);

// What identifies a person or a machine is taken out of texts before they are kept.
// Whose names to look for.
struct Identity {
  std::string home{};  // this user's home directory
  std::vector<std::string> users{};
  std::vector<std::string> hosts{};  // without domain
};

Identity identity_of(const std::map<std::string, std::string>& env);  // HOME, USER, LOGNAME, HOSTNAME
Identity identity_of(const Host& host);                               // the host's own name as well

// Home directories become $HOME, UUIDs keep their first 8 hex digits (which CUDA takes as a prefix), names of users and
// of the host become <user> and <host>, credentials in addresses go. A name that many machines share, such as root or
// ubuntu, stays: it tells nothing, and may be a word of the text. Redacting twice changes nothing.
std::string redact_text(std::string_view text, const Identity& identity);
// The same for what a program said in its own words: names of somebody's go as well (free_text.h).
std::string redact_free_text(std::string_view text, const Identity& identity);

// Every text of the snapshot. Of environment variables only values of a known form stay (env_values.h). What is `known`
// of the same identity, from text to what became of it, is not looked at again, and grows.
using RedactedTexts = std::unordered_map<std::string, std::string>;
void redact(Snapshot& snapshot, const Identity& identity, RedactedTexts* known = nullptr);
void redact(Watched& watched, const Identity& identity);

}  // namespace envdoctor

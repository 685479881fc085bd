#pragma once
// What tells of a person or a machine by its shape alone, whoever they are.
#include <string>

namespace envdoctor {

// E-mail, MAC and IP addresses, secrets behind their names (token=…), tokens known by their beginning (ghp_…) and
// serial numbers become <email>, <mac>, <ip>, <secret>, <serial>. Versions of four numbers, which look like IP
// addresses, stay: a text that is nothing else, one behind a package's name, and one below 14 unless something says
// that it is an address.
void redact_patterns(std::string& text);

}  // namespace envdoctor

#pragma once
// The files a person names on the command line. Errors name the file and throw UsageError.
#include "evidence/snapshot.h"

namespace envdoctor {

std::string read_input(const std::string& path);   // "-": standard input
std::string shown_name(const std::string& path);   // "-" -> "standard input"
std::string report_name(const std::string& path, bool redacted);  // as a report may name it: $HOME/…
// A snapshot or a JSON report; redacted once more, which changes nothing in what was gathered redacted.
Snapshot read_snapshot(const std::string& path, bool redacted);
// In pieces, so that a large log needs no memory; unpacked and decoded where it needs to be.
Snapshot read_log_file(const std::string& path, bool redact);

void write_file(const std::string& path, const std::string& content);  // "-": standard output
void write_out(const std::string& content);        // standard output; a reader that went away is no error

// This process's environment. Of a name that stands there twice the first counts, as for getenv.
std::map<std::string, std::string> environment();

}  // namespace envdoctor

#pragma once
// The files a person names on the command line. Errors name the file and throw UsageError.
#include <chrono>

#include "evidence/snapshot.h"

namespace envdoctor {

// How long, from now on, all reading may take. `standard_input_too`: else it is waited for as long as it is open, as the
// output of a program that runs for hours may be.
void limit_reading(std::chrono::seconds limit, bool standard_input_too);
// What is left of it; whoever reads what we write has as long.
std::chrono::milliseconds reading_time_left();

std::string read_input(const std::string& path);   // "-": standard input
std::string shown_name(const std::string& path);   // "-" -> "standard input"
std::string report_name(const std::string& path, bool redacted);  // as a report may name it: $HOME/…
// A snapshot or a JSON report; redacted once more, which changes nothing in what was gathered redacted.
Snapshot read_snapshot(const std::string& path, bool redacted);
// In pieces, so that a large log needs no memory; unpacked and decoded where it needs to be.
Snapshot read_log_file(const std::string& path, bool redact);

// This process's environment. Of a name that stands there twice the first counts, as for getenv.
std::map<std::string, std::string> environment();

}  // namespace envdoctor

#pragma once
// The files a person names on the command line. Errors name the file and throw UsageError.
#include <chrono>

#include "evidence/snapshot.h"

namespace envdoctor {

// The time limit, from now on, for all reading. `standard_input_too`: without it standard input is read for as long as
// it is open, because it may be the output of a program that runs for hours.
void limit_reading(std::chrono::seconds limit, bool standard_input_too);
// The time that is left; the reader of our output has as long.
std::chrono::milliseconds reading_time_left();

std::string read_input(const std::string& path);                  // "-": standard input
std::string shown_name(const std::string& path);                  // "-" -> "standard input"
std::string report_name(const std::string& path, bool redacted);  // as a report may name it: $HOME/…
// A snapshot or a JSON report; redacted again, which changes nothing in a snapshot that was gathered redacted.
Snapshot read_snapshot(const std::string& path, bool redacted);
// Reads in pieces, so that a large log needs little memory; decompresses and decodes as needed.
Snapshot read_log_file(const std::string& path, bool redact);

// This process's environment. If a name occurs twice the first counts, as with getenv.
std::map<std::string, std::string> environment();

}  // namespace envdoctor

#pragma once
// The program's output: files, standard output and standard error.
#include <string>

namespace envdoctor {

// "-": standard output. A plain file is written to a temporary name and renamed, so that it is either complete or
// unchanged; through a link, this replaces the link's target. Devices, pipes and our own streams (/dev/stdout) are
// written in place. Throws UsageError naming what could not be written.
void write_file(const std::string& path, const std::string& content);

void write_out(const std::string& content);      // standard output; a reader that has closed its end is no error
void print_message(const std::string& message);  // standard error; write errors are ignored

// Call once, before any file is opened: the next file would get the number of a closed standard stream. The
// placeholder fails as a closed stream does, and no program that we start inherits it.
void fill_closed_streams();

}  // namespace envdoctor

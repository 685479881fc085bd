#pragma once
// What leaves the program: files, standard output and standard error.
#include <string>

namespace envdoctor {

// "-": standard output. A plain file is written beside its place and renamed, so that it is whole or as it was; through
// a link, the file that it names. Devices, pipes and our own streams (/dev/stdout) are written as they stand.
// UsageError names what could not be written.
void write_file(const std::string& path, const std::string& content);

void write_out(const std::string& content);  // standard output; a reader that went away is no error
void tell(const std::string& message);       // standard error; that nobody can read it changes nothing

// Called once, before any file is opened: a standard stream that is closed would be the number of the next file. What
// stands in for it fails as a closed stream does, and no program that we start inherits it.
void fill_closed_streams();

}  // namespace envdoctor

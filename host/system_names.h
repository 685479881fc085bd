#pragma once
// Names of errors and signals that glibc gives from 2.32 on only; the same on every machine.
#include <string>

namespace envdoctor {

std::string error_name(int number);   // of errno: "EACCES"; "errno 4095" for one without a name
std::string signal_name(int number);  // "SIGSEGV"; "signal 40" for one without a name

}  // namespace envdoctor

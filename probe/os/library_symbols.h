#pragma once
#include <string>

#include "evidence/fields.h"

namespace envdoctor {

// Whether a function is known that tells the version of this library ("cublas") without a GPU.
bool has_version_symbol(const std::string& library);

// Loads the file and asks it. For use in a child only: a library runs code of its own as it is loaded.
Text ask_version(const std::string& path, const std::string& library);

// ncclGetVersion's number: 2708 -> "2.7.8", 22809 -> "2.28.9".
std::string nccl_version_text(int number);
// cudnnGetVersion's: 8902 -> "8.9.2", 91900 -> "9.19.0".
std::string cudnn_version_text(std::size_t number);

}  // namespace envdoctor

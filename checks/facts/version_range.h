#pragma once
#include <string>
#include <string_view>

#include "evidence/reading.h"

namespace envdoctor {

// Whether a version is in a range in Python's syntax: "<2.0.0,>=1.23.5", "~=3.1", "==2.*", "!=4.21.0"
// (PEP 440; a local tag such as +cu121 doesn't count). Failed: the range can't be read.
Reading<bool> in_range(std::string_view version, std::string_view range);

// The entry of knowledge::version_rules for this version of a framework; empty: none.
std::string rule_for(std::string_view framework, const char* list, std::string_view version);

}  // namespace envdoctor

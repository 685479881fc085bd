#pragma once
#include <string>

namespace envdoctor {

// The text of docs/diagnoses.md: every row of the catalogue with its proof, disproof, consequences and fix.
std::string all_diagnoses_markdown();

}  // namespace envdoctor

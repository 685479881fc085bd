#pragma once
// Names a person may type, and the nearest one to a typo.
#include <string>
#include <vector>

namespace envdoctor {

std::vector<std::string> command_names();
std::vector<std::string> diagnosis_names();  // ids and families
bool is_diagnosis_or_family(const std::string& name);

// " (did you mean 'capture'?)" where one name is at most two letters away, else nothing.
std::string did_you_mean(const std::string& typed, const std::vector<std::string>& names);

}  // namespace envdoctor

#include "knowledge/frameworks.h"
#include "knowledge/rows.h"

namespace envdoctor::knowledge {

std::vector<VersionRule> version_rules(std::string_view framework, const char* list) {
  std::vector<VersionRule> rules;
  read_table(framework == "torch" ? "pytorch" : framework,
             {{list, [&](const Row& row) {
                 rules.push_back({.versions = row.text_if("versions"), .what = row.text("what")});
               }}});
  return rules;
}

}  // namespace envdoctor::knowledge

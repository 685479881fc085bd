#include "knowledge/frameworks/frameworks.h"
#include "knowledge/table_rows.h"

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

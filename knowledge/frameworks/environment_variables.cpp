#include <algorithm>
#include <map>

#include "knowledge/codes/names.h"
#include "knowledge/table_rows.h"

namespace envdoctor::knowledge {
namespace {

struct Variable {
  std::string category{};
  bool names_hosts = false;
};

struct Variables {
  std::map<std::string, Variable, std::less<>> by_name{};
  std::vector<std::string> names{};
  std::vector<std::string> begins{};  // of the rows that end in *
  std::vector<std::string> prefixes{};
};

const Variables& variables() {
  static const Variables all = [] {
    Variables v;
    read_table("env_vars", {{"variables",
                             [&v](const Row& row) {
                               v.by_name[row.text("name")] = {.category = row.text("category"),
                                                              .names_hosts = row.flag_if("names_hosts")};
                             }},
                            {"prefixes", [&v](const Row& row) { v.prefixes.push_back(row.text("prefix")); }}});
    for (const auto& [name, variable] : v.by_name) {
      v.names.push_back(name);
      if (name.ends_with('*')) v.begins.push_back(name.substr(0, name.size() - 1));
    }
    return v;
  }();
  return all;
}

}  // namespace

const std::vector<std::string>& env_allow_list() { return variables().names; }
const std::vector<std::string>& env_prefixes() { return variables().prefixes; }

bool env_allowed(std::string_view name) {
  return variables().by_name.contains(name) ||
         std::ranges::any_of(variables().begins, [&](const std::string& begin) { return name.starts_with(begin); });
}

bool env_names_hosts(std::string_view name) {
  const auto found = variables().by_name.find(name);
  return found != variables().by_name.end() && found->second.names_hosts;
}

std::vector<std::string> env_of_category(std::string_view category) {
  std::vector<std::string> names;
  for (const auto& [name, variable] : variables().by_name) {
    if (variable.category == category) names.push_back(name);
  }
  return names;
}

}  // namespace envdoctor::knowledge

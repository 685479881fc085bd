#include "knowledge/frameworks/switches.h"

#include "knowledge/table_rows.h"

namespace envdoctor::knowledge {

std::vector<SwitchVariable> variables_of_switch(std::string_view name) {
  std::vector<SwitchVariable> variables;
  read_table("switches", {{"variables", [&](const Row& row) {
                             if (row.text("switch") != name) return;
                             SwitchVariable one{.name = row.text("name"),
                                                .when = row.text_if("when"),
                                                .append = row.flag_if("append"),
                                                .why = row.text("why")};
                             if (row.has("value")) one.value = row.text("value");
                             variables.push_back(one);
                           }}});
  return variables;
}

std::string left_by_switch(std::string_view name) {
  std::string text;
  read_table("switches", {{"left", [&](const Row& row) {
                             if (row.text("switch") == name) text = row.text("text");
                           }}});
  return text;
}

}  // namespace envdoctor::knowledge

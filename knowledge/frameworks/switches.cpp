#include "knowledge/frameworks/switches.h"

#include "knowledge/table_rows.h"

namespace envdoctor::knowledge {

std::vector<SwitchVariable> variables_of_switch(std::string_view name) {
  std::vector<SwitchVariable> variables;
  const Table table("switches");
  for (const Row& row : table["variables"]) {
    if (row.text("switch") != name) continue;
    SwitchVariable& one = variables.emplace_back(SwitchVariable{.name = row.text("name"),
                                                                .when = row.text_if("when"),
                                                                .append = row.flag_if("append"),
                                                                .why = row.text("why")});
    if (row.has("value")) one.value = row.text("value");
  }
  return variables;
}

std::string left_by_switch(std::string_view name) {
  const Table table("switches");
  std::string text;
  for (const Row& row : table["left"]) {
    if (row.text("switch") == name) text = row.text("text");
  }
  return text;
}

}  // namespace envdoctor::knowledge

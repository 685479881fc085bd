#include "knowledge/frameworks/methods.h"

#include "knowledge/table_rows.h"

namespace envdoctor::knowledge {

Method method(std::string_view id) {
  Method found;
  const Table table("methods");
  for (const Row& row : table["methods"]) {
    if (row.text("id") != id) continue;
    found.title = row.text("title");
    for (const Row& result : row.children("results"))
      found.results.push_back({.environment = result.text("environment"),
                               .label = result.text("label"),
                               .detail = result.text_if("detail"),
                               .without_gpu = result.flag_if("without_gpu")});
  }
  return found;
}

}  // namespace envdoctor::knowledge

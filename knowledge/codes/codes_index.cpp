#include "knowledge/codes/codes_index.h"

#include <map>

#include "knowledge/table_rows.h"

namespace envdoctor::knowledge {
namespace {

// Signals and similar codes say nothing about a GPU unless their row does.
bool of_system(std::string_view api) {
  return api == "signal" || api == "exit_status" || api == "windows" || api == "numba";
}

}  // namespace

std::string codes_index() {
  std::map<std::string, std::string> lines;
  const Table table("error_codes");
  for (const Row& row : table["codes"]) {
    const std::string api = row.text("api"), name = row.text("name"), kind = row.text_if("kind");
    const std::string number = row.has("code") ? std::to_string(row.number("code")) : "";
    const bool error = !kind.empty() && kind != "none" && !of_system(api);
    lines.try_emplace(api + ' ' + name, number + '\t' + row.text_if("symptom") + '\t' + row.text_if("same_as") + '\t' +
                                            (error ? "error" : "") + '\t');
    if (!number.empty()) lines.try_emplace(api + " #" + number, name + '\t');
  }
  std::string all;
  for (const auto& [id, fields] : lines) all += id + '\t' + fields + '\n';
  return all;
}

}  // namespace envdoctor::knowledge

#include <map>
#include <utility>

#include "knowledge/names.h"
#include "knowledge/rows.h"

namespace envdoctor::knowledge {
namespace {

using Codes = std::map<std::string, std::map<std::int64_t, std::string>, std::less<>>;

Codes read_codes() {
  Codes codes;
  // Some numbers have two names (a vendor's alias); the first row is the usual one.
  read_table("error_codes", {{"codes", [&codes](const Row& row) {
                                codes[row.text("api")].try_emplace(row.number("code"), row.text("name"));
                              }}});
  return codes;
}

std::map<std::int64_t, XidMeaning> read_xids() {
  std::map<std::int64_t, XidMeaning> xids;
  read_table("xid", {{"xids", [&xids](const Row& row) {
                        xids[row.number("xid")] = {.meaning = row.text_if("meaning"),
                                                   .action = row.text_if("action"),
                                                   .class_ = row.text_if("class"),
                                                   .mnemonic = row.text_if("mnemonic"),
                                                   .diagnosis = row.text_if("diagnosis")};
                      }}});
  return xids;
}

}  // namespace

std::string code_name(std::string_view api, std::int64_t code) {
  static const Codes codes = read_codes();
  const auto names = codes.find(api);
  if (names == codes.end()) return {};
  const auto name = names->second.find(code);
  return name == names->second.end() ? std::string{} : name->second;
}

std::optional<XidMeaning> xid(std::int64_t code) {
  static const std::map<std::int64_t, XidMeaning> xids = read_xids();
  const auto found = xids.find(code);
  return found == xids.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace envdoctor::knowledge

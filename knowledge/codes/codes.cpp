#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "knowledge/codes/names.h"
#include "knowledge/table_rows.h"

namespace envdoctor::knowledge {
namespace {

struct CodeRow {
  std::string name{};
  std::optional<std::int64_t> number{};
  std::string symptom{};  // "missing cuda-device"
  std::string same_as{};
};

struct Api {
  std::map<std::string, CodeRow, std::less<>> by_name{};
  std::map<std::int64_t, const CodeRow*> by_number{};
};
using Codes = std::map<std::string, Api, std::less<>>;

const Codes& codes() {
  static const Codes all = [] {
    Codes read;
    read_table("error_codes", {{"codes", [&read](const Row& row) {
                                  Api& api = read[row.text("api")];
                                  const auto number =
                                      row.has("code") ? std::optional(row.number("code")) : std::nullopt;
                                  CodeRow code{.name = row.text("name"),
                                               .number = number,
                                               .symptom = row.text_if("symptom"),
                                               .same_as = row.text_if("same_as")};
                                  const auto [entry, fresh] = api.by_name.try_emplace(code.name, std::move(code));
                                  // Some numbers have two names (a vendor's alias); the first row is the usual one.
                                  if (number) api.by_number.try_emplace(*number, &entry->second);
                                }}});
    return read;
  }();
  return all;
}

const CodeRow* row_of_number(const Api& api, std::int64_t number) {
  const auto found = api.by_number.find(number);
  return found == api.by_number.end() ? nullptr : found->second;
}

const CodeRow* row_of_name(const Api& api, std::string_view name) {
  const auto found = api.by_name.find(name);
  return found == api.by_name.end() ? nullptr : &found->second;
}

const CodeRow* find_row(std::string_view apis, std::string_view printed) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(printed.data(), printed.data() + printed.size(), number);
  const bool is_number = error == std::errc{} && end == printed.data() + printed.size();
  while (!apis.empty()) {
    const std::string_view one = apis.substr(0, apis.find(' '));
    apis.remove_prefix(std::min(apis.size(), one.size() + 1));
    const auto api = codes().find(one);
    if (api == codes().end()) continue;
    if (const CodeRow* row = is_number ? row_of_number(api->second, number) : row_of_name(api->second, printed))
      return row;
  }
  return nullptr;
}

// CUDA's driver and runtime number their errors alike since 10.1; before, the runtime had the same names.
const CodeRow& usual_row(const CodeRow& row) {
  const CodeRow* same = &row;
  if (!row.same_as.empty()) same = find_row("nvml", row.same_as);
  if (row.name.starts_with("cudaError")) {
    const CodeRow* runtime = find_row("cuda_runtime", row.name);
    const auto driver = codes().find("cuda_driver");
    if (runtime && runtime->number && driver != codes().end()) same = row_of_number(driver->second, *runtime->number);
  }
  return same ? *same : row;
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
  const auto found = codes().find(api);
  const CodeRow* row = found == codes().end() ? nullptr : row_of_number(found->second, code);
  return row ? row->name : std::string{};
}

std::optional<Code> find_code(std::string_view apis, std::string_view printed) {
  const CodeRow* row = find_row(apis, printed);
  if (!row) return std::nullopt;
  const CodeRow& usual = usual_row(*row);
  const std::string& symptom = row->symptom.empty() ? usual.symptom : row->symptom;
  const std::size_t blank = std::min(symptom.find(' '), symptom.size());
  return Code{.name = usual.name,
              .class_ = symptom.substr(0, blank),
              .subject = symptom.substr(std::min(blank + 1, symptom.size()))};
}

std::optional<XidMeaning> xid(std::int64_t code) {
  static const std::map<std::int64_t, XidMeaning> xids = read_xids();
  const auto found = xids.find(code);
  return found == xids.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace envdoctor::knowledge

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

// Some numbers have two names (a vendor's alias); the first row is the usual one.
struct Api {
  std::vector<CodeRow> rows{};
  [[nodiscard]] const CodeRow* by_number(std::int64_t number) const {
    const auto row = std::ranges::find(rows, std::optional(number), &CodeRow::number);
    return row == rows.end() ? nullptr : &*row;
  }
  [[nodiscard]] const CodeRow* by_name(std::string_view name) const {
    const auto row = std::ranges::find(rows, name, &CodeRow::name);
    return row == rows.end() ? nullptr : &*row;
  }
};
using Codes = std::map<std::string, Api, std::less<>>;

const Codes& codes() {
  static const Codes all = [] {
    Codes read;
    read_table("error_codes", {{"codes", [&read](const Row& row) {
                                  read[row.text("api")].rows.push_back(
                                      {.name = row.text("name"),
                                       .number = row.has("code") ? std::optional(row.number("code")) : std::nullopt,
                                       .symptom = row.text_if("symptom"),
                                       .same_as = row.text_if("same_as")});
                                }}});
    return read;
  }();
  return all;
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
    if (const CodeRow* row = is_number ? api->second.by_number(number) : api->second.by_name(printed)) return row;
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
    if (runtime && runtime->number && driver != codes().end()) same = driver->second.by_number(*runtime->number);
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
  const CodeRow* row = found == codes().end() ? nullptr : found->second.by_number(code);
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

#include "knowledge/codes/names.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "knowledge/codes/codes_index.h"
#include "knowledge/codes/constants.h"
#include "knowledge/embedded_tables.h"
#include "knowledge/lazy_regex.h"
#include "knowledge/lower_case.h"
#include "knowledge/sorted_lines.h"
#include "knowledge/table_rows.h"

namespace envdoctor::knowledge {
namespace {

// Every word of a text, in lower case.
void add_words(std::vector<std::string>& words, const std::string& text) {
  static const LazyRegex word(R"(([A-Za-z][\w.-]*))", RE2::Latin1);
  re2::StringPiece rest(text);
  for (std::string found; RE2::FindAndConsume(&rest, word, &found);) words.push_back(lower_case(found));
}

EnvValues values_of(const Row& row) {
  static const LazyRegex paths("(?i)director|path|librar|file|dir\\b", RE2::Latin1);
  static const LazyRegex selects("visibility|selection|order", RE2::Latin1);
  EnvValues values{.paths = RE2::PartialMatch(row.text_if("syntax"), paths),
                   .any_word = RE2::FullMatch(row.text_if("category"), selects)};
  add_words(values.words, row.text_if("syntax"));
  for (const auto& [value, meaning] : row.texts_by_key("values")) add_words(values.words, value);
  std::ranges::sort(values.words);
  return values;
}

// Each list is read when it is first asked for: a pasted text mostly needs the folders alone.
struct EnvironmentTable {
  Table table{"env_vars"};

  [[nodiscard]] std::vector<std::string> texts(const char* list, const char* key) const {
    std::vector<std::string> all;
    for (const Row& row : table[list]) all.push_back(row.text(key));
    return all;
  }
};

struct Variables {
  ByName<Row> rows{};
  std::vector<std::string> names{};
  std::vector<std::string> begins{};  // of the rows that end in *

  Variables() {
    for (const Row& row : read_once<EnvironmentTable>().table["variables"]) rows.emplace(row.text("name"), row);
    for (const auto& [name, row] : rows) {
      names.push_back(name);
      if (name.ends_with('*')) begins.push_back(name.substr(0, name.size() - 1));
    }
  }
};

struct EnvironmentWords {
  std::vector<std::string> words{};

  EnvironmentWords() {
    for (const std::string& line : read_once<EnvironmentTable>().texts("words", "words")) add_words(words, line);
    std::ranges::sort(words);
  }
};

struct EnvironmentPrefixes {
  std::vector<std::string> prefixes = read_once<EnvironmentTable>().texts("prefixes", "prefix");
};

struct SystemFolders {
  std::vector<std::string> folders = read_once<EnvironmentTable>().texts("system_folders", "folder");
};

struct Libraries {
  std::vector<Soname> sonames{};
  std::vector<VersionSymbol> symbols{};
  std::vector<PipPackage> packages{};

  Libraries() {
    const Table table("libraries");
    for (const Row& row : table["sonames"])
      sonames.push_back({row.text("soname"), row.text("library"), row.text_if("cuda")});
    for (const Row& row : table["version_symbols"])
      symbols.push_back({row.text("library"), row.text("symbol"), row.text("signature"),
                         row.has("needs_gpu") && !row.flag_if("needs_gpu")});
    for (const Row& row : table["pip_packages"])
      packages.push_back({row.text("library"), row.text("pip_package"), row.text_if("directory"), row.text_if("cuda")});
  }
};

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

struct CodeRow {
  std::string_view name{};
  std::string_view number{};   // empty: none is known
  std::string_view symptom{};  // "missing cuda-device"
  std::string_view same_as{};
  std::string_view error{};  // not empty: an error of a GPU's API
};

// The index of codes: that of the build, unless another table replaces ours.
std::string_view code_lines() {
  static const std::string made = table_is_replaced("error_codes") ? codes_index() : std::string();
  return made.empty() ? bytes_of(embedded_index, "codes") : std::string_view(made);
}

std::optional<CodeRow> row_of_name(std::string_view api, std::string_view name) {
  std::string_view line = line_of(code_lines(), fmt::format("{} {}", api, name));
  if (line.empty()) return std::nullopt;
  const auto next = [&line] { return next_field(line); };
  return CodeRow{
      .name = next().substr(api.size() + 1), .number = next(), .symptom = next(), .same_as = next(), .error = next()};
}

std::optional<CodeRow> row_of_number(std::string_view api, std::int64_t number) {
  std::string_view line = line_of(code_lines(), fmt::format("{} #{}", api, number));
  if (line.empty()) return std::nullopt;
  next_field(line);
  return row_of_name(api, next_field(line));
}

std::optional<CodeRow> find_row(std::string_view apis, std::string_view printed) {
  const std::optional<std::int64_t> number = whole_number(printed);
  while (!apis.empty()) {
    const std::string_view one = apis.substr(0, apis.find(' '));
    apis.remove_prefix(std::min(apis.size(), one.size() + 1));
    if (const auto row = number ? row_of_number(one, *number) : row_of_name(one, printed)) return row;
  }
  return std::nullopt;
}

// CUDA's driver and runtime use the same error numbers since 10.1; before that, the runtime had only the same names.
CodeRow usual_row(const CodeRow& row) {
  std::optional<CodeRow> same = row;
  if (!row.same_as.empty()) same = find_row("nvml cuda_driver", row.same_as);
  if (row.name.starts_with("cudaError")) {
    const auto runtime = row_of_name("cuda_runtime", row.name);
    if (const auto number = runtime ? whole_number(runtime->number) : std::nullopt)
      same = row_of_number("cuda_driver", *number);
  }
  return same.value_or(row);
}

struct Xids {
  std::map<std::int64_t, XidMeaning> by_number{};

  Xids() {
    const Table table("xid");
    for (const Row& row : table["xids"])
      by_number[row.number("xid")] = {.meaning = row.text_if("meaning"),
                                      .action = row.text_if("action"),
                                      .class_ = row.text_if("class"),
                                      .mnemonic = row.text_if("mnemonic"),
                                      .diagnosis = row.text_if("diagnosis")};
  }
};

std::string identifier_from(const std::string& text, const std::string& prefix) {
  std::string name;
  RE2::PartialMatch(text, "(" + prefix + "[A-Z0-9_]*)", &name);
  return name;
}

// The number in "UNKNOWN ERROR (303)", "error 802" or "-1"; nullopt: none, or too long for a code.
std::optional<int> number_in(const std::string& text) {
  static const LazyRegex first(R"(^[^0-9]*?(-?[0-9]{1,6})(?:[^0-9]|$))", RE2::Latin1);
  int value = 0;
  return RE2::PartialMatch(text, first, &value) ? std::optional(value) : std::nullopt;
}

struct Wording {
  const char* words;
  const char* name;
};

constexpr std::array<Wording, 11> nvml_wordings{{
    {"version mismatch", nvml_error::lib_rm_version_mismatch},
    {"communicate with the nvidia driver", nvml_error::driver_not_loaded},
    {"driver not loaded", nvml_error::driver_not_loaded},
    {"insufficient permissions", nvml_error::no_permission},
    {"library not found", nvml_error::library_not_found},
    {"gpu is lost", nvml_error::gpu_is_lost},
    {"blocked by the operating system", nvml_error::operating_system},
    {"external power", nvml_error::insufficient_power},
    {"no devices were found", nvml_error::not_found},
    {"unknown error", nvml_error::unknown},
    {"uninitialized", nvml_error::uninitialized},
}};

}  // namespace

const std::vector<std::string>& env_allow_list() { return read_once<Variables>().names; }
const std::vector<std::string>& env_prefixes() { return read_once<EnvironmentPrefixes>().prefixes; }

bool env_allowed(std::string_view name) {
  return read_once<Variables>().rows.contains(name) ||
         std::ranges::any_of(read_once<Variables>().begins,
                             [&](const std::string& begin) { return name.starts_with(begin); });
}

const EnvValues* env_values(std::string_view name) {
  static ByName<EnvValues> read;  // caches the few variables that are used
  const Variables& all = read_once<Variables>();
  const Row* row = find_in(all.rows, name);
  for (const std::string& begin : all.begins) {
    if (row == nullptr && name.starts_with(begin)) row = find_in(all.rows, begin + "*");
  }
  if (row == nullptr) return nullptr;
  const auto known = read.find(name);
  return known != read.end() ? &known->second : &read.emplace(name, values_of(*row)).first->second;
}

const std::vector<std::string>& env_words() { return read_once<EnvironmentWords>().words; }
const std::vector<std::string>& system_folders() { return read_once<SystemFolders>().folders; }

bool env_names_hosts(std::string_view name) {
  const Row* row = find_in(read_once<Variables>().rows, name);
  return row != nullptr && row->flag_if("names_hosts");
}

const std::vector<Soname>& sonames() { return read_once<Libraries>().sonames; }
const std::vector<VersionSymbol>& version_symbols() { return read_once<Libraries>().symbols; }
const std::vector<PipPackage>& pip_packages() { return read_once<Libraries>().packages; }

std::string code_name(std::string_view api, std::int64_t code) {
  const auto row = row_of_number(api, code);
  return std::string(row ? row->name : "");
}

std::optional<Code> find_code(std::string_view apis, std::string_view printed) {
  const auto row = find_row(apis, printed);
  if (!row) return std::nullopt;
  const CodeRow usual = usual_row(*row);
  const std::string_view own = row->symptom.empty() ? usual.symptom : row->symptom;
  const std::string_view symptom = own.empty() && !row->error.empty() ? "failed gpu-api-call" : own;
  const std::size_t blank = std::min(symptom.find(' '), symptom.size());
  return Code{.name = std::string(usual.name),
              .class_ = std::string(symptom.substr(0, blank)),
              .subject = std::string(symptom.substr(std::min(blank + 1, symptom.size())))};
}

std::optional<XidMeaning> xid(std::int64_t code) { return look_up(read_once<Xids>().by_number, code); }

std::string cuda_error_name(std::string_view text) {
  if (std::string name = identifier_from(std::string(text), "CUDA_ERROR_"); !name.empty()) return name;
  if (const auto code = number_in(std::string(text))) {
    // Old programs print the stub library's answer as -1, before the driver had a name for it.
    if (*code == -1) return cuda_error::stub_library;
    for (const char* api : {"cuda_driver", "cuda_runtime"}) {
      if (std::string name = code_name(api, *code); !name.empty()) return name;
    }
  }
  return std::string(text);
}

std::string nvml_error_name(std::string_view text) {
  if (std::string name = identifier_from(std::string(text), "NVML_ERROR_"); !name.empty()) return name;
  const std::string lower = lower_case(text);
  for (const Wording& wording : nvml_wordings) {
    if (lower.find(wording.words) != std::string::npos) return wording.name;
  }
  return std::string(text);
}

}  // namespace envdoctor::knowledge

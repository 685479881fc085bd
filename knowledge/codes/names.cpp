#include "knowledge/codes/names.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "knowledge/codes/constants.h"
#include "knowledge/lazy_regex.h"
#include "knowledge/lower_case.h"
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

struct Variables {
  Table table{"env_vars"};
  ByName<Row> rows{};
  std::vector<std::string> names{};
  std::vector<std::string> begins{};  // of the rows that end in *
  std::vector<std::string> prefixes{}, words{}, folders{};

  Variables() {
    for (const Row& row : table["variables"]) rows.emplace(row.text("name"), row);
    for (const Row& row : table["words"]) add_words(words, row.text("words"));
    std::ranges::sort(words);
    for (const Row& row : table["system_folders"]) folders.push_back(row.text("folder"));
    for (const Row& row : table["prefixes"]) prefixes.push_back(row.text("prefix"));
    for (const auto& [name, row] : rows) {
      names.push_back(name);
      if (name.ends_with('*')) begins.push_back(name.substr(0, name.size() - 1));
    }
  }
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

struct CodeRow {
  std::string_view name{};
  std::optional<std::int64_t> number{};
  std::string_view symptom{};  // "missing cuda-device"
  std::string_view same_as{};
  bool error = false;  // an error of a GPU's API
};

struct Api {
  std::map<std::string_view, CodeRow> by_name{};
  std::map<std::int64_t, const CodeRow*> by_number{};
};

// Signals and similar codes say nothing about a GPU unless their row does.
bool of_system(std::string_view api) {
  return api == "signal" || api == "exit_status" || api == "windows" || api == "numba";
}

struct Codes {
  Table table{"error_codes"};  // which holds the texts of the rows
  std::map<std::string_view, Api> apis{};

  Codes() {
    const auto view_if = [](const Row& row, const char* key) { return row.has(key) ? row.view(key) : ""; };
    for (const Row& row : table["codes"]) {
      const std::string_view name = row.view("api"), kind = view_if(row, "kind");
      Api& api = apis[name];
      const auto number = row.has("code") ? std::optional(row.number("code")) : std::nullopt;
      const CodeRow code{.name = row.view("name"),
                         .number = number,
                         .symptom = view_if(row, "symptom"),
                         .same_as = view_if(row, "same_as"),
                         .error = !kind.empty() && kind != "none" && !of_system(name)};
      const auto [entry, fresh] = api.by_name.try_emplace(code.name, code);
      // Some numbers have two names (a vendor's alias); the first row has the usual name.
      if (number) api.by_number.try_emplace(*number, &entry->second);
    }
  }
};

const CodeRow* row_of_number(std::string_view name, std::int64_t number) {
  const Api* api = find_in(read_once<Codes>().apis, name);
  const auto* row = api ? find_in(api->by_number, number) : nullptr;
  return row ? *row : nullptr;
}

const CodeRow* row_of_name(std::string_view name, std::string_view code) {
  const Api* api = find_in(read_once<Codes>().apis, name);
  return api ? find_in(api->by_name, code) : nullptr;
}

const CodeRow* find_row(std::string_view apis, std::string_view printed) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(printed.data(), printed.data() + printed.size(), number);
  const bool is_number = error == std::errc{} && end == printed.data() + printed.size();
  while (!apis.empty()) {
    const std::string_view one = apis.substr(0, apis.find(' '));
    apis.remove_prefix(std::min(apis.size(), one.size() + 1));
    if (const CodeRow* row = is_number ? row_of_number(one, number) : row_of_name(one, printed)) return row;
  }
  return nullptr;
}

// CUDA's driver and runtime use the same error numbers since 10.1; before that, the runtime had only the same names.
const CodeRow& usual_row(const CodeRow& row) {
  const CodeRow* same = &row;
  if (!row.same_as.empty()) same = find_row("nvml cuda_driver", row.same_as);
  if (row.name.starts_with("cudaError")) {
    const CodeRow* runtime = row_of_name("cuda_runtime", row.name);
    if (runtime && runtime->number) same = row_of_number("cuda_driver", *runtime->number);
  }
  return same ? *same : row;
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
const std::vector<std::string>& env_prefixes() { return read_once<Variables>().prefixes; }

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

const std::vector<std::string>& env_words() { return read_once<Variables>().words; }
const std::vector<std::string>& system_folders() { return read_once<Variables>().folders; }

bool env_names_hosts(std::string_view name) {
  const Row* row = find_in(read_once<Variables>().rows, name);
  return row != nullptr && row->flag_if("names_hosts");
}

const std::vector<Soname>& sonames() { return read_once<Libraries>().sonames; }
const std::vector<VersionSymbol>& version_symbols() { return read_once<Libraries>().symbols; }
const std::vector<PipPackage>& pip_packages() { return read_once<Libraries>().packages; }

std::string code_name(std::string_view api, std::int64_t code) {
  const CodeRow* row = row_of_number(api, code);
  return std::string(row ? row->name : "");
}

std::optional<Code> find_code(std::string_view apis, std::string_view printed) {
  const CodeRow* row = find_row(apis, printed);
  if (!row) return std::nullopt;
  const CodeRow& usual = usual_row(*row);
  const std::string_view own = row->symptom.empty() ? usual.symptom : row->symptom;
  const std::string_view symptom = own.empty() && row->error ? "failed gpu-api-call" : own;
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

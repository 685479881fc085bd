// Run by the build, to compute what the program would have to compute from our tables at each start: the index of log
// patterns, the weights of the words of reports, the list of GPUs, a header with a constant for each code that a rule
// may use, and the tables without remarks, into a folder.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iostream>
#include <set>

#include "knowledge/codes/codes_index.h"
#include "knowledge/embedded_tables.h"
#include "knowledge/gpus/gpu_devices_index.h"
#include "knowledge/knowledge.h"
#include "knowledge/table_rows.h"
#include "knowledge/wordings/pattern_index.h"
#include "knowledge/wordings/resemblance_index.h"
#include "knowledge/wordings/word_list_index.h"

using namespace envdoctor;

const knowledge::Embedded knowledge::embedded_bare_tables[] = {{}};  // this program makes them

namespace {

// "CUDA_ERROR_NO_DEVICE" and "cudaErrorNoDevice" without their prefixes: "no_device".
std::string identifier(std::string_view name, std::initializer_list<std::string_view> prefixes) {
  for (const std::string_view prefix : prefixes) {
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  }
  const bool camel_case = std::ranges::any_of(name, [](unsigned char c) { return std::islower(c) != 0; });
  std::string result;
  for (const unsigned char c : name) {
    if (camel_case && std::isupper(c) != 0 && !result.empty()) result += '_';
    result += std::isalnum(c) != 0 ? static_cast<char>(std::tolower(c)) : '_';
  }
  return result == "assert" ? "assert_failed" : result;  // a macro of the standard library
}

std::string constants() {
  std::string driver, nvml, xids;
  std::set<std::int64_t> driver_codes;
  std::set<std::string> names;
  const auto add = [&names](std::string& into, const char* space, const std::string& name, const std::string& value) {
    if (names.insert(std::string(space) + name).second) into += fmt::format("inline constexpr {} = {};\n", name, value);
  };
  const knowledge::Table codes("error_codes");
  for (const knowledge::Row& row : codes["codes"]) {
    const std::string api = row.text("api"), name = row.text("name");
    const auto text = "const char* " + identifier(name, {"CUDA_", "NVML_", "ERROR_", "cudaError"});
    const auto value = '"' + name + '"';
    if (api == "nvml") add(nvml, "nvml", text, value);
    if (!row.has("code")) continue;
    if (api == "cuda_driver") {
      driver_codes.insert(row.number("code"));
      add(driver, "cuda", text, value);
    } else if (api == "cuda_runtime" && !driver_codes.contains(row.number("code"))) {
      add(driver, "cuda", text, value);
    }
  }
  const knowledge::Table numbered("xid");
  for (const knowledge::Row& row : numbered["xids"]) {
    const std::string mnemonic = row.text_if("mnemonic");
    if (!mnemonic.empty())
      add(xids, "xid", "std::int64_t " + identifier(mnemonic, {"ROBUST_CHANNEL_"}), std::to_string(row.number("xid")));
  }
  return fmt::format(R"(#pragma once
// Made by the build from error_codes.json and xid.json: a rule can't use a code that is in no table.
#include <cstdint>

namespace envdoctor::cuda_error {{  // CUresult by name; where only the runtime has the code, cudaError_t
{}}}
namespace envdoctor::nvml_error {{  // nvmlReturn_t by name
{}}}
namespace envdoctor::xid {{  // the NVIDIA kernel module's numbered errors
{}}}
)",
                     driver, nvml, xids);
}

void write(const std::string& path, const std::string& content) {
  std::ofstream file(path, std::ios::binary);
  if (!file.write(content.data(), static_cast<std::streamsize>(content.size())).flush())
    throw std::runtime_error(path + ": cannot be written");
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 10)
    throw std::runtime_error(
        "usage: write_tables WORDINGS RESEMBLANCE PLAIN_WORDS REPORT_WORDS GPUS WORDING_ROWS CODES CONSTANTS "
        "FOLDER_OF_TABLES");
  write(arguments[1], knowledge::pattern_index());
  write(arguments[2], knowledge::resemblance_index());
  write(arguments[3], knowledge::word_list_index("plain_words"));
  write(arguments[4], knowledge::word_list_index("report_words"));
  write(arguments[5], knowledge::gpu_devices_index());
  write(arguments[6], knowledge::in_lines(knowledge::table("wordings"), "patterns", {"example", "fields"}));
  write(arguments[7], knowledge::codes_index());
  write(arguments[8], constants());
  for (const std::string& name : knowledge::table_names()) {
    const bool indexed = name == "gpu_arch";  // nothing reads its lists of devices and chips beside the index
    write(arguments[9] + ("/" + name + ".json"),
          knowledge::without_remarks(knowledge::table(name),
                                     indexed ? knowledge::indexed_gpu_lists : std::vector<const char*>{}));
  }
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "knowledge/embedded_tables.h"
#include "knowledge/knowledge.h"
#include "knowledge/table_rows.h"

namespace envdoctor::knowledge {
namespace {

struct Replacement {
  std::string file{};
  std::string bytes{};
};

ByName<Replacement>& replacements() {
  static ByName<Replacement> all;
  return all;
}

}  // namespace

std::string_view bytes_of(const Embedded* roster, std::string_view name) {
  for (; roster->name != nullptr; ++roster) {
    if (name == roster->name) return {roster->begin, static_cast<std::size_t>(roster->end - roster->begin)};
  }
  return {};
}

std::vector<std::string_view> names_of(const Embedded* roster) {
  std::vector<std::string_view> names;
  for (; roster->name != nullptr; ++roster) names.emplace_back(roster->name);
  return names;
}

std::string_view table(std::string_view name) {
  const Replacement* replaced = find_in(replacements(), name);
  return replaced ? std::string_view(replaced->bytes) : bytes_of(embedded_tables, name);
}

std::string table_file(std::string_view name) {
  const Replacement* replaced = find_in(replacements(), name);
  return replaced ? replaced->file : std::string(name) + ".json";
}

bool table_is_replaced(std::string_view name) { return replacements().contains(name); }

std::vector<std::string> table_names() {
  const std::vector<std::string_view> names = names_of(embedded_tables);
  return {names.begin(), names.end()};
}

void use_folder(const std::string& folder) {
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) throw std::runtime_error(folder + ": not a folder");
  ByName<Replacement> read;
  for (const std::string& name : table_names()) {
    const std::string file = (std::filesystem::path(folder) / (name + ".json")).string();
    if (!std::filesystem::exists(std::filesystem::symlink_status(file, error))) continue;
    if (!std::filesystem::is_regular_file(file)) throw std::runtime_error(file + ": is no file");
    std::ifstream in(file, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(in), {}};
    if (!in || bytes.empty()) throw std::runtime_error(file + ": cannot be read, or is empty");
    check_table(bytes, file);
    read.emplace(name, Replacement{.file = file, .bytes = std::move(bytes)});
  }
  if (read.empty()) throw std::runtime_error(folder + ": holds none of the tables, such as gpu_arch.json");
  replacements() = std::move(read);
}

}  // namespace envdoctor::knowledge

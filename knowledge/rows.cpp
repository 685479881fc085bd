#include "knowledge/rows.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "knowledge/knowledge.h"

namespace envdoctor::knowledge {
namespace {

using Json = nlohmann::json;

const Json& json(const void* node) { return *static_cast<const Json*>(node); }

// Null if the key is missing or null.
const Json* field(const void* node, const char* key) {
  const auto found = json(node).find(key);
  return found == json(node).end() || found->is_null() ? nullptr : &*found;
}

constexpr int in_list = 2;  // depth of a record: root object, list, record

}  // namespace

void Row::wrong(const std::string& key, const char* expected) const {
  throw std::runtime_error(fmt::format("{}/{}: {} expected", place_, key, expected));
}

bool Row::has(const char* key) const { return field(node_, key) != nullptr; }

std::vector<std::string> Row::keys() const {
  std::vector<std::string> all;
  for (const auto& [key, value] : json(node_).items()) all.push_back(key);
  return all;
}

std::string Row::text(const char* key) const {
  const Json* found = field(node_, key);
  if (found == nullptr || !found->is_string()) wrong(key, "a text");
  return found->get<std::string>();
}

std::string Row::text_if(const char* key) const { return has(key) ? text(key) : std::string{}; }

std::int64_t Row::number(const char* key) const {
  const Json* found = field(node_, key);
  if (found == nullptr || !found->is_number_integer()) wrong(key, "an integer");
  return found->get<std::int64_t>();
}

bool Row::flag_if(const char* key) const {
  const Json* found = field(node_, key);
  if (found != nullptr && !found->is_boolean()) wrong(key, "true or false");
  return found != nullptr && found->get<bool>();
}

std::vector<std::string> Row::texts(const char* key) const {
  const Json* found = field(node_, key);
  if (found == nullptr) return {};
  if (!found->is_array()) wrong(key, "a list of texts");
  std::vector<std::string> all;
  for (const Json& item : *found) {
    if (!item.is_string()) wrong(fmt::format("{}/{}", key, all.size()), "a text");
    all.push_back(item.get<std::string>());
  }
  return all;
}

std::optional<Row> Row::child(const char* key) const {
  const Json* found = field(node_, key);
  if (found == nullptr || (found->is_boolean() && !found->get<bool>())) return std::nullopt;
  if (!found->is_object()) wrong(key, "an object");
  return Row(found, fmt::format("{}/{}", place_, key));
}

std::vector<Row> Row::children(const char* key) const {
  const Json* found = field(node_, key);
  if (found == nullptr) return {};
  if (!found->is_array()) wrong(key, "a list of objects");
  std::vector<Row> all;
  for (const Json& item : *found) {
    const std::string place = fmt::format("{}/{}", key, all.size());
    if (!item.is_object()) wrong(place, "an object");
    all.emplace_back(&item, fmt::format("{}/{}", place_, place));
  }
  return all;
}

void read_table(std::string_view name, const std::vector<ListReader>& readers) {
  const std::string file = table_file(name);
  const std::string_view bytes = table(name);
  const ListReader* reader = nullptr;  // of the list that the parser is in; null: nobody asked for it
  std::size_t index = 0;
  std::set<std::string_view> seen;
  // Records are handed on as they end and dropped at once, so that no tree of the whole table is built.
  const auto step = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::key && depth == 1) {
      const auto& key = parsed.get_ref<const std::string&>();
      reader = nullptr;
      index = 0;
      for (const ListReader& each : readers) {
        if (key == each.list) reader = &each;
      }
      if (reader != nullptr) seen.insert(reader->list);
      return reader != nullptr;
    }
    if (reader == nullptr || depth != in_list) return true;
    if (event == Json::parse_event_t::object_end) {
      reader->take(Row(&parsed, fmt::format("{}: at /{}/{}", file, reader->list, index++)));
      return false;
    }
    return true;
  };
  try {
    const Json rest = Json::parse(bytes.begin(), bytes.end(), step);
    if (!rest.is_object()) throw std::runtime_error(file + ": an object expected");
  } catch (const Json::exception& error) {
    throw std::runtime_error(fmt::format("{}: {}", file, error.what()));
  }
  for (const ListReader& each : readers) {
    if (!seen.contains(each.list)) throw std::runtime_error(fmt::format("{}: has no list '{}'", file, each.list));
  }
}

void check_table(std::string_view bytes, const std::string& file) {
  try {
    const Json root = Json::parse(bytes.begin(), bytes.end());
    if (!root.is_object()) throw std::runtime_error(file + ": an object expected");
    for (const auto& [key, list] : root.items()) {
      if (list.is_string()) continue;                      // description and the like
      if (list.is_object() && key == "reports") continue;  // of log_patterns, which is read by rules of its own
      if (!list.is_array()) throw std::runtime_error(fmt::format("{}: at /{}: a list expected", file, key));
      for (std::size_t i = 0; i < list.size(); ++i) {
        if (list[i].is_object()) continue;
        throw std::runtime_error(fmt::format("{}: at /{}/{}: an object expected", file, key, i));
      }
    }
  } catch (const Json::exception& error) {
    throw std::runtime_error(fmt::format("{}: {}", file, error.what()));
  }
}

}  // namespace envdoctor::knowledge

#include <nlohmann/json.hpp>

#include "evidence/json.h"
#include "evidence/process.h"

namespace envdoctor {
namespace {

using Json = nlohmann::json;

Json write(const std::string& value) { return value; }
Json write(std::int64_t value) { return value; }
Json write(double value) { return value; }
Json write(bool value) { return value; }

template <Fields T>
Json write(const T& value);
template <class T>
Json write(const std::vector<T>& values);
template <class T>
Json write(const std::map<std::string, T>& values);

// A reading that was not probed has no key at all.
template <class T>
void put(Json& object, const std::string& key, const Reading<T>& reading) {
  switch (reading.outcome()) {
    case Outcome::not_probed:
      break;
    case Outcome::absent:
      object[key] = {{"absent", reading.why()}};
      break;
    case Outcome::failed:
      object[key] = {{"failed", reading.why()}};
      break;
    case Outcome::present:
      object[key] = write(*reading.get());
      break;
  }
}

template <class T>
void put(Json& object, const std::string& key, const T& value) {
  object[key] = write(value);
}

template <Fields T>
Json write(const T& value) {
  Json object = Json::object();
  T::each(value, [&](std::string_view key, const auto& field) { put(object, std::string(key), field); });
  if constexpr (std::is_same_v<T, LogEvent>) {
    for (const auto& [key, text] : value.fields) object.emplace(key, text);
  }
  return object;
}

template <class T>
Json write(const std::vector<T>& values) {
  Json array = Json::array();
  for (const auto& value : values) array.push_back(write(value));
  return array;
}

template <class T>
Json write(const std::map<std::string, T>& values) {
  Json object = Json::object();
  for (const auto& [key, value] : values) put(object, key, value);
  return object;
}

}  // namespace

namespace {

template <class Document>
std::string text_of(const Document& value, const char* schema) {
  Json document = write(value);
  document["schema"] = schema;
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string to_json(const Snapshot& snapshot) { return text_of(snapshot, "envdoctor.snapshot/1"); }
std::string to_json(const Watched& watched) { return text_of(watched, "envdoctor.process/1"); }

}  // namespace envdoctor

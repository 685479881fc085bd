#include "evidence/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "evidence/watched_process.h"

namespace envdoctor {

namespace {

using Json = nlohmann::json;

template <class T>
Json write(const T& value) {
  return value;
}
template <Fields T>
Json write(const T& value);
template <class T>
Json write(const std::vector<T>& values);
template <class T>
Json write(const std::map<std::string, T>& values);

void put_reason(Json& object, std::string_view key, const Missing& missing) {
  if (missing.outcome == Outcome::not_probed) return;  // then the key is left out
  const char* word = missing.outcome == Outcome::absent ? "absent" : "failed";
  object[std::string(key)] = {{word, missing.why}};
}

// These two depend only on the field's type, so that each struct's list of fields compiles to plain calls.
template <class T>
void put(Json& object, std::string_view key, const Reading<T>& reading) {
  if (!reading.get()) return put_reason(object, key, reading.missing());
  object[std::string(key)] = write(*reading.get());
}

template <class T>
void put(Json& object, std::string_view key, const T& value) {
  object[std::string(key)] = write(value);
}

template <Fields T>
Json write(const T& value) {
  Json object = Json::object();
  T::each(value, [&](std::string_view key, const auto& field) { put(object, key, field); });
  if constexpr (std::is_same_v<T, Symptom>) {
    for (const auto& [key, text] : value.details) object.emplace(key, text);
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

template <class Document>
std::string text_of(const Document& value, const char* schema) {
  Json document = write(value);
  document["schema"] = schema;
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

constexpr std::size_t size_limit_mib = 64;
constexpr int depth_limit = 32;
constexpr std::size_t most_devices = 1024;  // the work grows with devices times findings

// The current place in the document, as a JSON pointer, for error messages.
struct Place {
  const Place* parent = nullptr;
  std::string step{};
  [[nodiscard]] std::string text() const { return parent ? parent->text() + "/" + step : std::string(); }
};

[[noreturn]] void reject(const Place& place, std::string_view wanted, const Json& found) {
  throw BadDocument(
      fmt::format("at {}: {} expected, {} found", place.parent ? place.text() : "the top", wanted, found.type_name()));
}

void read(const Json& json, std::string& value, const Place& place) {
  if (!json.is_string()) reject(place, "a text", json);
  json.get_to(value);
}
void read(const Json& json, std::int64_t& value, const Place& place) {
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > INT64_MAX) reject(place, "a 64-bit integer", json);
  const double number = json.is_number() ? json.get<double>() : NAN;
  if (!json.is_number_integer() && !(number == std::floor(number) && std::fabs(number) <= 9e15))
    reject(place, "an integer", json);
  json.get_to(value);
}
void read(const Json& json, double& value, const Place& place) {
  if (!json.is_number()) reject(place, "a number", json);
  json.get_to(value);
}
void read(const Json& json, bool& value, const Place& place) {
  if (!json.is_boolean()) reject(place, "true or false", json);
  json.get_to(value);
}

template <Fields T>
void read(const Json& json, T& value, const Place& place);
template <class T>
void read(const Json& json, std::vector<T>& values, const Place& place);
template <class T>
void read(const Json& json, std::map<std::string, T>& values, const Place& place);

// {"absent": why} or {"failed": why} and nothing beside it, or null for what was not probed.
std::optional<Missing> reason_in(const Json& json) {
  if (json.is_null()) return Missing{};
  if (!json.is_object() || json.size() != 1 || !json.begin()->is_string()) return std::nullopt;
  const std::string& word = json.begin().key();
  if (word != "absent" && word != "failed") return std::nullopt;
  const auto& why = json.begin()->get_ref<const std::string&>();
  return word == "absent" ? absent(why) : failed(why);
}

template <class T>
void read(const Json& json, Reading<T>& reading, const Place& place) {
  if (auto reason = reason_in(json)) return reading.lack(std::move(*reason));
  read(json, reading.fill(), place);
}

template <class T>
void read_member(const Json& json, std::string_view key, T& field, const Place& place) {
  if (const auto found = json.find(key); found != json.end()) read(*found, field, Place{&place, std::string(key)});
}

template <Fields T>
void read(const Json& json, T& value, const Place& place) {
  if constexpr (std::is_same_v<T, Module>) {  // a plain string means {"name": …}
    if (json.is_string()) return read(json, value.name, place);
  }
  if (!json.is_object()) reject(place, "an object", json);
  T::each(value, [&](std::string_view key, auto& field) { read_member(json, key, field, place); });
  if constexpr (std::is_same_v<T, Symptom>) {
    if (json.contains("event") && !json.contains("class"))
      throw BadDocument(fmt::format(
          "at {}: the log is in the form of before 2026-11-22 (\"event\" instead of \"class\" and \"subject\"), which "
          "is no longer read; run 'envdoctor capture' or 'envdoctor diagnose --log' again",
          place.text()));
    for (const auto& [name, field] : json.items()) {
      if (field.is_string()) value.details[name] = field.template get<std::string>();
    }
    T::each(value, [&](std::string_view key, auto& /*field*/) { value.details.erase(std::string(key)); });
  }
}

template <class T>
void read(const Json& json, std::vector<T>& values, const Place& place) {
  if (!json.is_array()) reject(place, "a list", json);
  values = std::vector<T>(json.size());
  for (std::size_t i = 0; i < json.size(); ++i) read(json[i], values[i], Place{&place, std::to_string(i)});
}

template <class T>
void read(const Json& json, std::map<std::string, T>& values, const Place& place) {
  if (!json.is_object()) reject(place, "an object", json);
  values.clear();
  for (const auto& [key, item] : json.items()) read(item, values[key], Place{&place, key});
}

template <class T>
T read_as(const Json& json, const Place& place) {
  T value;
  read(json, value, place);
  return value;
}

// Calls `reading` and adds the source to its errors.
template <class Read>
auto named(const std::string& source, const Read& reading) {
  try {
    return reading();
  } catch (const std::exception& error) {
    throw BadDocument(source + ": " + error.what());
  }
}

// Checked before the parser runs: the parser's own callback walks every list once per element.
void limit_depth(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') quoted = !quoted;
    if (quoted && c == '\\') ++i;
    if (quoted) continue;
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (depth > depth_limit) throw BadDocument(fmt::format("nested deeper than {} levels", depth_limit));
  }
}

Json parse(std::string_view text) {
  if (text.size() > size_limit_mib << 20) throw BadDocument(fmt::format("larger than {} MiB", size_limit_mib));
  limit_depth(text);
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    const std::string_view what = error.what();
    const auto start = what.find("parse error");
    throw BadDocument(std::string(start == what.npos ? what : what.substr(start)));
  }
}

}  // namespace

std::string to_json(const Snapshot& snapshot) { return text_of(snapshot, "envdoctor.snapshot/1"); }
std::string to_json(const Watched& watched) { return text_of(watched, "envdoctor.process/1"); }

Snapshot snapshot_from_json(std::string_view text, const std::string& source) {
  return named(source, [&] {
    Json document = parse(text);
    const Place top{};
    if (!document.is_object()) reject(top, "an object", document);
    Place place{};
    if (document.value("schema", Json()) == "envdoctor.report/1") {
      if (!document.contains("snapshot")) throw BadDocument("a report that embeds no snapshot");
      document = Json(document["snapshot"]);
      place = Place{&top, "snapshot"};
    }
    if (!document.is_object()) reject(place, "an object", document);
    const Json schema = document.value("schema", Json());
    if (schema != "envdoctor.snapshot/1")
      throw BadDocument(fmt::format("at /schema: \"envdoctor.snapshot/1\" expected, {} found",
                                    schema.dump(-1, ' ', false, Json::error_handler_t::replace)));
    Snapshot snapshot = read_as<Snapshot>(document, place);
    if (snapshot.pci.or_empty().size() > most_devices)
      throw BadDocument(fmt::format("at {}/pci: more than {} devices", place.text(), most_devices));
    return snapshot;
  });
}

Snapshot snapshot_with(const std::string& pointer, const std::string& text) {
  Json value = text;
  if (text == "true" || text == "false") value = text == "true";
  if (text.starts_with('[') && text.ends_with(']')) {
    value = Json::array();
    std::istringstream words(text.substr(1, text.size() - 2));
    for (std::string word; words >> word;) value.push_back(word);
  }
  return named(pointer, [&] {
    Json document = Json::object();
    document[Json::json_pointer(pointer)] = std::move(value);
    return read_as<Snapshot>(document, Place{});
  });
}

Watched watched_from_json(std::string_view text, const std::string& source) {
  return named(source, [&] { return read_as<Watched>(parse(text), Place{}); });
}

Text json_text(std::string_view json, const std::string& pointer) {
  constexpr std::ptrdiff_t deepest = 1000;  // brackets in all; the parser recurses
  if (std::ranges::count_if(json, [](char c) { return c == '[' || c == '{'; }) > deepest)
    return failed("not JSON that a person wrote");
  const auto parsed = Json::parse(json.begin(), json.end(), nullptr, false);
  if (parsed.is_discarded()) return failed("not JSON");
  const Json::json_pointer where(pointer);
  if (!parsed.contains(where)) return absent("no " + pointer);
  const auto& found = parsed.at(where);
  if (!found.is_string()) return failed(pointer + " is no text");
  return found.get<std::string>();
}

namespace {

// Collects a document's values while parsing (SAX), so that memory use stays below the size of the text.
class ValueTaker : public nlohmann::json_sax<Json> {
 public:
  std::map<std::string, std::string> values{};

  bool null() override { return take(""); }
  bool boolean(bool value) override { return take(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { return take(std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override { return take(std::to_string(value)); }
  bool number_float(number_float_t, const string_t& text) override { return take(text); }
  bool string(string_t& text) override { return take(text); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return enter(false); }
  bool start_array(std::size_t) override { return enter(true); }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }
  bool key(string_t& name) override {
    place_.resize(levels_.back().place);
    place_ += '/';
    for (const char c : name.substr(0, 200)) place_ += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    return true;
  }

 private:
  struct Level {
    bool array = false;
    std::size_t place = 0;  // length of this level's JSON pointer
    std::size_t next = 0;
  };

  void next_element() {
    if (levels_.empty() || !levels_.back().array) return;
    place_.resize(levels_.back().place);
    place_ += '/' + std::to_string(levels_.back().next++);
  }
  bool enter(bool array) {
    next_element();
    levels_.push_back({.array = array, .place = place_.size()});
    return levels_.size() <= 32;
  }
  bool leave() {
    levels_.pop_back();
    return true;
  }
  bool take(const std::string& value) {
    next_element();
    values.emplace(place_, value.substr(0, 4096));
    return values.size() < 100'000;
  }

  std::string place_{};
  std::vector<Level> levels_{};
};

}  // namespace

std::map<std::string, std::string> json_values(std::string_view text) {
  ValueTaker taker;
  (void)Json::sax_parse(text.begin(), text.end(), &taker, Json::input_format_t::json, false);
  return std::move(taker.values);
}

}  // namespace envdoctor

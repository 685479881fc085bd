// docs/schema/snapshot-1.json follows from the same field lists as reading and writing, so it can't drift from them.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "evidence/json.h"
#include "tests/support/golden.h"
#include "tests/support/paths.h"

namespace envdoctor::schema_test {
namespace {

using Json = nlohmann::ordered_json;

Json schema_of(const std::string&) { return {{"type", "string"}}; }
Json schema_of(std::int64_t) { return {{"type", "integer"}}; }
Json schema_of(double) { return {{"type", "number"}}; }
Json schema_of(bool) { return {{"type", "boolean"}}; }
template <class T>
Json schema_of(const Reading<T>&);
template <class T>
Json schema_of(const std::vector<T>&);
template <class T>
Json schema_of(const std::map<std::string, T>&);

template <Fields T>
Json schema_of(const T& value) {
  Json properties = Json::object();
  T::each(value, [&](std::string_view key, const auto& field) { properties[std::string(key)] = schema_of(field); });
  Json schema = {{"type", "object"}, {"properties", properties}};
  if constexpr (std::is_same_v<T, Symptom>) {
    schema["required"] = {"class", "subject"};
    schema["additionalProperties"] = {{"type", "string"}};
    schema["description"] =
        "What a line of a log says that has no field of its own; further keys are details of the line.";
  }
  return schema;
}

template <class T>
Json schema_of(const Reading<T>&) {
  Json any = Json::array({schema_of(T{}), {{"$ref", "#/definitions/reason"}}});
  if constexpr (std::is_same_v<T, Module>) any.push_back({{"type", "string"}});
  if constexpr (Fields<T>) {
    // An object that is no reason: else every reason would also be an object with unknown keys.
    any[0]["not"] = {{"$ref", "#/definitions/reason"}};
    return {{"oneOf", any}};
  }
  return {{"anyOf", any}};
}

template <class T>
Json schema_of(const std::vector<T>&) {
  Json item = schema_of(T{});
  if constexpr (std::is_same_v<T, Module>) item = {{"anyOf", {item, {{"type", "string"}}}}};
  return {{"type", "array"}, {"items", item}};
}

template <class T>
Json schema_of(const std::map<std::string, T>&) {
  return {{"type", "object"}, {"additionalProperties", schema_of(T{})}};
}

TEST(SnapshotSchema, FollowsFromTheFieldLists) {
  Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                 {"title", "All the evidence of one host at one time"},
                 {"description",
                  "A missing key means not known, never 'no'. In place of any value may stand {\"absent\": WHY} "
                  "(the host has none) or {\"failed\": WHY} (reading it failed)."}};
  schema["definitions"]["reason"] = Json::parse(R"({"type": "object", "minProperties": 1, "maxProperties": 1,
    "properties": {"absent": {"type": "string"}, "failed": {"type": "string"}}, "additionalProperties": false})");
  const Json body = schema_of(Snapshot{});
  schema["type"] = "object";
  schema["required"] = {"schema"};
  schema["properties"] = {{"schema", {{"const", "envdoctor.snapshot/1"}}}};
  schema["properties"].update(body["properties"]);
  expect_golden(std::string(source_folder) + "/docs/schema/snapshot-1.json", schema.dump(1) + "\n");
}

}  // namespace
}  // namespace envdoctor::schema_test

#include "knowledge/table_rows.h"

#include <fmt/format.h>
#ifdef __SSE2__
#define RAPIDJSON_SSE2  // texts are scanned sixteen characters at a time
#endif
#include <rapidjson/document.h>
#include <rapidjson/error/en.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <stdexcept>

#include "knowledge/embedded_tables.h"
#include "knowledge/knowledge.h"

namespace envdoctor::knowledge {
namespace {

using Value = rapidjson::Value;

const Value& value(const void* node) { return *static_cast<const Value*>(node); }

// Null if the key is missing or null.
const Value* field(const void* node, const char* key) {
  const auto found = value(node).FindMember(key);
  return found == value(node).MemberEnd() || found->value.IsNull() ? nullptr : &found->value;
}

std::string text_of(const Value& text) { return {text.GetString(), text.GetStringLength()}; }

void remove_remarks(Value& value) {
  if (value.IsArray()) {
    for (Value& item : value.GetArray()) remove_remarks(item);
  } else if (value.IsObject()) {
    for (const char* remark : {"source", "confidence", "note", "notes", "causes_confidence", "read_by", "pitfalls"})
      value.EraseMember(remark);
    for (auto& [key, member] : value.GetObject()) remove_remarks(member);
  }
}

std::string written(const Value& value) {
  rapidjson::StringBuffer out;
  rapidjson::Writer<rapidjson::StringBuffer> writer(out);
  value.Accept(writer);
  return {out.GetString(), out.GetSize()};
}

// The build has removed the remarks of our own tables.
std::string_view bytes_to_read(std::string_view name, Remarks remarks) {
  if (remarks == Remarks::kept || table_is_replaced(name)) return table(name);
  const std::string_view bare = bytes_of(embedded_bare_tables, name);
  return bare.empty() ? table(name) : bare;
}

// `bytes`: a copy from before they were parsed in place.
void require_object(const rapidjson::Document& tree, const std::string& file, std::string_view bytes) {
  if (tree.HasParseError()) {
    const auto line = 1 + std::ranges::count(bytes.substr(0, tree.GetErrorOffset()), '\n');
    throw std::runtime_error(fmt::format("{}: at line {}: {}", file, line, GetParseError_En(tree.GetParseError())));
  }
  if (!tree.IsObject()) throw std::runtime_error(file + ": an object expected");
}

}  // namespace

void Row::wrong(const std::string& key, const char* expected) const {
  throw std::runtime_error(
      fmt::format("{}: at /{}/{}{}/{}: {} expected", *file_, list_, index_, within_, key, expected));
}

bool Row::has(const char* key) const { return field(node_, key) != nullptr; }

std::string_view Row::view(const char* key) const {
  const Value* found = field(node_, key);
  if (found == nullptr || !found->IsString()) wrong(key, "a text");
  return {found->GetString(), found->GetStringLength()};
}

std::string Row::text(const char* key) const { return std::string(view(key)); }

std::string Row::text_if(const char* key) const { return has(key) ? text(key) : std::string{}; }

std::int64_t Row::number(const char* key) const {
  const Value* found = field(node_, key);
  if (found == nullptr || !found->IsInt64()) wrong(key, "an integer");
  return found->GetInt64();
}

bool Row::flag_if(const char* key) const {
  const Value* found = field(node_, key);
  if (found != nullptr && !found->IsBool()) wrong(key, "true or false");
  return found != nullptr && found->GetBool();
}

std::vector<std::string> Row::texts(const char* key) const {
  const Value* found = field(node_, key);
  if (found == nullptr) return {};
  if (!found->IsArray()) wrong(key, "a list of texts");
  std::vector<std::string> all;
  for (const Value& item : found->GetArray()) {
    if (!item.IsString()) wrong(fmt::format("{}/{}", key, all.size()), "a text");
    all.push_back(text_of(item));
  }
  return all;
}

std::optional<Row> Row::child(const char* key) const {
  const Value* found = field(node_, key);
  if (found == nullptr || (found->IsBool() && !found->GetBool())) return std::nullopt;
  if (!found->IsObject()) wrong(key, "an object");
  return Row(found, *file_, list_, index_, fmt::format("{}/{}", within_, key));
}

std::vector<Row> Row::children(const char* key) const {
  const Value* found = field(node_, key);
  if (found == nullptr) return {};
  if (!found->IsArray()) wrong(key, "a list of objects");
  std::vector<Row> all;
  for (const Value& item : found->GetArray()) {
    const std::string place = fmt::format("{}/{}", key, all.size());
    if (!item.IsObject()) wrong(place, "an object");
    all.emplace_back(&item, *file_, list_, index_, fmt::format("{}/{}", within_, place));
  }
  return all;
}

std::map<std::string, std::string> Row::texts_by_key(const char* key) const {
  std::map<std::string, std::string> all;
  if (const auto object = child(key)) {
    for (const auto& member : value(object->node_).GetObject())
      all.emplace(text_of(member.name), object->text(member.name.GetString()));
  }
  return all;
}

Table::Table(std::string_view name, Remarks remarks) : Table(table_file(name), bytes_to_read(name, remarks)) {}

Table::Table(std::string file, std::string_view bytes) : file_(std::move(file)), bytes_(bytes) {
  // Parses a copy in place, so its texts become the values. SSE reads up to sixteen characters beyond its end.
  bytes_.append(16, '\0');
  const auto tree = std::make_shared<rapidjson::Document>();
  tree->ParseInsitu<rapidjson::kParseIterativeFlag>(bytes_.data());
  require_object(*tree, file_, bytes);
  tree_ = std::static_pointer_cast<const Value>(tree);
}

std::string without_remarks(std::string_view bytes, const std::vector<const char*>& lists) {
  rapidjson::Document tree;
  tree.Parse(bytes.data(), bytes.size());
  for (const char* list : lists) tree.EraseMember(list);
  remove_remarks(tree);
  return written(tree);
}

std::string in_lines(std::string_view bytes, const char* list, const std::vector<const char*>& unread) {
  rapidjson::Document tree;
  tree.Parse(bytes.data(), bytes.size());
  remove_remarks(tree);
  Value records = std::move(tree[list]);
  tree.EraseMember(list);
  std::string lines = written(tree) + '\n';
  for (Value& record : records.GetArray()) {
    for (const char* key : unread) record.EraseMember(key);
    lines += fmt::format(R"({{"{}":[{}]}})", list, written(record)) + '\n';
  }
  return lines;
}

void check_table(std::string_view bytes, const std::string& file) {
  rapidjson::Document tree;
  tree.Parse<rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag>(bytes.data(), bytes.size());
  require_object(tree, file, bytes);
  for (const auto& [key, list] : tree.GetObject()) {
    if (list.IsString()) continue;  // description and the like
    if (!list.IsArray()) throw std::runtime_error(fmt::format("{}: at /{}: a list expected", file, text_of(key)));
    for (rapidjson::SizeType i = 0; i < list.Size(); ++i) {
      if (!list[i].IsObject())
        throw std::runtime_error(fmt::format("{}: at /{}/{}: an object expected", file, text_of(key), i));
    }
  }
}

std::vector<Row> Table::operator[](const char* list) const {
  const Value* records = field(tree_.get(), list);
  if (records == nullptr) throw std::runtime_error(fmt::format("{}: has no list '{}'", file_, list));
  if (!records->IsArray()) throw std::runtime_error(fmt::format("{}: at /{}: a list expected", file_, list));
  std::vector<Row> rows;
  rows.reserve(records->Size());
  for (const Value& record : records->GetArray()) {
    if (!record.IsObject())
      throw std::runtime_error(fmt::format("{}: at /{}/{}: an object expected", file_, list, rows.size()));
    rows.emplace_back(&record, file_, list, rows.size());
  }
  return rows;
}

}  // namespace envdoctor::knowledge

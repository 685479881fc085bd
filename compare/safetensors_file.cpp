// The .safetensors format: eight bytes of length, a JSON object of that length, then the tensors' bytes end to end
// (huggingface.co/docs/safetensors). As in the reference reader, every byte belongs to exactly one tensor.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "compare/array_sources.h"

namespace envdoctor::compare {
namespace {

constexpr std::uint64_t most_header = 16 << 20;

struct Tensor {
  std::string name{};
  Header header{};
  std::uint64_t begin = 0, end = 0;  // within the bytes after the header
};

const std::map<std::string, const char*>& tensor_types() {
  static const std::map<std::string, const char*> types = {
      {"BOOL", "bool"},          {"U8", "uint8"},      {"I8", "int8"},
      {"I16", "int16"},          {"U16", "uint16"},    {"I32", "int32"},
      {"U32", "uint32"},         {"I64", "int64"},     {"U64", "uint64"},
      {"F16", "float16"},        {"BF16", "bfloat16"}, {"F32", "float32"},
      {"F64", "float64"},        {"C64", "complex64"}, {"F8_E4M3", "float8_e4m3fn"},
      {"F8_E5M2", "float8_e5m2"}};
  return types;
}

// Flat except for the lists of a shape and of two offsets; a repeated key is refused, because some readers take the
// first and others the last.
nlohmann::json parse_directory(const std::string& text, const std::string& path) {
  std::vector<std::set<std::string>> keys;
  const auto watch = [&](int depth, nlohmann::json::parse_event_t event, nlohmann::json& value) {
    using Event = nlohmann::json::parse_event_t;
    if (depth > 3) throw BadArray(path + ": the header is nested deeper than tensors, their keys and lists");
    if (event == Event::object_start) keys.emplace_back();
    if (event == Event::object_end) keys.pop_back();
    if (event == Event::key && !keys.back().insert(value.get<std::string>()).second)
      throw BadArray(fmt::format("{}: the header states {} twice", path, value.dump()));
    return true;
  };
  try {
    return nlohmann::json::parse(text, watch);
  } catch (const nlohmann::json::exception& error) {
    throw BadArray(fmt::format("{}: the header is no JSON: {}", path, error.what()));
  }
}

std::vector<std::int64_t> whole_numbers(const nlohmann::json& entry, const char* key, const std::string& name) {
  const auto list = entry.find(key);
  const auto whole = [](const nlohmann::json& n) {
    return n.is_number_unsigned() && n.get<std::uint64_t>() <= std::uint64_t{1} << 62;
  };
  if (list == entry.end() || !list->is_array() || !std::ranges::all_of(*list, whole))
    throw BadArray(fmt::format("{}: at {}: not a list of whole numbers", name, key));
  return list->get<std::vector<std::int64_t>>();
}

Tensor tensor_of(const std::string& key, const nlohmann::json& entry, const std::string& name) {
  if (!entry.is_object()) throw BadArray(name + ": not an object of dtype, shape and data_offsets");
  const std::string type = entry.contains("dtype") && entry["dtype"].is_string() ? entry["dtype"] : "";
  const auto named = tensor_types().find(type);
  if (named == tensor_types().end()) throw BadArray(fmt::format("{}: cannot compare numbers of type '{}'", name, type));
  Tensor tensor{key, header_of(*type_named(named->second), whole_numbers(entry, "shape", name), name)};
  const auto offsets = whole_numbers(entry, "data_offsets", name);
  const auto needed = tensor.header.count * tensor.header.type.bytes;
  if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] - offsets[0] != needed)
    throw BadArray(
        fmt::format("{}: at data_offsets: its shape needs {} bytes, and they state another number", name, needed));
  tensor.begin = static_cast<std::uint64_t>(offsets[0]);
  tensor.end = static_cast<std::uint64_t>(offsets[1]);
  return tensor;
}

}  // namespace

Arrays safetensors_arrays(const std::string& path) {
  FileSource file(path);
  const std::uint64_t size = file.left().value_or(0);
  unsigned char start[8] = {};
  if (file.read(reinterpret_cast<char*>(start), 8) != 8) throw BadArray(path + ": ends inside its first 8 bytes");
  std::uint64_t length = 0;
  for (std::size_t i = 8; i-- > 0;) length = length << 8 | start[i];
  if (length > std::min(most_header, size - 8))
    throw BadArray(fmt::format("{}: at byte 0: a header of {} bytes, and {} follow (at most {} are taken)", path,
                               length, size - 8, most_header));
  std::string text(length, '\0');
  if (file.read(text.data(), length) != length) throw BadArray(path + ": ends inside its header");
  const nlohmann::json directory = parse_directory(text, path);
  if (!directory.is_object()) throw BadArray(path + ": the header is no JSON object");
  std::vector<Tensor> tensors;
  for (const auto& [key, entry] : directory.items()) {
    if (key == "__metadata__") continue;
    tensors.push_back(tensor_of(key, entry, path + ":" + key));
    if (tensors.size() > most_arrays) throw BadArray(fmt::format("{}: more than {} arrays", path, most_arrays));
  }
  if (tensors.empty()) throw BadArray(path + ": contains no tensor");
  std::ranges::sort(tensors, {}, [](const Tensor& t) { return std::tuple(t.begin, t.end); });
  std::uint64_t end = 0;
  for (const Tensor& tensor : tensors) {
    if (tensor.begin != end)
      throw BadArray(fmt::format("{}:{}: at data_offsets: begins at byte {}, and the tensors before it end at {}", path,
                                 tensor.name, tensor.begin, end));
    end = tensor.end;
  }
  if (end != size - 8 - length)
    throw BadArray(fmt::format("{}: its tensors need {} bytes, and {} are there: it was cut, or the header is wrong",
                               path, end, size - 8 - length));
  Arrays arrays;
  for (const Tensor& tensor : tensors) {
    arrays[tensor.name] = [path, tensor, first = 8 + length]() -> ArrayReader {
      return {path + ":" + tensor.name, tensor.header,
              std::make_unique<FileSource>(path, first + tensor.begin, tensor.end - tensor.begin)};
    };
  }
  return arrays;
}

}  // namespace envdoctor::compare

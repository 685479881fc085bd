#pragma once
// The records of a table, one at a time, each field read with its type. Used by the look-ups beside it only.
//
// A table is one JSON object of lists of records. Whatever doesn't fit throws std::runtime_error naming file and place:
// "gpu_arch.json: at /nvidia_devices/3/id: a text expected".
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace envdoctor::knowledge {

class Row {
 public:
  // `node`, `list` and what they refer to live as long as the row is used.
  Row(const void* node, std::string_view list, std::size_t index, std::string within = {})
      : node_(node), list_(list), index_(index), within_(std::move(within)) {}
  [[nodiscard]] std::string text(const char* key) const;                // must be there
  [[nodiscard]] std::string text_if(const char* key) const;             // missing or null: empty
  [[nodiscard]] std::int64_t number(const char* key) const;             // must be there
  [[nodiscard]] bool flag_if(const char* key) const;                    // missing or null: false
  [[nodiscard]] std::vector<std::string> texts(const char* key) const;  // missing or null: none
  [[nodiscard]] std::optional<Row> child(const char* key) const;        // an object; missing, null or false: none
  [[nodiscard]] std::vector<Row> children(const char* key) const;       // a list of objects
  [[nodiscard]] bool has(const char* key) const;                        // there and not null
  [[nodiscard]] std::vector<std::string> keys() const;
  // An object of texts; missing or null: none.
  [[nodiscard]] std::map<std::string, std::string> texts_by_key(const char* key) const;

  // Throws std::runtime_error: what stands there isn't what is expected.
  [[noreturn]] void wrong(const std::string& key, const char* expected) const;

 private:
  const void* node_;
  std::string_view list_;  // "gpu_arch.json: at /nvidia_devices"
  std::size_t index_;      // of the record in it
  std::string within_;     // the record: "/key/0"
};

struct ListReader {
  const char* list;
  std::function<void(const Row&)> take;
};

// Every record of these lists, list by list as the readers are given. A list that isn't there is an error.
void read_table(std::string_view name, const std::vector<ListReader>& readers);

// The file that table(name) comes from, for messages.
std::string table_file(std::string_view name);
bool table_is_replaced(std::string_view name);
// Throws unless `bytes` are a table.
void check_table(std::string_view bytes, const std::string& file);

}  // namespace envdoctor::knowledge

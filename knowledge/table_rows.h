#pragma once
// The records of a table, one at a time, each field read with its type. Used only by the look-ups in this wing.
//
// A table is one JSON object of lists of records. Malformed content throws std::runtime_error naming file and place:
// "gpu_arch.json: at /nvidia_devices/3/id: a text expected".
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace envdoctor::knowledge {

// A record, or an object in one. Must not outlive its table.
class Row {
 public:
  Row(const void* node, const std::string& file, const char* list, std::size_t index, std::string within = {})
      : node_(node), file_(&file), list_(list), index_(index), within_(std::move(within)) {}
  [[nodiscard]] std::string text(const char* key) const;                // required
  [[nodiscard]] std::string_view view(const char* key) const;           // required; lives as long as the table
  [[nodiscard]] std::string text_if(const char* key) const;             // missing or null: empty
  [[nodiscard]] std::int64_t number(const char* key) const;             // required
  [[nodiscard]] bool flag_if(const char* key) const;                    // missing or null: false
  [[nodiscard]] std::vector<std::string> texts(const char* key) const;  // missing or null: none
  [[nodiscard]] std::optional<Row> child(const char* key) const;        // an object; missing, null or false: none
  [[nodiscard]] std::vector<Row> children(const char* key) const;       // a list of objects
  [[nodiscard]] bool has(const char* key) const;                        // present and not null
  // An object of texts; missing or null: none.
  [[nodiscard]] std::map<std::string, std::string> texts_by_key(const char* key) const;

  // Throws std::runtime_error: the value is not of the expected type.
  [[noreturn]] void wrong(const std::string& key, const char* expected) const;

 private:
  const void* node_;
  const std::string* file_;
  const char* list_;
  std::size_t index_;   // the record's index in it
  std::string within_;  // the record's place: "/key/0"
};

// What only people read: where a fact is from, how sure it is, notes.
enum class Remarks { left_out, kept };

class Table {
 public:
  explicit Table(std::string_view name, Remarks remarks = Remarks::left_out);
  Table(std::string file, std::string_view bytes);  // of bytes that have been checked; the file's name is for messages
  // Every record of a list. A missing list is an error.
  [[nodiscard]] std::vector<Row> operator[](const char* list) const;

 private:
  std::string file_;
  std::string bytes_;  // which hold the texts of the tree
  std::shared_ptr<const void> tree_;
};

// The data that `Read`'s constructor takes from a table, which is read at first use.
template <class Read>
const Read& read_once() {
  static const Read all;
  return all;
}

// The value at a key; null: none.
template <class Map, class Key>
const typename Map::mapped_type* find_in(const Map& map, const Key& key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}
template <class Map, class Key>
std::optional<typename Map::mapped_type> look_up(const Map& map, const Key& key) {
  const auto* found = find_in(map, key);
  return found ? std::optional(*found) : std::nullopt;
}
template <class Value>
using ByName = std::map<std::string, Value, std::less<>>;

// The file that table(name) comes from, for messages.
std::string table_file(std::string_view name);
bool table_is_replaced(std::string_view name);
// The bytes of a table, which is valid, without its remarks and these lists.
std::string without_remarks(std::string_view bytes, const std::vector<const char*>& lists = {});
// The bytes of a table, which is valid, in lines: a table of all but this list, then one of each of its records alone,
// without the keys that nobody reads there. A program then reads only the records that it needs.
std::string in_lines(std::string_view bytes, const char* list, const std::vector<const char*>& unread);
// Throws unless `bytes` is a valid table.
void check_table(std::string_view bytes, const std::string& file);

}  // namespace envdoctor::knowledge

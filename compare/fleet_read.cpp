// Reads one report event by event (SAX), without building a tree.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "compare/fleet.h"
#include "evidence/lines.h"
#include "knowledge/differences.h"

namespace envdoctor::compare {
namespace {

constexpr std::size_t depth_limit = 32, size_limit_mib = 64;
constexpr std::string_view verdicts[] = {"pass", "warn", "fail", "incomplete"};

}  // namespace

class FleetReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  FleetReader(Fleet& fleet, Fleet::Member& member, std::uint32_t host) : fleet_(fleet), member_(member), host_(host) {}

  bool null() override { return place(); }
  bool boolean(bool value) override { return take({value ? "true" : "false"}); }
  bool number_integer(number_integer_t value) override { return take({{}, static_cast<double>(value)}); }
  bool number_unsigned(number_unsigned_t value) override { return take({{}, static_cast<double>(value)}); }
  bool number_float(number_float_t value, const string_t&) override { return take({{}, value}); }
  bool string(string_t& value) override { return take({value}); }
  bool binary(binary_t&) override { return place(); }
  bool start_object(std::size_t) override { return open(false); }
  bool start_array(std::size_t) override { return open(true); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    path_.resize(frames_.back().path_size);
    path_.append("/").append(name);
    return true;
  }

  bool parse_error(std::size_t at, const std::string&, const nlohmann::json::exception&) override {
    wrong_ = fmt::format("at byte {}: no JSON", at);
    return false;
  }

  [[nodiscard]] std::string wrong() const {
    if (!wrong_.empty()) return wrong_;
    if (schema_ != "envdoctor.report/1")
      return schema_ == "envdoctor.snapshot/1"
                 ? "a snapshot, not a report: 'envdoctor diagnose --format json' makes one"
             : schema_.starts_with("envdoctor.report/")
                 ? "of another version: " + schema_.substr(0, 40) + ", and envdoctor.report/1 is read here"
                 : "no envdoctor report";
    if (std::ranges::find(verdicts, member_.verdict) != std::end(verdicts)) return "";
    const std::string& verdict = member_.verdict;
    return fmt::format("at /verdict: {}; it must be one of {}",
                       verdict.empty() ? "missing" : "'" + shortened(verdict, 40) + "'", fmt::join(verdicts, ", "));
  }
  // Only a complete report counts.
  void keep() {
    for (const auto& [column, value] : kept_) fleet_.columns_[static_cast<std::size_t>(column)].push_back(value);
  }

 private:
  struct Frame {
    std::size_t path_size = 0;
    bool list = false;
    int index = 0;
  };
  struct Scalar {
    std::string text{};
    std::optional<double> number{};
  };

  // The place of the next value: in a list the next index.
  bool place() {
    if (frames_.empty() || !frames_.back().list) return true;
    path_.resize(frames_.back().path_size);
    path_.append("/").append(std::to_string(frames_.back().index++));
    return true;
  }

  bool open(bool list) {
    place();
    if (frames_.size() >= depth_limit) {
      wrong_ = fmt::format("nested deeper than {} levels", depth_limit);
      return false;
    }
    frames_.push_back({path_.size(), list, 0});
    if (!is_member()) return true;
    member_size_ = path_.size();
    fields_.clear();
    return true;
  }

  bool close() {
    path_.resize(frames_.back().path_size);
    if (is_member()) end_member();
    frames_.pop_back();
    return true;
  }

  bool take(const Scalar& scalar) {
    place();
    if (path_ == "/schema") schema_ = scalar.text;
    if (path_ == "/verdict") member_.verdict = scalar.text;
    if (path_.starts_with("/findings/") || named_list()) {
      const std::string field = path_.size() > member_size_ ? path_.substr(member_size_ + 1) : "";
      if (field.find('/') == field.npos || field.starts_with("size/") || field == "rate/value") fields_[field] = scalar;
    } else if (path_.starts_with("/snapshot/")) {
      put(path_.substr(9), scalar);
    }
    return true;
  }

  // Lists whose members are identified by name: /snapshot/libraries/3, modules, and the kernels' results.
  [[nodiscard]] bool named_list() const {
    return path_.starts_with("/snapshot/libraries/") || path_.starts_with("/snapshot/modules/") ||
           path_.starts_with("/snapshot/compute/");
  }

  // A finding, a library or a kernel's result: `fields_` holds its values, such as "id" and "rate/value".
  [[nodiscard]] bool is_member() const {
    return (frames_.size() == 3 && path_.starts_with("/findings/")) || (frames_.size() == 4 && named_list());
  }

  void put(const std::string& path, const Scalar& scalar) {
    if (path.ends_with("/absent") || path.ends_with("/failed")) return;  // the reason for a missing value is no value
    const int column = fleet_.column(path);
    if (column < 0) return;
    const std::uint32_t word = scalar.number ? Fleet::Value::no_text : fleet_.text_number(scalar.text.substr(0, 200));
    kept_.emplace_back(column, Fleet::Value{host_, word, scalar.number.value_or(0)});
  }

  void end_member() {
    const auto text = [&](const char* field) { return fields_[field].text; };
    if (path_.starts_with("/findings/")) {
      if (text("root") == "true" && text("severity") != "info") member_.roots.push_back({text("id"), text("severity")});
    } else if (path_.starts_with("/snapshot/libraries/")) {
      if (fields_.contains("version") && text("found") == "true" && !fields_.contains("shadowed_by"))
        put("/libraries/" + text("soname") + "/version", fields_["version"]);
    } else if (path_.starts_with("/snapshot/modules/")) {
      if (fields_.contains("version")) put("/modules/" + text("name") + "/version", fields_["version"]);
    } else if (fields_["rate/value"].number) {
      // Rates are compared only for the same work: "gemm fp32 k=1024 m=1 n=1024 with copies cuda:0".
      std::string work = text("kernel") + " " + text("precision");
      for (const auto& [field, value] : fields_) {
        if (field.starts_with("size/") && value.number) work += fmt::format(" {}={}", field.substr(5), *value.number);
      }
      for (const char* field : {"variant", "device"}) work += (text(field).empty() ? "" : " ") + text(field);
      put("/compute/" + work + "/rate", fields_["rate/value"]);
    }
  }

  Fleet& fleet_;
  Fleet::Member& member_;
  std::uint32_t host_;
  std::string path_{}, schema_{}, wrong_{};
  std::vector<Frame> frames_{};
  std::size_t member_size_ = 0;  // length of the path of the current member
  std::map<std::string, Scalar> fields_{};
  std::vector<std::pair<int, Fleet::Value>> kept_{};
};

int Fleet::column(const std::string& path) {
  const auto [entry, fresh] = column_of_.try_emplace(path, -1);
  if (!fresh) return entry->second;
  const knowledge::DifferenceRow* row = knowledge::difference_at(path);
  const bool rate = path.starts_with("/compute/");
  if (!rate && (!row || row->changes == knowledge::Changes::ignored)) return -1;
  if (column_of_.size() > 200'000) return -1;  // limits documents that each add new places
  paths_.push_back(path);
  columns_.emplace_back();
  return entry->second = static_cast<int>(columns_.size()) - 1;
}

std::uint32_t Fleet::text_number(const std::string& text) {
  const auto [entry, fresh] = text_of_.try_emplace(text, static_cast<std::uint32_t>(texts_.size()));
  if (fresh) texts_.push_back(text);
  return entry->second;
}

void Fleet::add(const std::string& host, std::string_view report) {
  if (report.size() > size_limit_mib << 20) return add_damaged(host, fmt::format("larger than {} MiB", size_limit_mib));
  Member member{.name = host};
  FleetReader reader(*this, member, static_cast<std::uint32_t>(members_.size()));
  const bool parsed = nlohmann::json::sax_parse(report.begin(), report.end(), &reader);
  if (const std::string wrong = reader.wrong(); !parsed || !wrong.empty()) return add_damaged(host, wrong);
  reader.keep();
  members_.push_back(std::move(member));
}

}  // namespace envdoctor::compare

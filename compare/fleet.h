#pragma once
// Thousands of reports at once: which hosts fail and why, and which are outliers.
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace envdoctor::compare {

struct RootGroup {
  std::string root{};      // a diagnosis, or the verdict of a report that names no cause for it
  std::string severity{};  // error, warning, incomplete
  std::vector<std::string> hosts{};
};

struct Outlier {
  std::string host{};
  std::string path{};  // path in the snapshot; libraries by name
  std::string value{};
  std::string usual{};  // the value of most hosts, or the median and spread
};

struct FleetSummary {
  std::int64_t reports = 0;
  std::vector<std::pair<std::string, std::int64_t>> verdicts{};  // pass, warn, fail, incomplete, those that occur
  std::vector<std::pair<std::string, std::string>> damaged{};    // file and error
  std::vector<RootGroup> groups{};                               // errors first, the largest first
  std::vector<Outlier> outliers{};                               // by host, then path
};

// Takes reports one at a time and keeps only the values that are compared.
class Fleet {
 public:
  // A JSON report of the host of this name; an invalid one is recorded as damaged.
  void add(const std::string& host, std::string_view report);
  void add_damaged(const std::string& host, const std::string& why) { damaged_.emplace_back(host, why); }
  [[nodiscard]] FleetSummary summary() const;

  // Sixteen bytes: there are a hundred of them for each of ten thousand hosts.
  struct Value {
    static constexpr std::uint32_t no_text = 0xFFFFFFFF;
    std::uint32_t host = 0;
    std::uint32_t text = no_text;  // index in texts_; no_text: a number
    double number = 0;
    [[nodiscard]] bool numeric() const { return text == no_text; }
  };
  struct Root {
    std::string id{}, severity{};
  };
  struct Member {
    std::string name{}, verdict{};
    std::vector<Root> roots{};
  };

 private:
  friend class FleetReader;
  // The column of a place in a snapshot, created at its first value; -1: not compared.
  int column(const std::string& path);
  std::uint32_t text_number(const std::string& text);
  std::vector<Member> members_{};
  std::vector<std::pair<std::string, std::string>> damaged_{};
  std::unordered_map<std::string, int> column_of_{};
  std::unordered_map<std::string, std::uint32_t> text_of_{};
  std::vector<std::string> texts_{};
  std::vector<std::string> paths_{};
  std::vector<std::vector<Value>> columns_{};
};

std::string text_of(const FleetSummary& summary);
std::string json_of(const FleetSummary& summary);

}  // namespace envdoctor::compare

// Groups reports by root finding, and finds outliers.
#include "compare/fleet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include "evidence/median.h"

namespace envdoctor::compare {
namespace {

// At least this many hosts must report a value, and this share of them the same one, before another value is an
// outlier.
constexpr std::size_t fewest = 3;
constexpr double usual_share = 0.75;
// A number is an outlier if it differs from the median by this many spreads and by this share of the median.
constexpr double spreads = 6, least_part = 0.05;

// Almost equal numbers: host memory differs by a page or two between equal hosts.
bool near(const Fleet::Value& value, const Fleet::Value& usual) {
  return value.numeric() && usual.numeric() && std::fabs(value.number - usual.number) <= 0.02 * std::fabs(usual.number);
}

struct Judge {
  const std::vector<Fleet::Member>& members;
  const std::vector<std::string>& texts;
  std::vector<Outlier>& outliers;

  std::string shown(const Fleet::Value& value) {
    return value.numeric() ? fmt::format("{:.6g}", value.number) : texts[value.text];
  }

  void against_most(const std::string& path, const std::vector<Fleet::Value>& values, const Fleet::Value& usual) {
    for (const Fleet::Value& value : values) {
      const bool same = value.text == usual.text && value.number == usual.number;
      if (!same && !near(value, usual))
        outliers.push_back({members[value.host].name, path, shown(value), shown(usual)});
    }
  }

  void against_median(const std::string& path, const std::vector<Fleet::Value>& values) {
    std::vector<double> numbers, distances;
    for (const Fleet::Value& value : values) numbers.push_back(value.number);
    const double middle = median(numbers);
    for (const double number : numbers) distances.push_back(std::fabs(number - middle));
    const double spread = 1.4826 * median(distances);  // of a normal distribution this is the standard deviation
    const auto far = [&](const Fleet::Value& value) {
      const double off = std::fabs(value.number - middle);
      return off > spreads * spread && off > least_part * std::fabs(middle);
    };
    // Many distant values are no outliers: the fleet has two kinds of hosts.
    const auto off = static_cast<double>(std::ranges::count_if(values, far));
    if (off > (1 - usual_share) * static_cast<double>(values.size())) return;
    for (const Fleet::Value& value : values) {
      if (far(value))
        outliers.push_back({members[value.host].name, path, shown(value),
                            fmt::format("median {:.6g}, spread {:.2g}", middle, spread)});
    }
  }

  void column(const std::string& path, const std::vector<Fleet::Value>& values) {
    if (values.size() < fewest) return;
    std::map<std::pair<std::uint32_t, double>, std::pair<std::size_t, const Fleet::Value*>> counts;
    for (const Fleet::Value& value : values) {
      auto& [count, first] = counts[{value.text, value.number}];
      ++count;
      first = &value;
    }
    const auto most = std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second.first; });
    const bool numeric = std::ranges::all_of(values, [](const Fleet::Value& v) { return v.numeric(); });
    if (static_cast<double>(most->second.first) >= usual_share * static_cast<double>(values.size()) &&
        !path.ends_with("/rate")) {
      if (counts.size() > 1) against_most(path, values, *most->second.second);
    } else if (numeric && values.size() >= 5) {
      against_median(path, values);
    }
  }
};

}  // namespace

FleetSummary Fleet::summary() const {
  FleetSummary summary{.reports = static_cast<std::int64_t>(members_.size()), .damaged = damaged_};
  std::map<std::string, std::int64_t> verdicts;
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> groups;
  for (const Member& member : members_) {
    ++verdicts[member.verdict];
    for (const Root& root : member.roots) {
      auto& hosts = groups[{root.severity, root.id}];
      if (hosts.empty() || hosts.back() != member.name) hosts.push_back(member.name);
    }
    const auto has_root = [&](const char* severity) {
      return std::ranges::any_of(member.roots, [&](const Root& root) { return root.severity == severity; });
    };
    const std::string& verdict = member.verdict;
    const std::string severity = verdict == "fail" ? "error" : verdict == "warn" ? "warning" : verdict;
    if (verdict == "incomplete" || (verdict == "fail" && !has_root("error")) ||
        (verdict == "warn" && !has_root("warning") && !has_root("error")))
      groups[{severity, verdict}].push_back(member.name);
  }
  summary.verdicts.assign(verdicts.begin(), verdicts.end());
  for (auto& [key, hosts] : groups) summary.groups.push_back({key.second, key.first, std::move(hosts)});
  const auto rank = [](const std::string& severity) {
    return severity == "error" ? 0 : severity == "incomplete" ? 1 : 2;
  };
  std::ranges::stable_sort(summary.groups, [&](const RootGroup& a, const RootGroup& b) {
    return std::pair(rank(a.severity), b.hosts.size()) < std::pair(rank(b.severity), a.hosts.size());
  });
  Judge judge{members_, texts_, summary.outliers};
  for (std::size_t i = 0; i < columns_.size(); ++i) judge.column(paths_[i], columns_[i]);
  std::ranges::sort(summary.outliers, {}, [](const Outlier& outlier) { return std::tie(outlier.host, outlier.path); });
  return summary;
}

}  // namespace envdoctor::compare

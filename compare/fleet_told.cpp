#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "compare/fleet.h"
#include "reports/lines.h"

namespace envdoctor::compare {
namespace {

using Json = nlohmann::json;
constexpr std::size_t names_shown = 12, odd_shown = 40;

std::string names(const std::vector<std::string>& all) {
  std::string out;
  for (std::size_t i = 0; i < std::min(all.size(), names_shown); ++i) out += (i ? ", " : "") + all[i];
  return all.size() > names_shown ? out + fmt::format(" and {} more", all.size() - names_shown) : out;
}

}  // namespace

std::string text_of(const FleetSummary& summary) {
  std::string verdicts;
  for (const auto& [verdict, count] : summary.verdicts)
    verdicts += fmt::format("{}{} {}", verdicts.empty() ? "" : ", ", count, verdict);
  std::string out = wrap("", fmt::format("{} reports: {}", summary.reports, verdicts.empty() ? "none" : verdicts));
  for (const RootGroup& group : summary.groups) {
    out +=
        "\n" + wrap(fmt::format("{:<11}", group.severity),
                    fmt::format("{} on {} host{}", group.root, group.hosts.size(), group.hosts.size() == 1 ? "" : "s"));
    out += wrap("           ", names(group.hosts));
  }
  if (!summary.odd.empty()) out += "\nOdd ones out\n";
  for (std::size_t i = 0; i < std::min(summary.odd.size(), odd_shown); ++i) {
    const Odd& odd = summary.odd[i];
    out += wrap("  ", fmt::format("{}: {} = {} (usual: {})", odd.host, odd.path, shortened(odd.value, 120),
                                  shortened(odd.usual, 120)));
  }
  if (summary.odd.size() > odd_shown)
    out += fmt::format("  and {} more (--format json)\n", summary.odd.size() - odd_shown);
  if (!summary.damaged.empty()) out += fmt::format("\nSkipped, {} damaged\n", summary.damaged.size());
  for (std::size_t i = 0; i < std::min(summary.damaged.size(), odd_shown); ++i)
    out += wrap("  ", summary.damaged[i].first + ": " + summary.damaged[i].second);
  return out;
}

std::string json_of(const FleetSummary& summary) {
  Json groups = Json::array(), odd = Json::array(), damaged = Json::array(), reasons = Json::object();
  for (const RootGroup& group : summary.groups)
    groups.push_back({{"root", group.root}, {"severity", group.severity}, {"hosts", group.hosts}});
  for (const Odd& o : summary.odd)
    odd.push_back({{"host", o.host}, {"path", o.path}, {"value", o.value}, {"usual", o.usual}});
  for (const auto& [file, why] : summary.damaged) {
    damaged.push_back(file);
    reasons[file] = why;
  }
  const Json json = {
      {"schema", "envdoctor.fleet/1"},
      {"reports", summary.reports},
      {"verdicts", Json(std::map<std::string, std::int64_t>(summary.verdicts.begin(), summary.verdicts.end()))},
      {"damaged", damaged},
      {"damage", reasons},
      {"groups", groups},
      {"odd", odd}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace envdoctor::compare

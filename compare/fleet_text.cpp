#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "compare/fleet.h"
#include "evidence/lines.h"

namespace envdoctor::compare {
namespace {

using Json = nlohmann::json;
constexpr std::size_t names_shown = 12, outliers_shown = 40;

std::string names(const std::vector<std::string>& all) {
  std::string out;
  for (std::size_t i = 0; i < std::min(all.size(), names_shown); ++i) out += (i ? ", " : "") + all[i];
  return all.size() > names_shown ? out + fmt::format(" and {} more", all.size() - names_shown) : out;
}

// By place: hosts with the same outlier are listed together, single ones first.
std::string outliers_text(const std::vector<Outlier>& all) {
  if (all.empty()) return "";
  std::map<std::pair<std::string, std::string>, std::map<std::string, std::vector<std::string>>> places;
  for (const Outlier& outlier : all) places[{outlier.path, outlier.usual}][outlier.value].push_back(outlier.host);
  std::vector<std::pair<std::size_t, std::string>> printed;
  for (const auto& [place, values] : places) {
    const auto& [path, usual] = place;
    std::string text = wrap("  ", path + (usual.starts_with("median ") ? ": " : ", usually ") + shortened(usual, 120));
    std::size_t hosts = 0, shown = 0;
    for (const auto& [value, names_of_it] : values) {
      hosts += names_of_it.size();
      if (++shown <= names_shown) text += wrap("    ", shortened(value, 120) + " on " + names(names_of_it));
    }
    if (shown > names_shown) text += fmt::format("    and {} more values\n", shown - names_shown);
    printed.emplace_back(hosts, std::move(text));
  }
  std::ranges::stable_sort(printed, {}, &std::pair<std::size_t, std::string>::first);
  std::string out = "\nOutliers\n";
  for (std::size_t i = 0; i < std::min(printed.size(), outliers_shown); ++i) out += printed[i].second;
  if (printed.size() > outliers_shown)
    out += fmt::format("  and {} more (--format json)\n", printed.size() - outliers_shown);
  return out;
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
  out += outliers_text(summary.outliers);
  if (!summary.damaged.empty()) out += fmt::format("\nSkipped, {} damaged\n", summary.damaged.size());
  for (std::size_t i = 0; i < std::min(summary.damaged.size(), outliers_shown); ++i)
    out += wrap("  ", summary.damaged[i].first + ": " + summary.damaged[i].second);
  if (summary.damaged.size() > outliers_shown)
    out += fmt::format("  and {} more (--format json)\n", summary.damaged.size() - outliers_shown);
  return out;
}

std::string json_of(const FleetSummary& summary) {
  Json groups = Json::array(), odd = Json::array(), damaged = Json::array(), reasons = Json::object();
  for (const RootGroup& group : summary.groups)
    groups.push_back({{"root", group.root}, {"severity", group.severity}, {"hosts", group.hosts}});
  for (const Outlier& o : summary.outliers)
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

// SARIF 2.1.0: findings as results, the catalogue's rows as their rules, waivers as suppressions.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "evidence/lines.h"
#include "reports/reports.h"

namespace envdoctor {
namespace {

using Json = nlohmann::json;

const char* level(Severity severity) {
  return severity == Severity::error ? "error" : severity == Severity::warning ? "warning" : "note";
}

Json message(std::string_view text) { return {{"text", clean(text)}}; }

Json rule(const std::string& id) {
  const Diagnosis* row = find_diagnosis(id);
  if (!row) return {{"id", id}};
  return {{"id", row->id},
          {"shortDescription", message(row->title)},
          {"fullDescription", message(row->claim)},
          {"help", message(fmt::format("{} Disproved by: {}", row->remedy, row->disproof))},
          {"defaultConfiguration", {{"level", level(row->severity)}}},
          {"properties", {{"layer", text(row->layer)}}}};
}

// Where a finding is: its subject, and for a log's line the line.
Json locations(const Finding& finding) {
  Json list = Json::array();
  Json logical = {{{"name", clean(finding.subject)}, {"kind", "resource"}}};
  for (const Evidence& evidence : finding.evidence) {
    if (evidence.source.empty() || evidence.line <= 0 || evidence.cell > 0) continue;
    list.push_back({{"physicalLocation",
                     {{"artifactLocation", {{"uri", uri(evidence.source)}}},
                      {"region", {{"startLine", evidence.line}, {"snippet", message(evidence.value)}}}}},
                    {"logicalLocations", logical}});
  }
  if (list.empty()) list.push_back({{"logicalLocations", logical}});
  return list;
}

Json result(const Finding& finding, int rule_index) {
  std::string said = finding.title + ". " + finding.explanation;
  for (const Fix& fix : finding.fix)
    said += " Fix: " + fix.text + (fix.command.empty() ? "" : " ($ " + fix.command + ")");
  Json evidence = Json::array();
  for (const Evidence& e : finding.evidence) evidence.push_back(clean(e.path + " = " + e.value));
  return {{"ruleId", finding.id},
          {"ruleIndex", rule_index},
          {"kind", finding.severity == Severity::info ? "informational" : "fail"},
          {"level", finding.severity == Severity::info ? "none" : level(finding.severity)},
          {"message", message(said)},
          {"locations", locations(finding)},
          {"partialFingerprints", {{"subject/v1", clean(finding.id + "|" + finding.subject)}}},
          {"properties",
           {{"confidence", text(finding.confidence)},
            {"root", finding.root},
            {"causedBy", finding.caused_by},
            {"evidence", evidence}}}};
}

}  // namespace

std::string render_sarif(const Report& report, const ReportStyle&) {
  std::map<std::string, int> index;
  for (const Finding& finding : report.findings) index.emplace(finding.id, 0);
  for (const Waived& waived : report.waived) index.emplace(waived.finding.id, 0);
  Json rules = Json::array();
  for (auto& [id, at] : index) {
    at = static_cast<int>(rules.size());
    rules.push_back(rule(id));
  }
  Json results = Json::array();
  for (const Finding& finding : report.findings) results.push_back(result(finding, index[finding.id]));
  for (const Waived& waived : report.waived) {
    Json json = result(waived.finding, index[waived.finding.id]);
    json["suppressions"] = {
        {{"kind", "external"},
         {"status", "accepted"},
         {"justification", clean(fmt::format("{} (until {})", waived.waiver.reason, waived.waiver.last_day))}}};
    results.push_back(std::move(json));
  }
  const Json driver = {{"name", "envdoctor"}, {"version", report.options.tool_version}, {"rules", rules}};
  const Json run = {{"tool", {{"driver", driver}}},
                    {"results", results},
                    {"invocations", {{{"executionSuccessful", report.verdict != Verdict::incomplete}}}},
                    {"properties", {{"verdict", text(report.verdict)}, {"why", clean(report.verdict_why)}}}};
  const Json document = {
      {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"}, {"version", "2.1.0"}, {"runs", Json::array({run})}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace envdoctor

// The report as JSON: docs/schema/report-1.json. Keys sorted, two-space indented.
#include <nlohmann/json.hpp>

#include "evidence/json.h"
#include "reports/reports.h"

namespace envdoctor {
namespace {

using Json = nlohmann::json;

template <class T>
Json write_list(const std::vector<T>& items, Json (*write_item)(const std::type_identity_t<T>&)) {
  Json array = Json::array();
  for (const T& item : items) array.push_back(write_item(item));
  return array;
}

Json write(const Evidence& evidence) {
  Json json = {{"path", evidence.path}, {"value", evidence.value}};
  if (!evidence.source.empty()) json["source"] = evidence.source;
  if (evidence.line > 0) json["line"] = evidence.line;
  if (evidence.cell > 0) json["cell"] = evidence.cell;
  return json;
}

Json write(const Fix& fix) {
  Json json = {{"text", fix.text}};
  if (!fix.command.empty()) json["command"] = fix.command;
  return json;
}

Json write(const Finding& finding) {
  return {{"id", finding.id},
          {"subject", finding.subject},
          {"severity", text(finding.severity)},
          {"confidence", text(finding.confidence)},
          {"layer", text(finding.layer)},
          {"title", finding.title},
          {"explanation", finding.explanation},
          {"evidence", write_list(finding.evidence, write)},
          {"fix", write_list(finding.fix, write)},
          {"root", finding.root},
          {"caused_by", finding.caused_by},
          {"doc", finding.doc}};
}

Json write(const LayerResult& layer) {
  return {{"layer", text(layer.layer)}, {"state", text(layer.state)}, {"why", layer.why}};
}

Json write(const GpuStack& gpu_stack) {
  const LayerResult* broken = gpu_stack.first_broken();
  return {{"subject", gpu_stack.subject},
          {"name", gpu_stack.name},
          {"stack", gpu_stack.stack},
          {"layers", write_list(gpu_stack.layers, write)},
          {"first_broken", broken ? Json(text(broken->layer)) : Json()}};
}

Json write(const CheckResult& check) {
  Json json = {{"id", check.id}, {"state", text(check.state)}};
  if (!check.why.empty()) json["why"] = check.why;
  return json;
}

Json write(const Waived& waived) {
  Json json = write(waived.finding);
  json["waiver"] = {{"reason", waived.waiver.reason}, {"last_day", waived.waiver.last_day}};
  return json;
}

Json write(const std::optional<Undetermined>& undetermined) {
  if (!undetermined) return {};
  Json lines = Json::array();
  for (const Evidence& line : undetermined->decisive)
    lines.push_back({{"source", line.source}, {"line", line.line}, {"text", line.value}});
  return {{"lines", undetermined->lines},
          {"decisive", lines},
          {"excluded", undetermined->excluded},
          {"missing", undetermined->missing},
          {"next_command", undetermined->next_command}};
}

// Puts the snapshot's own text, a level further in, where the report has nothing yet: reading it again only to write it
// would take as long as all the rest. Line breaks inside texts are escaped, so that each one here begins a line.
std::string with_snapshot(const std::string& report, const std::string& snapshot) {
  constexpr std::string_view empty = "\n  \"snapshot\": null";
  const std::size_t end = report.find(empty) + empty.size(), begin = end - std::string_view("null").size();
  std::string out;
  out.reserve(report.size() + snapshot.size() * 2);
  out.append(report, 0, begin);
  for (const char c : std::string_view(snapshot).substr(0, snapshot.find_last_not_of('\n') + 1)) {
    out += c;
    if (c == '\n') out += "  ";
  }
  return out.append(report, end);
}

}  // namespace

std::string render_json(const Report& report, const ReportStyle&) {
  Json source = {{"kind", report.options.from_files ? "files" : "host"}, {"captured_at", Json()}};
  if (const auto* captured = report.snapshot.captured.get(); captured && captured->at.get())
    source["captured_at"] = *captured->at.get();
  const Json json = {{"schema", "envdoctor.report/1"},
                     {"tool", {{"name", "envdoctor"}, {"version", report.options.tool_version}}},
                     {"source", source},
                     {"verdict", text(report.verdict)},
                     {"verdict_why", report.verdict_why},
                     {"stacks", write_list(report.stacks, write)},
                     {"checks", write_list(report.checks, write)},
                     {"findings", write_list(report.findings, write)},
                     {"waived", write_list(report.waived, write)},
                     {"undetermined", write(report.undetermined)},
                     {"snapshot", Json()}};
  return with_snapshot(json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n", to_json(report.snapshot));
}

}  // namespace envdoctor

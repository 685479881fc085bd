// The verdict for a language model with a small context: one JSON object of at most 2 KB, always the same keys.
#include <nlohmann/json.hpp>

#include <algorithm>

#include "evidence/lines.h"
#include "reports/reports.h"
#include "reports/summary.h"

namespace envdoctor {
namespace {

using Json = nlohmann::json;
constexpr std::size_t most_bytes = 2048;
constexpr std::size_t longest_command = 400;  // a truncated command would be a different command

// The space for each part.
struct Room {
  std::size_t bytes = 0;  // per text
  std::size_t items = 0;  // per list
};

std::string brief(const std::string& text, const Room& room) { return shortened(clean(text), room.bytes); }

Json first_texts(const std::vector<std::string>& texts, const Room& room) {
  Json list = Json::array();
  for (const std::string& text : texts) {
    if (list.size() < room.items) list.push_back(brief(text, room));
  }
  return list;
}

Json lines_of(const std::vector<Evidence>& all, const Room& room) {
  Json list = Json::array();
  for (const Evidence& one : all) {
    if (list.size() < room.items)
      list.push_back({{"place", brief(place_of(one), room)}, {"text", brief(one.value, room)}});
  }
  return list;
}

bool is_cause(const Finding& finding) { return finding.root && finding.severity >= Severity::warning; }

// The likeliest cause; null: nothing worse than a note was found.
const Finding* cause_of(const Report& report) {
  const auto found = std::ranges::find_if(report.findings, is_cause);
  return found == report.findings.end() ? nullptr : &*found;
}

// One command whose output or effect helps most; empty: nothing to do, or no known command.
std::string next_command(const Report& report, const Finding* cause) {
  std::string command;
  if (cause) {
    const auto fix = std::ranges::find_if(cause->fix, [](const Fix& f) { return !f.command.empty(); });
    command = fix == cause->fix.end() ? "envdoctor explain " + cause->id : clean(fix->command);
  } else if (report.undetermined) {
    command = clean(report.undetermined->next_command);
  } else if (report.verdict == Verdict::incomplete && !report.options.from_files) {
    command = "envdoctor check -v";
  }
  if (command.size() > longest_command) return cause ? "envdoctor explain " + cause->id : std::string();
  return command;
}

Json written(const Report& report, const Room& room) {
  const Finding* cause = cause_of(report);
  Json json = {{"schema", "envdoctor.agent/1"},
               {"verdict", text(report.verdict)},
               {"why", brief(report.verdict_why, room)},
               {"cause", Json()},
               {"evidence", Json::array()},
               {"next_command", next_command(report, cause)},
               {"fix", ""},
               {"other_causes", Json::array()},
               {"undetermined", Json()}};
  if (cause) {
    json["cause"] = {{"id", cause->id}, {"title", brief(cause->title, room)}, {"confidence", text(cause->confidence)}};
    json["evidence"] = lines_of(cause->evidence, room);
    if (!cause->fix.empty()) json["fix"] = brief(cause->fix.front().text, room);
  }
  for (const Finding& other : report.findings) {
    if (is_cause(other) && other.id != (cause ? cause->id : "") && json["other_causes"].size() < room.items)
      json["other_causes"].push_back(other.id);
  }
  if (report.undetermined) {
    const Undetermined& open = *report.undetermined;
    json["undetermined"] = {{"lines", open.lines},
                            {"decisive", lines_of(open.decisive, room)},
                            {"excluded", first_texts(open.excluded, room)},
                            {"missing", first_texts(open.missing, room)}};
  }
  return json;
}

}  // namespace

std::string render_agent(const Report& report, const ReportStyle&) {
  std::string out;
  // Halves the space each time: shortens the longest texts first, then the lists.
  for (Room room{.bytes = 400, .items = 6}; room.bytes > 8;
       room.bytes /= 2, room.items = std::max<std::size_t>(1, room.items - 1)) {
    out = written(report, room).dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
    if (out.size() <= most_bytes) break;
  }
  return out;
}

}  // namespace envdoctor

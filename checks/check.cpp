#include "checks/check.h"

#include <algorithm>
#include <stdexcept>

namespace envdoctor {

const Diagnosis* diagnosis(std::string_view id) {
  const auto rows = catalogue();
  const auto row = std::ranges::lower_bound(rows, id, {}, [](const Diagnosis& d) { return std::string_view(d.id); });
  return row != rows.end() && row->id == id ? &*row : nullptr;
}

Finding& Answers::found(std::string_view id, std::string subject) {
  const Diagnosis* row = diagnosis(id);
  if (!row) throw std::logic_error("not in the catalogue: " + std::string(id));
  return findings.emplace_back(Finding{
      .id = row->id, .subject = std::move(subject), .severity = row->severity, .rung = row->rung, .title = row->title});
}

void Answers::sound(std::string_view id) { results.push_back({std::string(id), CheckState::sound, {}}); }
void Answers::unknown(std::string_view id, std::string why) {
  results.push_back({std::string(id), CheckState::unknown, std::move(why)});
}
void Answers::not_applicable(std::string_view id, std::string why) {
  results.push_back({std::string(id), CheckState::not_applicable, std::move(why)});
}

Evidence seen(std::string path, std::string value) { return {.path = std::move(path), .value = std::move(value)}; }

Evidence seen(const LogEvent& event, std::string value) {
  Evidence evidence{.path = "log", .value = std::move(value)};
  if (const auto* source = event.source.get()) evidence.source = *source;
  if (const auto* line = event.line.get()) evidence.line = *line;
  return evidence;
}

}  // namespace envdoctor

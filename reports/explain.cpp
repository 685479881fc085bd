// `envdoctor explain ID`, and docs/diagnoses.md, which holds all of them.
#include <fmt/format.h>

#include <algorithm>

#include "checks/engine/diagnosis.h"
#include "evidence/lines.h"
#include "reports/reports.h"

namespace envdoctor {
namespace {

std::string joined(const std::vector<const char*>& ids) {
  std::string text;
  for (const char* id : ids) text += (text.empty() ? "" : ", ") + std::string(id);
  return text;
}

std::string consequences_of(std::string_view id) { return joined(find_diagnosis(id)->explains); }

std::string causes_of(std::string_view id) {
  std::vector<const char*> causes;
  for (const Diagnosis* row : catalogue()) {
    if (std::ranges::find(row->explains, id) != row->explains.end()) causes.push_back(row->id);
  }
  return joined(causes);
}

struct Part {
  const char* label;
  std::string text;
};

std::vector<Part> parts_of(const Diagnosis& diagnosis) {
  return {{"severity", fmt::format("{}, layer {}", text(diagnosis.severity), text(diagnosis.layer))},
          {"claim", diagnosis.claim},
          {"proof", diagnosis.proof},
          {"disproof", diagnosis.disproof},
          {"causes", consequences_of(diagnosis.id)},
          {"caused by", causes_of(diagnosis.id)},
          {"fix", diagnosis.remedy}};
}

}  // namespace

std::string render_explanation(const Diagnosis& diagnosis) {
  std::string out = wrap("", fmt::format("{}: {}", diagnosis.id, diagnosis.title));
  for (const Part& part : parts_of(diagnosis)) {
    if (!part.text.empty()) out += wrap(fmt::format("  {:<14}", part.label), part.text);
  }
  return out;
}

std::string all_diagnoses_markdown() {
  std::string out =
      "# Diagnoses\n\nAll diagnoses of envdoctor, generated from its catalogue (`UPDATE_GOLDEN=1` on the report tests "
      "rewrites this page). *causes* lists the findings that are then reported as its consequences.\n";
  std::string family;
  for (const Diagnosis* row : catalogue()) {
    const std::string id = row->id;
    if (const std::string own = id.substr(0, id.find('.')); own != family) {
      family = own;
      out += "\n## " + family + "\n";
    }
    out += "\n### " + id + "\n\n" + row->title + ".\n\n";
    for (const Part& part : parts_of(*row)) {
      if (!part.text.empty()) out += fmt::format("- **{}**: {}\n", part.label, part.text);
    }
  }
  return out;
}

}  // namespace envdoctor

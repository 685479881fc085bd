// `envdoctor explain ID`, and docs/diagnoses.md, which has all of them.
#include <fmt/format.h>

#include <algorithm>

#include "evidence/lines.h"
#include "reports/reports.h"

namespace envdoctor {
namespace {

std::vector<const char*> causes_of(std::string_view id) {
  std::vector<const char*> causes;
  for (const Diagnosis* row : catalogue()) {
    if (std::ranges::find(row->explains, id) != row->explains.end()) causes.push_back(row->id);
  }
  return causes;
}

using Parts = std::vector<std::pair<const char*, std::string>>;

Parts parts_of(const Diagnosis& diagnosis) {
  return {{"severity", fmt::format("{}, layer {}", text(diagnosis.severity), text(diagnosis.layer))},
          {"claim", diagnosis.claim},
          {"proof", diagnosis.proof},
          {"disproof", diagnosis.disproof},
          {"causes", fmt::format("{}", fmt::join(diagnosis.explains, ", "))},
          {"caused by", fmt::format("{}", fmt::join(causes_of(diagnosis.id), ", "))},
          {"fix", diagnosis.remedy}};
}

}  // namespace

std::string render_explanation(const Diagnosis& diagnosis) {
  std::string out = wrap("", fmt::format("{}: {}", diagnosis.id, diagnosis.title));
  for (const auto& [label, text] : parts_of(diagnosis)) {
    if (!text.empty()) out += wrap(fmt::format("  {:<14}", label), text);
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
    for (const auto& [label, text] : parts_of(*row)) {
      if (!text.empty()) out += fmt::format("- **{}**: {}\n", label, text);
    }
  }
  return out;
}

}  // namespace envdoctor

// `envdoctor explain ID`, and docs/diagnoses.md, which holds all of them.
#include <fmt/format.h>

#include "checks/explains.h"
#include "checks/proofs.h"
#include "reports/diagnoses.h"
#include "reports/lines.h"
#include "reports/reports.h"

namespace envdoctor {
namespace {

std::string joined(const std::vector<const char*>& ids) {
  std::string text;
  for (const char* id : ids) text += (text.empty() ? "" : ", ") + std::string(id);
  return text;
}

std::string consequences_of(std::string_view id) {
  for (const Explains& row : explains_table()) {
    if (row.cause == id) return joined(row.consequences);
  }
  return {};
}

std::string causes_of(std::string_view id) {
  std::vector<const char*> causes;
  for (const Explains& row : explains_table()) {
    for (const char* consequence : row.consequences) {
      if (consequence == id) causes.push_back(row.cause);
    }
  }
  return joined(causes);
}

struct Part {
  const char* label;
  std::string text;
};

std::vector<Part> parts_of(const Diagnosis& diagnosis) {
  return {{"severity", fmt::format("{}, on the rung {}", text(diagnosis.severity), text(diagnosis.rung))},
          {"claim", diagnosis.claim},
          {"proof", std::string(proof_needed(diagnosis.id))},
          {"disproof", diagnosis.disproof},
          {"explains", consequences_of(diagnosis.id)},
          {"explained by", causes_of(diagnosis.id)},
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
      "# Diagnoses\n\nEverything envdoctor can find, made from its catalogue (`UPDATE_GOLDEN=1` on the report tests "
      "rewrites this page). *Explains* names what follows from a finding and is then told as its consequence.\n";
  std::string family;
  for (const Diagnosis& row : catalogue()) {
    const std::string id = row.id;
    if (const std::string own = id.substr(0, id.find('.')); own != family) {
      family = own;
      out += "\n## " + family + "\n";
    }
    out += "\n### " + id + "\n\n" + row.title + ".\n\n";
    for (const Part& part : parts_of(row)) {
      if (!part.text.empty()) out += fmt::format("- **{}**: {}\n", part.label, part.text);
    }
  }
  return out;
}

}  // namespace envdoctor

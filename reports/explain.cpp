#include <fmt/format.h>

#include "reports/lines.h"
#include "reports/reports.h"

namespace envdoctor {

std::string render_explanation(const Diagnosis& diagnosis) {
  std::string out = wrap("", fmt::format("{}: {}", diagnosis.id, diagnosis.title));
  const auto part = [&](std::string_view label, std::string_view text) {
    out += wrap(fmt::format("  {:<11}", label), text);
  };
  part("severity", fmt::format("{}, on the rung {}", text(diagnosis.severity), text(diagnosis.rung)));
  part("claim", diagnosis.claim);
  part("disproof", diagnosis.disproof);
  part("remedy", diagnosis.remedy);
  return out;
}

}  // namespace envdoctor

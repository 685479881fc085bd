#include "checks/engine/causality.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "checks/engine/diagnosis.h"
#include "checks/engine/guessed_cause.h"

namespace envdoctor {
namespace {

bool names_one_device(std::string_view subject) {
  return subject.starts_with("gpu:") || subject.starts_with("cuda:") || subject.starts_with("opencl:");
}

bool same_matter(const Finding& cause, const Finding& consequence) {
  return cause.subject == consequence.subject || !names_one_device(cause.subject) ||
         !names_one_device(consequence.subject);
}

// A finding that prevents the use of a GPU also causes the failure of an expectation of its use.
bool expects_use(std::string_view id) {
  return id == "expect.stack" || id == "expect.framework" || id == "expect.compute" || id == "expect.speed";
}

// The group is what is left where nothing more is known: a finding that is likelier names the cause itself.
bool names_a_cause(const Finding& cause, const Finding& group) {
  static constexpr std::array wings = {"driver.", "hardware.", "visibility.", "runtime.", "opencl."};
  return cause.confidence > group.confidence && group.confidence == Confidence::possible &&
         std::ranges::any_of(wings, [&](std::string_view wing) { return cause.id.starts_with(wing); });
}

bool explains(const Finding& cause, const Finding& consequence) {
  // A member of a group stands for it, also where only words point to it.
  if (consequence.id == "driver.unreachable" && (is_guessed(cause) || names_a_cause(cause, consequence))) return true;
  const bool use = expects_use(consequence.id);
  const Diagnosis* row = find_diagnosis(cause.id);
  return row && std::ranges::any_of(row->explains, [&](std::string_view id) {
           return id == consequence.id || (use && id == "usage.detected-unused");
         });
}

}  // namespace

void find_roots(std::vector<Finding>& findings) {
  for (Finding& finding : findings) {
    finding.caused_by.clear();
    for (const Finding& cause : findings) {
      // Information or a guess doesn't explain a finding with higher confidence.
      const bool weak = cause.severity == Severity::info ||
                        (cause.confidence == Confidence::possible && finding.confidence > cause.confidence);
      if (!weak && explains(cause, finding) && same_matter(cause, finding) &&
          std::ranges::find(finding.caused_by, cause.id) == finding.caused_by.end())
        finding.caused_by.push_back(cause.id);
    }
    std::ranges::sort(finding.caused_by);
    finding.root = finding.caused_by.empty();
  }
}

}  // namespace envdoctor

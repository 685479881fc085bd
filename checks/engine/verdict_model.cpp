// The verdict of 'agree': only about one model on two sides.
#include <fmt/format.h>

#include <algorithm>

#include "checks/compute/layer_bounds.h"
#include "checks/engine/verdict.h"

namespace envdoctor {

void reach_verdict_of_model(Report& report) {
  const ModelAgreement model = report.snapshot.agree.or_empty();
  const auto conclude = [&](Verdict verdict, const std::string& why) {
    report.verdict = verdict;
    report.verdict_why = why;
  };
  const auto worst = std::ranges::max_element(report.findings, {}, &Finding::severity);
  const bool found = worst != report.findings.end();
  if (found && worst->severity == Severity::error) return conclude(Verdict::fail, worst->title);
  if (!report.snapshot.agree.get()) return conclude(Verdict::incomplete, report.snapshot.agree.why());
  if (model.refused.get()) return conclude(Verdict::incomplete, *model.refused.get());
  const auto& rows = model.layers.or_empty();
  const auto compared =
      std::ranges::count_if(rows, [](const LayerAgreement& row) { return row.difference.get() != nullptr; });
  if (compared == 0) return conclude(Verdict::incomplete, "no layer was compared");
  if (const auto left_out = compute::layer_not_compared(model))
    return conclude(Verdict::incomplete,
                    fmt::format("layer '{}' could not be compared: {}", rows[*left_out].name.or_empty(),
                                *rows[*left_out].not_compared.get()));
  if (!model.weights_unchanged.is(true))
    return conclude(Verdict::incomplete, "the model's weights were not the same after the run as before");
  if (found && worst->severity == Severity::warning) return conclude(Verdict::warn, worst->title);
  conclude(Verdict::pass, fmt::format("the model computes the same on both sides, within the bounds of {}",
                                      model.judged_by.or_empty()));
}

}  // namespace envdoctor

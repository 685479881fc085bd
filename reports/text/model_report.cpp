// What was compared in the user's model, also without faults, because it shows whether its results are
// reproducible.
#include <fmt/format.h>

#include <algorithm>

#include "checks/compute/layer_bounds.h"
#include "evidence/lines.h"
#include "reports/text/kernel_tables.h"

namespace envdoctor {
namespace {

const char* other_side(const std::string& against) {
  if (against == "cpu") return "the CPU";
  if (against == "tf32") return "TF32";
  if (against == "bf16") return "bfloat16";
  return against == "deterministic" ? "deterministic mode" : "float64 on the CPU";
}

// How many layers were compared, and the one nearest to its limit.
std::string layers_text(const ModelAgreement& model) {
  const auto& rows = model.layers.or_empty();
  std::size_t compared = 0, same = 0, inside = 0, nearest = 0;
  double share = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].difference.get()) continue;
    ++compared;
    same += rows[i].difference.is(0);
    inside += compute::fault_of(model, i) == compute::LayerFault::none;
    const double limit = compute::layer_limit(model, i) * rows[i].rounding.or_empty();
    if (limit > 0 && compute::fault_of(model, i) == compute::LayerFault::none &&
        *rows[i].difference.get() / limit > share) {
      share = *rows[i].difference.get() / limit;
      nearest = i;
    }
  }
  if (compared == 0) return "";
  std::string out = fmt::format("{} of {} calls of layers within the bound of {}, {} of them without any difference",
                                inside, compared, model.judged_by.or_empty(), same);
  if (share > 0)
    out += fmt::format("; the nearest to its bound is {} ({}), at {:.2f} of it", rows[nearest].name.or_empty(),
                       rows[nearest].kind.or_empty(), share);
  return out;
}

std::string output_text(const ModelAgreement& model) {
  const OutputAgreement output = model.output.or_empty();
  if (!output.relative_difference.get()) return "";
  std::string out = fmt::format("output: relative difference {:.2g}", *output.relative_difference.get());
  if (output.rows.get())
    out += fmt::format(", the same class for {} of {} inputs", output.same_class.or_empty(), *output.rows.get());
  return out;
}

std::string gradients_text(const ModelAgreement& model) {
  const std::size_t count = model.gradients.or_empty().size();
  if (count == 0) return "";
  return compute::faulty_gradient(model) ? fmt::format("gradients of {} weights, not all within the bound", count)
                                         : fmt::format("gradients of all {} weights within the bound", count);
}

std::string again_text(const ModelAgreement& model) {
  const auto& rows = model.layers.or_empty();
  const auto called =
      std::ranges::count_if(rows, [](const LayerAgreement& row) { return row.repeats.get() != nullptr; });
  const auto same = std::ranges::count_if(rows, [](const LayerAgreement& row) { return row.repeats.is(true); });
  if (called == 0) return "";
  return same == called ? "called again, every layer gives the same bits"
                        : fmt::format("called again, {} of {} layers give other bits", called - same, called);
}

}  // namespace

std::vector<std::string> model_sentences(const ModelAgreement& model) {
  std::vector<std::string> out;
  if (model.precision.get())
    out.push_back(fmt::format("{} on {} against {}", *model.precision.get(), model.device.or_empty(),
                              other_side(model.against.or_empty())));
  if (model.inputs.get())
    out.push_back(fmt::format(
        "input: {}{}", *model.inputs.get(),
        model.inputs_random.is(true) ? fmt::format(", random, --seed {} repeats it", model.seed.or_empty()) : ""));
  for (const std::string& text : {layers_text(model), again_text(model), output_text(model), gradients_text(model)})
    if (!text.empty()) out.push_back(text);
  if (const auto* mib = model.memory_mib.get())
    out.push_back(fmt::format("memory: about {} MiB expected, limit {} MiB", *mib, model.memory_limit_mib.or_empty()));
  if (model.weights_unchanged.is(true)) out.emplace_back("weights: unchanged, by their SHA-256");
  return out;
}

std::string model_text(const Snapshot& snapshot) {
  const ModelAgreement* model = snapshot.agree.get();
  if (!model) return "";
  std::string out =
      wrap("  ", fmt::format("{}, {}", model->model.or_empty(), model->library.value_or("framework unknown")));
  for (const std::string& text : model_sentences(*model)) out += wrap("    ", text);
  return out;
}

std::string layer_outcome(const ModelAgreement& model, std::size_t index) {
  const LayerAgreement& row = model.layers.or_empty().at(index);
  const double limit = compute::layer_limit(model, index) * row.rounding.or_empty();
  const double share = limit > 0 ? row.difference.or_empty() / limit : 0;
  switch (compute::fault_of(model, index)) {
    case compute::LayerFault::not_a_number:
      return fmt::format("✕ {} numbers are NaN or infinite on one side only", row.not_a_number.or_empty());
    case compute::LayerFault::changes:
      return "✕ another result when it is called again";
    case compute::LayerFault::changes_bits:
      return "other bits when it is called again, within rounding";
    case compute::LayerFault::normalises_by_batch:
      return "✕ normalises by the batch, as in training";
    case compute::LayerFault::beyond:
      if (share <= 1) return "✕ one number is far beyond the bound";
      return fmt::format(fmt::runtime(share < 10    ? "✕ {:.1f} times the bound"
                                      : share < 1e6 ? "✕ {:.0f} times the bound"
                                                    : "✕ {:.2g} times the bound"),
                         share);
    case compute::LayerFault::none:
      break;
  }
  if (row.not_compared.get()) return "? not compared: " + *row.not_compared.get();
  if (!row.difference.get()) return "no numbers to compare";
  if (row.difference.is(0)) return "the same bits";
  return share > 0 ? fmt::format("within the bound, {:.2g} of it", share) : "within the bound";
}

}  // namespace envdoctor

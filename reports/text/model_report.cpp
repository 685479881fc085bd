// What was compared of a person's model, also when all is well: this is the answer to whether its results can be
// reproduced.
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

// How many layers were compared, and the one that is nearest to its limit.
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

std::string model_text(const Snapshot& snapshot) {
  const ModelAgreement* model = snapshot.agree.get();
  if (!model) return "";
  std::string out =
      wrap("  ", fmt::format("{}, {}", model->model.or_empty(), model->library.value_or("framework unknown")));
  const auto line = [&](const std::string& text) {
    if (!text.empty()) out += wrap("    ", text);
  };
  if (model->precision.get())
    line(fmt::format("{} on {} against {}", *model->precision.get(), model->device.or_empty(),
                     other_side(model->against.or_empty())));
  if (model->inputs.get())
    line(fmt::format(
        "input: {}{}", *model->inputs.get(),
        model->inputs_random.is(true) ? fmt::format(", random, --seed {} repeats it", model->seed.or_empty()) : ""));
  line(layers_text(*model));
  line(again_text(*model));
  line(output_text(*model));
  line(gradients_text(*model));
  if (const auto* mib = model->memory_mib.get())
    line(fmt::format("memory: about {} MiB expected, limit {} MiB", *mib, model->memory_limit_mib.or_empty()));
  if (model->weights_unchanged.is(true)) line("weights: unchanged, by their SHA-256");
  return out;
}

}  // namespace envdoctor

#include "checks/compute/layer_bounds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

namespace envdoctor::compute {
namespace {

// How much a kind may exceed the bound of its longest sum: functions are accurate to some units in the last place, and
// normalisations, recurrences and unknown layers round intermediate values as well.
constexpr double by_known = 4, by_function = 16, by_unknown = 64;

bool is_one_of(std::string_view kind, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return kind.find(word) != kind.npos; });
}

double allowance(const LayerAgreement& row) {
  const std::string& kind = row.kind.or_empty();
  if (row.inside.or_empty() > 0 || kind.find('.') != kind.npos) return by_unknown;
  if (is_one_of(kind, {"Dense",    "Linear",       "Conv",    "Pool",   "Embedding", "Flatten",    "Reshape",
                       "Permute",  "Padding",      "Crop",    "Concat", "Identity",  "Add",        "Average",
                       "Multiply", "Subtract",     "ReLU",    "ReLu",   "Dropout",   "InputLayer", "UpSampling",
                       "Upsample", "RepeatVector", "Masking", "Dot",    "Rescaling"}) &&
      !is_one_of(kind, {"LSTM"}))
    return by_known;
  if (is_one_of(kind, {"Norm", "Softmax", "GELU", "ELU", "SiLU", "Sigmoid", "Tanh", "Mish", "Activation"}))
    return by_function;
  return by_unknown;
}

// An error of a sixteenth everywhere is never rounding; and the limit stays four times below the error of TF32 in a
// product of float32, whatever the sum's length.
double most_of(const std::string& judged_by) {
  constexpr double below_tf32 = 2048;
  const double unit = roundoff_of(judged_by);
  return unit > 0 ? std::min(below_tf32, 1 / (16 * unit)) : below_tf32;
}

double terms_of(const std::vector<LayerAgreement>& rows, std::size_t index) {
  double most = 1;
  const auto inside = static_cast<std::size_t>(std::max<std::int64_t>(rows[index].inside.or_empty(), 0));
  for (std::size_t i = index - std::min(inside, index); i <= index; ++i)
    if (i < index || inside == 0) most = std::max(most, static_cast<double>(rows[i].terms.or_empty()));
  return most;
}

// No single number may be off by more than this times the limit.
constexpr double furthest_over_limit = 16;

}  // namespace

double roundoff_of(const std::string& precision) {
  static constexpr std::array<std::pair<std::string_view, double>, 6> units = {{{"float64", 0x1p-53},
                                                                                {"float32", 0x1p-24},
                                                                                {"tf32", 0x1p-11},
                                                                                {"float16", 0x1p-11},
                                                                                {"bfloat16", 0x1p-8},
                                                                                {"int8", 0x1p-8}}};
  const auto* row = std::ranges::find(units, precision, &std::pair<std::string_view, double>::first);
  return row == units.end() ? 0 : row->second;
}

double layer_limit(const ModelAgreement& model, std::size_t index) {
  const auto& rows = model.layers.or_empty();
  constexpr double suspect = 2.3;  // kernels::suspect_threshold
  const double sides = model.against.is("cpu") || model.against.is("deterministic") ? 2 : 1;
  const double limit = suspect * std::sqrt(terms_of(rows, index)) * allowance(rows[index]);
  return sides * std::min(limit, most_of(model.judged_by.or_empty()));
}

LayerFault fault_of(const ModelAgreement& model, std::size_t index) {
  const LayerAgreement& row = model.layers.or_empty().at(index);
  const double* rounding = row.rounding.get();
  const double limit = layer_limit(model, index) * (rounding ? *rounding : 0);
  if (row.repeats.is(false))
    return rounding && row.repeat_difference.get() && *row.repeat_difference.get() <= limit ? LayerFault::changes_bits
                                                                                            : LayerFault::changes;
  if (row.not_a_number.or_empty() > 0) return LayerFault::not_a_number;
  if (row.writes.is(true) && is_one_of(row.kind.or_empty(), {"BatchNorm"})) return LayerFault::normalises_by_batch;
  if (!row.difference.get() || !rounding || *row.difference.get() == 0) return LayerFault::none;
  const bool beyond =
      *row.difference.get() > limit || row.furthest.or_empty() > furthest_over_limit * layer_limit(model, index);
  return beyond ? LayerFault::beyond : LayerFault::none;
}

bool is_error(LayerFault fault) { return fault != LayerFault::none && fault != LayerFault::changes_bits; }

std::vector<std::size_t> faulty_layers(const ModelAgreement& model) {
  const auto& rows = model.layers.or_empty();
  std::vector<std::size_t> found, light;
  std::vector<bool> faulty(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const LayerFault fault = fault_of(model, i);
    if (fault == LayerFault::none) continue;
    const auto inside = static_cast<std::size_t>(std::max<std::int64_t>(rows[i].inside.or_empty(), 0));
    const auto end = faulty.begin() + static_cast<std::ptrdiff_t>(i);
    const bool explained = std::find(end - static_cast<std::ptrdiff_t>(std::min(inside, i)), end, true) != end;
    faulty[i] = true;
    if (!explained) (is_error(fault) ? found : light).push_back(i);
  }
  return found.empty() ? light : found;
}

std::optional<std::size_t> faulty_gradient(const ModelAgreement& model) {
  const auto& rows = model.gradients.or_empty();
  const double limit = 2 * most_of(model.judged_by.or_empty());
  const auto row = std::ranges::find_if(rows, [&](const GradientAgreement& one) {
    return one.difference.get() && one.rounding.get() && *one.difference.get() > limit * *one.rounding.get();
  });
  if (row == rows.end()) return std::nullopt;
  return static_cast<std::size_t>(row - rows.begin());
}

std::optional<std::size_t> layer_not_compared(const ModelAgreement& model) {
  const auto& rows = model.layers.or_empty();
  const auto row =
      std::ranges::find_if(rows, [](const LayerAgreement& one) { return one.not_compared.get() != nullptr; });
  if (row == rows.end()) return std::nullopt;
  return static_cast<std::size_t>(row - rows.begin());
}

}  // namespace envdoctor::compute

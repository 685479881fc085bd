#pragma once
// Which differences between two runs of a layer rounding explains. docs/numerics.md derives the limits.
#include <optional>
#include <string>

#include "evidence/model_agreement.h"

namespace envdoctor::compute {

// Half the gap between numbers of this precision at 1, over 1: 2^-24 of "float32"; 0: no such precision.
double roundoff_of(const std::string& precision);

// How many times what one rounding of every input, weight and result does, a layer's difference may be: from its kind,
// its longest sum and what it calls itself. Above it, no order of its additions explains the difference.
double layer_limit(const ModelAgreement& model, std::size_t index);

// What is wrong with a layer, judged by itself.
enum class LayerFault {
  none,
  not_a_number,
  changes,       // another result when it is called again
  changes_bits,  // the same, within what rounding explains
  beyond,        // further off than rounding explains
  normalises_by_batch,  // batch normalisation that takes the batch's own mean, as in training
};
LayerFault fault_of(const ModelAgreement& model, std::size_t index);
// Whether it makes the layer wrong; other bits within rounding do not.
bool is_error(LayerFault fault);

// The rows with a fault that no layer inside them explains, the first first; where there is a graver one, without those
// that only change their bits.
std::vector<std::size_t> faulty_layers(const ModelAgreement& model);

// The first gradient that is further off than a whole model's rounding explains.
std::optional<std::size_t> faulty_gradient(const ModelAgreement& model);

// A layer that could not be compared, and none inside it: the first; none: all were.
std::optional<std::size_t> layer_not_compared(const ModelAgreement& model);

}  // namespace envdoctor::compute

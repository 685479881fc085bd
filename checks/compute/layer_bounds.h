#pragma once
// Which differences between two runs of a layer can be explained by rounding. docs/numerics.md derives the limits.
#include <optional>
#include <string>

#include "evidence/model_agreement.h"

namespace envdoctor::compute {

// Half the gap between numbers of this precision at 1, over 1: 2^-24 of "float32"; 0: no such precision.
double roundoff_of(const std::string& precision);

// The allowed difference of a layer, as a multiple of the effect of one rounding of every input, weight and result:
// from its kind, its longest sum and its name. Above it, no order of its additions explains the difference.
double layer_limit(const ModelAgreement& model, std::size_t index);

// The fault of a layer, judged by itself.
enum class LayerFault {
  none,
  not_a_number,
  changes,              // a different result when it is called again
  changes_bits,         // the same, but within the limits of rounding
  beyond,               // larger than rounding explains
  normalises_by_batch,  // batch normalisation that uses the batch's own mean, as in training
};
LayerFault fault_of(const ModelAgreement& model, std::size_t index);
// Whether it makes the layer wrong; other bits within rounding do not.
bool is_error(LayerFault fault);

// The rows with a fault that no layer inside them explains, in order; if there is a worse one, without those
// that only change their bits.
std::vector<std::size_t> faulty_layers(const ModelAgreement& model);

// The first gradient whose error is larger than a whole model's rounding explains.
std::optional<std::size_t> faulty_gradient(const ModelAgreement& model);

// The first layer that could not be compared, nor any layer inside it; none: all could be compared.
std::optional<std::size_t> layer_not_compared(const ModelAgreement& model);

}  // namespace envdoctor::compute

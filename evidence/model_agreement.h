#pragma once
// A person's own model, run on two sides with the same weights and inputs: how far each layer and the whole differ.
#include "evidence/fields.h"

namespace envdoctor {

// One call of one layer; both sides receive the same inputs. Differences are root mean squares over the layer's result.
struct LayerAgreement {
  Text name{};         // "block/dense"
  Text kind{};         // its class; with its module where it is no framework's own: "models.MyLayer"
  Number inside{};     // of the rows before this one, how many are calls that it made itself
  Flag weighted{};     // it has weights of its own
  Text dtype{};        // of its result
  Text computes_in{};  // that it was set to compute in
  Number terms{};      // the longest sum that one number of its result is made of
  Number elements{};   // numbers in its result
  Number bits{};       // of significands, that its results use at most
  Real size{};         // of the other side's result
  Real difference{};
  Real largest{};         // difference of one number
  Real furthest{};        // the same over how far one rounding moves that number
  Real rounding{};        // how far one rounding of each input, weight and result changes the result
  Number not_a_number{};  // NaN or infinite on one side only
  Flag writes{};          // what it keeps beside its trained weights is changed by the call: running means, counters
  Flag repeats{};         // called again with the same inputs it gives the same bits
  Real repeat_difference{};
  Map<double> replays{};  // what is left of the difference if the other side computes so: tf32, bfloat16, no-bias, …
  Text looks{};           // what the difference looks like: zeros, offset, factor, factors
  Text where{};           // where it is, if it is not everywhere: "column 3 of 8"
  Text not_compared{};    // why there are no figures
  ENVDOCTOR_FIELDS(LayerAgreement, name, kind, inside, weighted, dtype, computes_in, terms, elements, bits, size,
                   difference, largest, furthest, rounding, not_a_number, writes, repeats, repeat_difference, replays,
                   looks, where, not_compared)
};

// The model's own result, with all that was carried from layer to layer.
struct OutputAgreement {
  Real relative_difference{};
  Number rows{};  // of a classifier: inputs, and how many are given the same class
  Number same_class{};
  ENVDOCTOR_FIELDS(OutputAgreement, relative_difference, rows, same_class)
};

struct GradientAgreement {
  Text name{};  // of the weight
  Real size{};
  Real difference{};
  Real rounding{};
  ENVDOCTOR_FIELDS(GradientAgreement, name, size, difference, rounding)
};

struct ModelAgreement {
  Text model{};      // as it was named
  Text library{};    // "Keras 3.5.0 on tensorflow 2.18.0"
  Text device{};     // the model's own side
  Text against{};    // the other side: fp64, cpu, tf32, bf16, deterministic
  Text precision{};  // that the model as a whole declares: float32
  Text judged_by{};  // whose roundings are allowed: the coarser of that and the other side's
  Text inputs{};     // "8 x 16 x 16 x 3 float32"
  Flag inputs_random{};
  Number seed{};
  Number memory_mib{};  // its estimated need
  Number memory_limit_mib{};
  List<LayerAgreement> layers{};  // in the order in which they end; the last is the model itself
  Reading<OutputAgreement> output{};
  List<GradientAgreement> gradients{};
  Flag weights_unchanged{};
  Text refused{};  // why nothing, or not all, was run
  ENVDOCTOR_FIELDS(ModelAgreement, model, library, device, against, precision, judged_by, inputs, inputs_random, seed,
                   memory_mib, memory_limit_mib, layers, output, gradients, weights_unchanged, refused)
};

}  // namespace envdoctor

// compute.layer-differs: a layer of the user's own model differs by more than rounding explains, or gives another
// result each time.
#include <cmath>

#include "checks/compute/compute_facts.h"
#include "checks/compute/layer_bounds.h"
#include "checks/engine/rule.h"

namespace envdoctor::compute_layer_differs {

using compute::LayerFault;

// The kind of difference, in words: "Layer 'dense_1' " + is, why, and the switch that removes it.
struct Named {
  std::string is{};
  std::string why{};
  std::string fix{};
};

bool has_word(const std::string& text, std::initializer_list<const char*> words) {
  return std::ranges::any_of(words, [&](const char* word) { return text.find(word) != text.npos; });
}

std::string on_the_other_side(const ModelAgreement& model) {
  const std::string against = model.against.or_empty();
  if (against == "cpu") return "on the CPU";
  if (against == "tf32") return "in TF32";
  if (against == "bf16") return "in bfloat16";
  return against == "deterministic" ? "in deterministic mode" : "in float64";
}

std::string without_tf32(const ModelAgreement& model) {
  const std::string library = model.library.or_empty();
  if (has_word(library, {"on tensorflow"})) return "tf.config.experimental.enable_tensor_float_32_execution(False).";
  if (has_word(library, {"on jax"})) return "jax.config.update('jax_default_matmul_precision', 'highest').";
  return "torch.set_float32_matmul_precision('highest') and torch.backends.cudnn.allow_tf32 = False.";
}

std::string deterministic(const ModelAgreement& model) {
  const std::string library = model.library.or_empty();
  if (has_word(library, {"on tensorflow"})) return "tf.config.experimental.enable_op_determinism().";
  if (has_word(library, {"on jax"})) return "XLA_FLAGS=--xla_gpu_deterministic_ops=true.";
  return "torch.use_deterministic_algorithms(True).";
}

bool is_keras(const ModelAgreement& model) { return model.library.or_empty().starts_with("Keras"); }

Named changing(const ModelAgreement& model, const LayerAgreement& row) {
  const bool random = has_word(row.kind.or_empty(), {"Drop", "Noise", "Random"});
  const std::string calm = is_keras(model) ? "training=False" : "model.eval()";
  if (random)
    return {"draws other random numbers in each call at inference",
            "Called again with the same input it gives another result: it is random although the model is not trained.",
            "Leave it to the framework when it is random: no training=True (in PyTorch, F.dropout(x, "
            "training=self.training)), "
            "and " +
                calm + " at inference."};
  return {
      "gives another result when it is called again",
      "With the same input the second result differs by more than rounding explains: it draws random numbers at "
      "inference, or it keeps a state from call to call.",
      "Draw no random numbers in it unless it is being trained, and keep nothing in it from one call to the next (a "
      "counter, a running mean, stateful=True)."};
}

Named narrow(const ModelAgreement& model, const std::string& precision, bool declared) {
  const std::string words = precision == "tf32" ? "TF32" : precision;
  if (precision == "tf32")
    return {
        "multiplies in TF32 instead of " + model.precision.or_empty(),
        "Its result is what inputs and weights of 11 bits give, and not what " + model.precision.or_empty() + " gives.",
        "Switch TF32 off: " + without_tf32(model)};
  const std::string policy =
      is_keras(model) ? "Give it dtype='" + model.precision.or_empty() + "'"
                      : "Keep it in " + model.precision.or_empty() + " (no .half(), .bfloat16() or autocast around it)";
  return {"computes in " + words + " in a model of " + model.precision.or_empty(),
          declared ? "It was told to compute in " + words + ", alone among the layers."
                   : "Its result holds no more than the bits of " + words + ".",
          policy + ", or give the whole model a mixed precision, by which it is judged then."};
}

// The replay with the smallest remaining difference, if that is close to zero.
std::string replayed(const LayerAgreement& row) {
  std::string best;
  double least = row.difference.or_empty() / 8;
  for (const auto& [name, left] : row.replays.or_empty()) {
    if (left < least) {
      best = name;
      least = left;
    }
  }
  return best;
}

std::optional<Named> by_replay(const ModelAgreement& model, const LayerAgreement& row) {
  const std::string name = replayed(row), other = on_the_other_side(model);
  if (name == "tf32" || name == "bfloat16") return narrow(model, name, false);
  if (name == "no-bias")
    return Named{"leaves out its bias", "Its result is what the layer gives " + other + " with a bias of zero.",
                 "Look how it adds its bias on this device and in this precision."};
  if (name == "transposed")
    return Named{"uses its weight transposed",
                 "Its result is what the layer gives " + other + " with the transposed weight.",
                 "Look how it multiplies, and how its weights were converted or loaded."};
  if (name.starts_with("int8"))
    return Named{"uses weights rounded to eight bits",
                 "Its result is what the layer gives " + other +
                     " with its weights as whole numbers of eight bits times a factor.",
                 "Run it without quantisation, or compare the quantised model with itself."};
  return std::nullopt;
}

Named by_looks(const ModelAgreement& model, const LayerAgreement& row) {
  const std::string looks = row.looks.or_empty(), where = row.where.get() ? " in " + *row.where.get() : "";
  const std::string at = where.empty() ? "" : " The difference is" + where + ".";
  const std::string look = "Compare what it does in " + model.precision.or_empty() + " on " + model.device.or_empty() +
                           " with what it does " + on_the_other_side(model) + ".";
  if (looks == "zeros")
    return {"gives zeros" + where, "Where it gives zeros, the other side gives numbers." + at, look};
  if (looks == "offset")
    return {"is off by a constant" + where,
            "Each column is off by one number, as by a bias that is left out or another one." + at, look};
  if (looks == "factor" || looks == "factors")
    return {"is off by a factor" + where,
            has_word(row.kind.or_empty(), {"Norm"})
                ? "It is scaled, as by another epsilon or variance." + at
                : "It is scaled, as by a factor that is left out or applied twice, or by another epsilon." + at,
            look};
  const double size = row.size.or_empty(), difference = row.difference.or_empty();
  const int bits = size > 0 && difference > 0 ? static_cast<int>(std::floor(std::log2(size / difference))) : 0;
  const char* like = bits == 7 || bits == 8     ? " (bfloat16 has 8)"
                     : bits == 10 || bits == 11 ? " (TF32 and float16 have 11)"
                                                : "";
  return {bits >= 3 ? fmt::format("keeps only {} bits{}{}", bits, like, where) : "gives wrong results" + where,
          "Neither rounding nor a simple change of its weights explains the difference." + at, look};
}

Named named(const ModelAgreement& model, std::size_t index) {
  const LayerAgreement& row = model.layers.or_empty()[index];
  const LayerFault fault = compute::fault_of(model, index);
  if (fault == LayerFault::not_a_number)
    return {
        "gives NaN or infinity",
        fmt::format("{} of its {} numbers are NaN or infinite on one side only.", row.not_a_number.or_empty(),
                    row.elements.or_empty()),
        "Look for a division by zero, a logarithm or root of what may be negative, and exponentials that overflow; in "
        "float16 nothing above 65504 has room."};
  if (fault == LayerFault::changes) return changing(model, row);
  if (fault == LayerFault::normalises_by_batch)
    return {
        "normalises by the batch it is given, as in training",
        "Its running mean or variance was changed by a call at inference: it took the mean of the batch instead, so "
        "that what it gives for one input depends on the others beside it.",
        is_keras(model) ? "Call it without training=True, and the model with training=False at inference."
                        : "Call model.eval() before inference, and .train() on no layer after that."};
  if (fault == LayerFault::changes_bits)
    return {"gives other bits when it is called again",
            "The results differ by no more than rounding: sums are added in no fixed order.",
            "Where bits must repeat: " + deterministic(model)};
  const std::string& precision = row.computes_in.or_empty();
  const double unit = compute::roundoff_of(model.judged_by.or_empty());
  if (unit > 0 && compute::roundoff_of(precision) > unit) return narrow(model, precision, true);
  if (unit > 0 && compute::roundoff_of(row.dtype.or_empty()) > unit) return narrow(model, row.dtype.or_empty(), false);
  if (const auto replay = by_replay(model, row); replay && !replayed(row).starts_with("int8")) return *replay;
  if (row.elements.or_empty() >= 16 && row.bits.or_empty() > 0 && unit <= 0x1p-24) {
    // Multiples of a step have as few bits too, but differ by more than a rounding of that precision.
    const auto explains = [&](const char* narrower) {
      return row.difference.or_empty() <= 2 * row.rounding.or_empty() * compute::roundoff_of(narrower) / unit;
    };
    for (const auto& [narrower, most] : {std::pair{"bfloat16", 8}, std::pair{"float16", 11}}) {
      if (row.bits.or_empty() > most) continue;
      if (explains(narrower)) return narrow(model, narrower, false);
      break;
    }
  }
  if (!row.looks.get()) {
    if (const auto replay = by_replay(model, row)) return *replay;
  }
  return by_looks(model, row);
}

std::string effect(const ModelAgreement& model) {
  const OutputAgreement output = model.output.or_empty();
  std::string text;
  if (const double* off = output.relative_difference.get())
    text = fmt::format(" The model's output differs by {:.2g} of itself", *off);
  if (output.rows.get() && !text.empty())
    text +=
        fmt::format(", and {} of {} inputs are given the same class", output.same_class.or_empty(), *output.rows.get());
  return text.empty() ? "" : text + ".";
}

std::string figures(const ModelAgreement& model, std::size_t index) {
  const LayerAgreement& row = model.layers.or_empty()[index];
  if (!row.difference.get() || !row.rounding.get())
    return row.repeats.is(false) ? "not the same when it is called again" : "";
  return fmt::format("off by {:.2g} of {:.2g}, one rounding gives {:.2g}, the limit is {:.0f} times that",
                     *row.difference.get(), row.size.or_empty(), *row.rounding.get(),
                     compute::layer_limit(model, index));
}

// "layer 'dense_1' (Dense)", or "the model itself".
std::string layer_words(const LayerAgreement& row) {
  const std::string& name = row.name.or_empty();
  return name == "the model" ? fmt::format("the model itself ({})", row.kind.or_empty())
                             : fmt::format("layer '{}' ({})", name, row.kind.or_empty());
}

void describe(Finding& finding, const ModelAgreement& model, const std::vector<std::size_t>& faulty) {
  const std::size_t first = faulty.front();
  const LayerAgreement& row = model.layers.or_empty()[first];
  const Named name = named(model, first);
  std::string words = layer_words(row);
  words[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(words[0])));
  finding.title = words + " " + name.is;
  finding.explanation = name.why;
  if (row.not_compared.get() && row.difference.get())
    finding.explanation +=
        " It does not run in float64, so it was compared with itself: moved evenly with its input, its "
        "result jumps as only rounding on the way makes it jump.";
  finding.explanation += effect(model);
  if (compute::fault_of(model, first) == LayerFault::changes_bits) finding.severity = Severity::info;
  for (std::size_t i = 0; i < faulty.size(); ++i) {
    const LayerAgreement& one = model.layers.or_empty()[faulty[i]];
    if (i > 0 && i < 4) finding.explanation += i == 1 ? " Also:" : ";";
    if (i > 0 && i < 4) finding.explanation += fmt::format(" {} {}", layer_words(one), named(model, faulty[i]).is);
    if (i > 0 && (i == 3 || i + 1 == faulty.size()) && i < 4)
      finding.explanation += faulty.size() > 4 ? fmt::format(" and {} more.", faulty.size() - 4) : ".";
    finding.evidence.push_back(
        evidence(at("/agree/layers", faulty[i]), one.name.or_empty() + ": " + figures(model, faulty[i])));
  }
  finding.fix = {{.text = name.fix}};
}

void describe_gradient(Finding& finding, const ModelAgreement& model, std::size_t index) {
  const GradientAgreement& row = model.gradients.or_empty()[index];
  finding.title = fmt::format("The gradient of '{}' differs by more than rounding explains", row.name.or_empty());
  finding.explanation =
      "Every layer computes forwards what it must, so the fault is in how a gradient is computed: a "
      "gradient of one's own, an operation that cuts it, or backward kernels of less precision.";
  finding.evidence = {evidence(at("/agree/gradients", index),
                               fmt::format("off by {:.2g} of {:.2g}, one rounding gives {:.2g}", *row.difference.get(),
                                           row.size.or_empty(), *row.rounding.get()))};
  finding.fix = {{.text = "Compare custom gradients with finite differences (torch.autograd.gradcheck, "
                          "tf.test.compute_gradient), and switch TF32 off: " +
                          without_tf32(model)}};
}

void judge(const Snapshot& snapshot, Answers& answers) {
  const ModelAgreement* model = snapshot.agree.get();
  if (!model) return answers.not_applicable("no model was run");
  const std::vector<std::size_t> faulty = compute::faulty_layers(*model);
  const std::string subject = "model:" + model->model.or_empty();
  const auto gradient = compute::faulty_gradient(*model);
  if (!faulty.empty())
    describe(answers.found_on(subject), *model, faulty);
  else if (gradient)
    describe_gradient(answers.found_on(subject), *model, *gradient);
  if (model->refused.get()) return answers.unknown("/agree/refused: " + *model->refused.get());
  if (model->layers.or_empty().empty()) return answers.unknown("/agree/layers: no layer was run");
  if (const auto left_out = compute::layer_not_compared(*model)) {
    const LayerAgreement& row = model->layers.or_empty()[*left_out];
    return answers.unknown(fmt::format("{}: {}", layer_words(row), *row.not_compared.get()));
  }
  answers.passed();
}

// A table that a person's own script prints, in which one layer is far off after others that agree.
void judge_printed(const Facts& facts, Answers& answers) {
  const Symptom* row = facts.first({{SymptomClass::wrong_result, "layer"}});
  if (!row) return;
  Finding& finding = answers.found_in(*row, Confidence::likely);
  finding.title = fmt::format("The layer '{}' computes something else", row->detail("layer"));
  finding.explanation = "The layers before it agree to rounding, and this one is off by far more.";
  finding.fix = {{.text =
                      "Run this layer alone with the same input, on both sides and twice on each: a second call that "
                      "differs shows randomness, and both sides in float64 show whether it is the precision. "
                      "'envdoctor agree' does it for a whole model."}};
}

Diagnosis diagnosis() {
  return {
      .id = "compute.layer-differs",
      .layer = Layer::compute,
      .severity = Severity::error,
      .title = "A layer of the model computes something else",
      .claim =
          "A layer of a person's model differs between two devices or precisions by more than rounding explains, or "
          "gives another result each time it is called.",
      .proof =
          "With the same weights and inputs on both sides, the difference is above the limit that the layer's kind, "
          "its longest sum and one rounding of each number give; or a second call gives another result.",
      .disproof = "The difference stays below that limit, and the second call gives the same bits.",
      .remedy =
          "Use the switch that the finding names: TF32 off, one precision for the whole model, no randomness at "
          "inference.",
      .judge_host = judge,
      .judge = judge_printed,
  };
}

}  // namespace envdoctor::compute_layer_differs

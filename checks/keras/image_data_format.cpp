// keras.image-data-format: Keras is set to channels_first, which this host's device does not support.
#include "checks/engine/rule.h"

namespace envdoctor::keras_image_data_format {

using enum SymptomClass;

// On the CPU TensorFlow computes with channels_first only through oneDNN; without it convolutions and poolings raise.
void judge(const Snapshot& snapshot, Answers& answers) {
  const Keras* keras = snapshot.keras.get();
  if (!keras) return answers.not_applicable("Keras was not looked at");
  const Text& format = keras->image_data_format;
  if (format.outcome() != Outcome::absent && !format.get())
    return answers.unknown(why_unknown("/keras/image_data_format", format));
  if (!format.is("channels_first")) return answers.passed();
  const Text& backend = keras->backend.get() ? keras->backend : keras->config_backend;
  if (backend.get() && !backend.is("tensorflow")) return answers.passed();
  const Number gpus = of(snapshot.tensorflow, &Tensorflow::physical_gpus);
  if (!backend.get()) return answers.unknown(why_unknown("/keras/backend", backend));
  if (!gpus.get()) return answers.unknown(why_unknown("/tensorflow/physical_gpus", gpus));
  if (*gpus.get() > 0) return answers.passed();
  const Flag onednn = of(snapshot.tensorflow, &Tensorflow::onednn);
  if (!onednn.get()) return answers.unknown(why_unknown("/tensorflow/onednn", onednn));
  if (onednn.is(true)) return answers.passed();
  Finding& finding = answers.found_on("framework:keras");
  finding.explanation =
      "keras.json sets channels_first. TensorFlow lists no GPU and oneDNN is off, and without both, convolution and "
      "pooling support only channels_last: training raises an error.";
  finding.evidence = {evidence("/keras/image_data_format", "channels_first"),
                      evidence("/tensorflow/physical_gpus", "0"), evidence("/tensorflow/onednn", "false")};
  finding.fix = {{.text = "Set \"image_data_format\": \"channels_last\" in keras.json, or leave oneDNN on "
                          "(TF_ENABLE_ONEDNN_OPTS=1)."}};
}

// Nobody speaks of a GPU, so the CPU was meant, and this ended the program.
bool cpu_was_meant(const Facts& facts) {
  return !facts.used() && !has_any_gpu(facts).is(true) &&
         !of(facts.snapshot().tensorflow, &Tensorflow::physical_gpus).get() &&
         !facts.saw({{noted, "stated-gpu"}, {noted, "nvidia-smi-versions"}, {missing, "tensorflow-gpu"}});
}

void judge_texts(const Facts& facts, Answers& answers) {
  const Symptom* line = facts.first({{unsupported, "channels-first-on-cpu"}});
  if (line && cpu_was_meant(facts)) answers.found_in(*line, Confidence::likely).severity = Severity::error;
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "keras.image-data-format",
      .layer = Layer::use,
      .severity = Severity::warning,
      .title = "This device does not support the image data format that Keras is set to",
      .claim = "image_data_format is channels_first where TensorFlow has neither a GPU nor oneDNN.",
      .proof = "keras.json, TensorFlow's list of devices, and TensorFlow's report that oneDNN is off.",
      .disproof = "A convolution with that order runs.",
      .remedy = "Set image_data_format to channels_last in keras.json.",
      .symptoms =
          {
              {{unsupported, "channels-first-on-cpu"}, possible, not_used},
          },
      .judge_host = judge,
      .judge = judge_texts,
  };
}

}  // namespace envdoctor::keras_image_data_format

#include "checks/facts/tensorflow_gpus.h"

#include "checks/facts/facts.h"

namespace envdoctor {

const Tensorflow* tensorflow_with_gpus(const Snapshot& snapshot, Answers& answers) {
  const Tensorflow* tensorflow = snapshot.tensorflow.get();
  if (!tensorflow) {
    answers.not_applicable("TensorFlow was not looked at");
    return nullptr;
  }
  const Number& physical = tensorflow->physical_gpus;
  if (!physical.get()) answers.unknown(why_unknown("/tensorflow/physical_gpus", physical));
  if (physical.get() && *physical.get() <= 0) answers.not_applicable("TensorFlow lists no GPU");
  return physical.or_empty() > 0 ? tensorflow : nullptr;
}

}  // namespace envdoctor

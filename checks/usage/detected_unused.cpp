// usage.detected-unused: TensorFlow lists a GPU but its work ran on the CPU, or a program says so.
#include "checks/engine/rule.h"
#include "checks/facts/tensorflow_gpus.h"

namespace envdoctor::usage_detected_unused {

using enum SymptomClass;

// Only a few of a model's layers run on the GPU, as with a default or a forgotten option.
void judge_layers(const Facts& facts, Answers& answers) {
  constexpr int few = 8, many = 16;
  for (const Symptom* line : facts.all({noted, "offloaded-layers"})) {
    const int given = std::atoi(line->detail("given").c_str()), all = std::atoi(line->detail("of").c_str());
    if (all < many || given * few > all) continue;
    Finding& finding = answers.found_in(*line, Confidence::possible);
    finding.title = "Nearly all of the model's layers run on the CPU";
    finding.explanation = fmt::format("The GPU was given {} of {} layers; the CPU computes the others.", given, all);
    finding.fix = {{.text = "Give the GPU more layers (llama.cpp: -ngl, n_gpu_layers=-1; Ollama: num_gpu), as far as "
                            "its memory goes."}};
    return;
  }
}

// The program's own fault: it moved one part to the GPU, which works, and left another.
void judge_mixed(const Facts& facts, Answers& answers) {
  const Symptom* line = facts.first({{mismatch, "tensor-devices"}});
  if (!line) return;
  Finding& finding = answers.found_in(*line, Confidence::possible);
  finding.title = "The program brings together what lies on two devices";
  finding.explanation =
      "One operation was given tensors of the GPU and of the CPU. The GPU works; the program didn't move all that it "
      "uses.";
  finding.fix = {{.text = "Move model, inputs and constants to one device; 'envdoctor script FILE' names the line."}};
}

// The program chose the GPU and keeps the processors busy, and nothing runs on any GPU.
void judge_idle(const Facts& facts, Answers& answers) {
  const Symptom* busy = facts.first({{noted, "busy-program"}});
  const auto& devices = of(facts.snapshot().nvidia, &Nvidia::devices).or_empty();
  const bool idle = !devices.empty() &&
                    std::ranges::all_of(devices, [](const NvidiaDevice& one) { return one.utilization_percent.is(0); });
  if (!busy || !idle || !facts.saw({{noted, "device-of-torch"}}) ||
      !of(facts.snapshot().nvidia, &Nvidia::processes).or_empty().empty())
    return;
  Finding& finding = answers.found_in(*busy, Confidence::possible);
  finding.evidence.push_back(evidence("/nvidia/devices/0/utilization_percent", "0"));
  finding.explanation =
      "The program chose a CUDA device and keeps several processors busy, and no GPU is in use: nothing moved its "
      "model and data there.";
  finding.fix = {{.text = find_diagnosis(answers.id)->remedy}};
}

void judge(const Facts& facts, Answers& answers) {
  judge_idle(facts, answers);
  judge_layers(facts, answers);
  judge_mixed(facts, answers);
  const Tensorflow* tensorflow = tensorflow_with_gpus(facts.snapshot(), answers);
  if (!tensorflow) return;
  struct Place {
    const char* path;
    const char* what;
    const Text& where;
  };
  const Place places[] = {{"/tensorflow/placement", "A matrix product that nobody placed", tensorflow->placement},
                          {"/tensorflow/variables_on", "A small Keras model's variables", tensorflow->variables_on},
                          {"/tensorflow/training_on", "A small Keras model's training step", tensorflow->training_on}};
  bool any = false;
  for (const Place& place : places) {
    any = any || place.where.get();
    if (place.where.value_or("GPU").find("GPU") != std::string::npos) continue;
    Finding& finding = answers.found_on("framework:tensorflow");
    finding.explanation =
        std::string(place.what) + " went to " + *place.where.get() + ", although TensorFlow lists a GPU.";
    finding.evidence = {evidence("/tensorflow/physical_gpus", std::to_string(*tensorflow->physical_gpus.get())),
                        evidence(place.path, *place.where.get())};
    finding.fix = {{.text = find_diagnosis(answers.id)->remedy}};
    return;
  }
  if (any) return answers.passed();
  answers.unknown(why_unknown("/tensorflow/placement", tensorflow->placement));
}

bool torch_finds_gpu(const Facts& facts) {
  return of(facts.snapshot().torch, &Torch::cuda_available).is(true) ||
         of(facts.snapshot().torch, &Torch::xpu_available).is(true);
}

// The program prints where its model is, and never that it was moved.
bool model_stays(const Facts& facts) {
  const bool listed = !of(facts.snapshot().nvidia, &Nvidia::devices).or_empty().empty();
  return (torch_finds_gpu(facts) || listed) && !of(facts.snapshot().torch, &Torch::cuda_available).is(false) &&
         when::no_better_cause(facts) &&
         !facts.saw({{noted, "model-on-gpu"}, {noted, "cpu-asked-for"}, {noted, "cpu-build"}});
}

bool cpu_half(const Facts& facts) {
  return !when::half_precision_failed_on_gpu(facts) && !facts.driver_dead() && !facts.saw({{noted, "cpu-asked-for"}});
}

// A program says that it works on the CPU, and there is a GPU with a working driver.
bool gpu_waits(const Facts& facts) {
  const bool listed = !of(facts.snapshot().nvidia, &Nvidia::devices).or_empty().empty();
  return !facts.used() && !facts.driver_dead() && (listed || facts.driver_works()) &&
         !facts.saw({{noted, "cpu-asked-for"}});
}

// TensorFlow found a GPU and places products of matrices on the CPU, and none of them on the GPU.
bool products_stay(const Facts& facts) {
  const Number gpus = of(facts.snapshot().tensorflow, &Tensorflow::physical_gpus);
  return (when::gpu_listed(facts) || gpus.or_empty() > 0) && !facts.with({used, "gpu"}, "by", "placement") &&
         !facts.saw({{noted, "cpu-asked-for"}, {hidden, "gpu-by-program"}});
}

// TensorFlow leaves out the weaker one of several GPUs, and works on another.
bool no_better_gpu(const Facts& facts) { return !facts.used(); }

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "usage.detected-unused",
      .layer = Layer::use,
      .severity = Severity::warning,
      .title = "The GPU is detected but the work runs on the CPU",
      .claim = "The framework lists the GPU, and the model or its data was never put on it.",
      .proof = "The GPU is listed and the program says that its work or data are on the CPU.",
      .disproof = "The program's operations are placed on the GPU.",
      .remedy = "Move model and data to the device, and log the placement.",
      .symptoms =
          {
              {{ignored, "gpu-with-few-multiprocessors"}, likely, no_better_gpu},
              {{ignored, "gpu"}, likely},
              {{noted, "still-on-cpu"}, possible, when::gpu_listed},
              {{noted, "parameters-on-cpu"}, possible, torch_finds_gpu},
              {{noted, "model-on-cpu"}, possible, model_stays},
              {{missing, "gpu-runner"}, likely},
              {{noted, "product-on-cpu"}, possible, products_stay},
              {{unsupported, "half-precision-on-cpu"}, possible, cpu_half},
              {{ignored, "gpu-for-work"}, possible, gpu_waits},
              {{ignored, "device-placement"}, possible, when::driver_starts},
          },
      .judge = judge,
  };
}

}  // namespace envdoctor::usage_detected_unused

// runtime.cuda-library-missing: the framework looks for a library of its build's CUDA by name, but there is no copy.
#include "checks/engine/rule.h"
#include "checks/runtime/library_facts.h"

namespace envdoctor::runtime_cuda_library_missing {

using enum SymptomClass;

void judge(const Facts& facts, Answers& answers) { judge_framework_libraries(facts, answers); }

bool gpu_build_without_libraries(const Facts& facts) {
  return !facts.used() && facts.all({missing, "library"}).empty() && no_driver_fault(facts);
}

// TensorFlow notes it on every machine without a GPU, too, also for work that needs none.
bool gpu_wanted(const Facts& facts) {
  return gpu_build_without_libraries(facts) &&
         (of(facts.snapshot().tensorflow, &Tensorflow::physical_gpus).get() || has_any_gpu(facts).is(true) ||
          facts.saw({{missing, "gpu-libraries"},
                     {missing, "tensorflow-gpu"},
                     {missing, "any-gpu"},
                     {missing, "kernel-driver"},
                     {noted, "stated-gpu"},
                     {noted, "stated-cuda"},
                     {noted, "nvidia-smi-versions"},
                     {present, "gpu"}}));
}

bool more_than_cudnn(const Facts& facts) {
  return !cuda_in_library_path(facts) &&
         std::ranges::any_of(facts.all({missing, "jax-library"}),
                             [](const Symptom* one) { return one->detail("library") != "cuDNN"; });
}

// JAX's plug-in for CUDA looks for the libraries while it starts; nothing else tells why it failed.
bool plugin_alone_fails(const Facts& facts) {
  return no_driver_fault(facts) && !facts.used() &&
         !facts.saw({{missing, "jax-library"},
                     {missing, "library"},
                     {missing, "library-symbol"},
                     {mismatch, "cudnn-version"},
                     {mismatch, "cuda-version"},
                     {mismatch, "jaxlib-version"},
                     {mismatch, "jax-plugin-version"},
                     {too_old, "jax-library"},
                     {missing, "visible-gpu"},
                     {failed, "cuda-call"},
                     {failed, "python-import"}});
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "runtime.cuda-library-missing",
      .layer = Layer::runtime,
      .severity = Severity::error,
      .title = "A CUDA library that the framework needs is not found",
      .claim = "The framework loads a library of one CUDA version by name, and the dynamic loader does not find it.",
      .proof =
          "The framework names the library that it can't open, or the loader's search for the build's libraries fails.",
      .disproof = "Every library that the build asks for is found.",
      .remedy = "Install the CUDA libraries of the build's own version into the same environment.",
      .explains = {"usage.detected-unused", "runtime.cudnn-missing"},
      .symptoms =
          {
              {{missing, "cuda-libraries"}, likely, gpu_wanted},
              {{missing, "cuda-libraries"}, possible, gpu_build_without_libraries},
              {{missing, "jax-library"}, likely, more_than_cudnn, "library", "cu"},
              {{missing, "cuda-runtime"}, likely, gpu_build_without_libraries},
              {{failed, "onnxruntime-cuda-provider"}, possible, no_library_named},
              {{missing, "any-library"}, possible, unnamed_and_unused, "library", "cuda"},
              {{missing, "any-cuda-library"}, possible, gpu_build_without_libraries},
              {{failed, "jax-plugin"}, possible, plugin_alone_fails},
              {{missing, "nvrtc-builtins"}, likely},
          },
      .judge = judge,
      .complete = name_library_packages,
  };
}

}  // namespace envdoctor::runtime_cuda_library_missing

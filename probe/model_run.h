#pragma once
#include <functional>
#include <string>

#include "evidence/model_agreement.h"
#include "evidence/snapshot.h"
#include "host/process/subprocess.h"

namespace envdoctor {

// A user's model, and how to run it.
struct ModelRun {
  std::string model{};  // a path, or "module:function" and "script.py:function"
  std::string shown{};  // its name in reports
  bool function = false;
  std::string input{};    // a .npy or .npz file; empty: generated from the seed
  std::string against{};  // fp64, cpu, tf32, bf16, deterministic
  std::int64_t seed = 1;
  std::int64_t memory_mib = 16'384;
  bool gradients = false;
  bool allow_code = false;  // pickles and Lambda layers may be loaded
};

// What the model computed, layer by layer, on both sides. It runs in `python`, in a child with these limits; if it is
// stopped early, its results so far are kept, with the reason in `refused`. Failed: Python could not be started.
// `progress` (may be empty) is called often with the current step.
Reading<ModelAgreement> run_model(const ModelRun& run, const std::string& python, const std::vector<std::string>& env,
                                  Milliseconds most, const std::function<void(const std::string&)>& progress);

}  // namespace envdoctor

#pragma once
#include <functional>
#include <string>

#include "evidence/model_agreement.h"
#include "evidence/snapshot.h"
#include "host/process/subprocess.h"

namespace envdoctor {

// A person's model, and how it is to be run.
struct ModelRun {
  std::string model{};        // a path, or "module:function" and "script.py:function"
  std::string shown{};        // as reports name it
  bool function = false;
  std::string input{};        // a .npy or .npz file; empty: made of the seed
  std::string against{};      // fp64, cpu, tf32, bf16, deterministic
  std::int64_t seed = 1;
  std::int64_t memory_mib = 16'384;
  bool gradients = false;
  bool allow_code = false;    // pickles and Lambda layers may be loaded
};

// What the model computed, layer by layer, on both sides. It runs in `python`, in a child with these limits; what it
// came to before it was stopped is kept, with the reason in `refused`. Failed: Python could not be started.
// `progress` (may be empty) is called often with what it does.
Reading<ModelAgreement> run_model(const ModelRun& run, const std::string& python, const std::vector<std::string>& env,
                                  Milliseconds most, const std::function<void(const std::string&)>& progress);

}  // namespace envdoctor

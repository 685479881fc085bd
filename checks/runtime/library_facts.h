#pragma once
// The shared libraries that a program or a framework needs: the rows of /libraries and the lines of text that say
// that a library or one of its symbols is missing, and the diagnosis that each belongs to.
#include "checks/engine/diagnosis.h"
#include "checks/facts/facts.h"
#include "knowledge/frameworks/frameworks.h"

namespace envdoctor {

struct LibraryRow {
  const SharedLibrary* library = nullptr;
  std::size_t index = 0;  // in /libraries
};

// Every row of this soname, found or not.
std::vector<LibraryRow> rows_of(const Snapshot& snapshot, std::string_view soname);

// The precedence of a copy of this origin in a framework that has its own copies: LD_PRELOAD, then
// LD_LIBRARY_PATH, then the environment's own (RUNPATH), then the system's. Lower comes first.
int precedence(const SharedLibrary& library);

// The diagnosis that a missing library of this name, Linux or Windows, belongs to; empty: none.
std::string_view diagnosis_of_library(std::string_view name);

// "91900", "8902" as cudnnGetVersion gives them, or a dotted version -> "9.19.0", "8.9.2".
std::string cudnn_version_text(std::string_view version);

// The CUDA that the installed torch was built for, as it states or its version's tag says; empty: unknown.
std::string cuda_of_torch(const Snapshot& snapshot);

// What this release of TensorFlow was built with for Linux, and the installed JAX with its plug-in's CUDA; none: not
// recorded, an empty version, or another platform.
std::optional<knowledge::TensorflowNeeds> linux_tensorflow_needs(const Snapshot& snapshot, const std::string& version);
std::optional<knowledge::JaxNeeds> jax_needs(const Snapshot& snapshot, const std::string& version);

// A missing library that a program needs.
struct MissingLibrary {
  std::string name{};
  std::string_view diagnosis{};
  Evidence evidence{};
  Confidence confidence = Confidence::certain;
  const Symptom* symptom = nullptr;  // null: a row of /libraries in a report
};

// Those that ldd and programs name, then those that a report lists as not found; each has a diagnosis.
std::vector<MissingLibrary> missing_libraries(const Facts& facts);
// A finding of this diagnosis for each of its libraries that a text names; where a finding for this library exists
// already, the text becomes further evidence.
void report_missing_libraries(const Facts& facts, Answers& answers);
// The whole rule of runtime.cuda-library-missing or runtime.cudnn-missing: the libraries of this diagnosis that the
// installed TensorFlow needs, and those that texts and reports name.
void judge_framework_libraries(const Facts& facts, Answers& answers);

// Adds the package of PyPI that holds the library of each finding.
void name_library_packages(const Facts& facts, Answers& answers);

struct MissingSymbol {
  const Symptom* symptom = nullptr;
  Confidence confidence = Confidence::likely;
};
// The first symbol that a text says is missing, if it belongs to this diagnosis.
std::optional<MissingSymbol> missing_symbol(const Facts& facts, std::string_view id);

// No text says that the NVIDIA driver is missing or that CUDA did not start.
bool no_driver_fault(const Facts& facts);
// No text names the file of a library that is missing.
bool no_library_named(const Facts& facts);
// And no GPU is used, because a program also tries GPU libraries that it doesn't need.
bool unnamed_and_unused(const Facts& facts);
// LD_LIBRARY_PATH names a CUDA folder.
bool cuda_in_library_path(const Facts& facts);

}  // namespace envdoctor

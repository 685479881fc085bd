// driver.libcuda-stub: programs load the toolkit's link-time stand-in instead of the driver's library.
#include "checks/driver/nvidia_facts.h"

namespace envdoctor::driver_libcuda_stub {

using enum SymptomClass;
namespace {

constexpr const char* id = "driver.libcuda-stub";

// The path of a stub that a program would load, as evidence.
std::optional<Evidence> stub_loaded(const Snapshot& snapshot) {
  const Text path = nvidia::libcuda(snapshot);
  if (path.get() && path.get()->find("/stubs/") != std::string::npos) return nvidia::libcuda_evidence(snapshot);
  const auto* libraries = snapshot.libraries.get();
  for (std::size_t i = 0; libraries && i < libraries->size(); ++i) {
    const SharedLibrary& row = (*libraries)[i];
    if (row.soname.is("libcuda.so.1") && row.found.is(true) && row.stub.is(true) && !row.shadowed_by.get())
      return evidence(at("/libraries", i, "stub"), row.path.get() ? *row.path.get() : "true");
  }
  return std::nullopt;
}

// Where a stub without a version lies, which linkers use and programs seldom load.
std::optional<Evidence> stub_on_disk(const Snapshot& snapshot) {
  const auto* libraries = snapshot.libraries.get();
  for (std::size_t i = 0; libraries && i < libraries->size(); ++i) {
    const SharedLibrary& row = (*libraries)[i];
    if (row.path.get() && row.path.get()->find("/stubs/libcuda.so") != std::string::npos)
      return evidence(at("/libraries", i, "path"), *row.path.get());
  }
  return std::nullopt;
}

void judge(const Facts& facts, Answers& answers) {
  const Snapshot& snapshot = facts.snapshot();
  if (const std::string why = nvidia::not_here(snapshot); !why.empty()) return answers.not_applicable(id, why);
  if (nvidia::cuda_works(snapshot)) return answers.passed(id);
  const auto loaded = stub_loaded(snapshot);
  const bool answered = nvidia::cuinit(snapshot).is(cuda_error::stub_library);
  if (loaded || answered) {
    Finding& finding = answers.found(id, "library:libcuda.so.1");
    finding.severity = nvidia::fault_severity(snapshot);
    finding.explanation =
        "The CUDA toolkit brings a libcuda that is good for linking only: each of its functions returns an error. It "
        "was found before the driver's own.";
    if (answered) finding.evidence = nvidia::cuinit_evidence(snapshot);
    for (const Symptom* line : facts.all({present, "stub-folder-in-search-path"})) {
      finding.evidence.push_back(evidence(*line));
      break;
    }
    const auto where = loaded ? loaded : stub_on_disk(snapshot);
    if (where) finding.evidence.push_back(*where);
    const Text path = env_of(snapshot, "LD_LIBRARY_PATH");
    if (path.get() && path.get()->find("stubs") != std::string::npos)
      finding.evidence.push_back(evidence("/env/LD_LIBRARY_PATH", *path.get()));
    finding.fix = {{.text = "Take every folder that ends in /stubs out of LD_LIBRARY_PATH and of /etc/ld.so.conf.d; in "
                            "a container make sure that the driver's libcuda.so.1 is "
                            "passed in (--gpus all)."}};
    return;
  }
  const Text libcuda = nvidia::libcuda(snapshot);
  if (libcuda.get()) return answers.passed(id);
  if (libcuda.outcome() == Outcome::absent) return answers.not_applicable(id, "no libcuda.so.1 is found");
  if (nvidia::cuinit(snapshot).get()) return answers.passed(id);
  answers.unknown(id, why_unknown(nvidia::libcuda_place(snapshot), libcuda));
}

}  // namespace

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "driver.libcuda-stub",
      .layer = Layer::user_driver,
      .severity = Severity::error,
      .title = "The toolkit's stub stands in for the driver library",
      .claim = "The libcuda that programs load is the CUDA toolkit's link-time stub, which only returns errors.",
      .proof = "libcuda comes from a folder named stubs, or cuInit answers 34.",
      .disproof = "libcuda's path is the driver's own.",
      .remedy = "Take the toolkit's lib/stubs folder out of LD_LIBRARY_PATH.",
      .explains = with_unusable_driver({"driver.init-failed"}),
      .symptoms =
          {
              {{unsupported, "libcuda-version"}, likely, nullptr, "version", "1"},
          },
      .judge = judge,
  };
}

}  // namespace envdoctor::driver_libcuda_stub

// driver.libcuda-stub: programs load the toolkit's link-time stand-in instead of the driver's library.
#include "checks/nvidia.h"

namespace envdoctor {
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
      return seen(at("/libraries", i, "stub"), row.path.get() ? *row.path.get() : "true");
  }
  return std::nullopt;
}

// Where a stub without a version lies, which linkers use and programs seldom load.
std::optional<Evidence> stub_on_disk(const Snapshot& snapshot) {
  const auto* libraries = snapshot.libraries.get();
  for (std::size_t i = 0; libraries && i < libraries->size(); ++i) {
    const SharedLibrary& row = (*libraries)[i];
    if (row.path.get() && row.path.get()->find("/stubs/libcuda.so") != std::string::npos)
      return seen(at("/libraries", i, "path"), *row.path.get());
  }
  return std::nullopt;
}

void run(const Snapshot& snapshot, Answers& answers) {
  if (const std::string why = nvidia::not_here(snapshot); !why.empty()) return answers.not_applicable(id, why);
  if (nvidia::cuda_works(snapshot)) return answers.sound(id);
  const auto loaded = stub_loaded(snapshot);
  const bool answered = nvidia::cuinit(snapshot).is("CUDA_ERROR_STUB_LIBRARY");
  if (loaded || answered) {
    Finding& finding = answers.found(id, "library:libcuda.so.1");
    finding.severity = nvidia::fault_severity(snapshot);
    finding.explanation =
        "The CUDA toolkit brings a libcuda that is good for linking only: each of its functions returns an error. It "
        "was found before the driver's own.";
    if (answered) finding.evidence.push_back(nvidia::cuinit_evidence(snapshot));
    const auto where = loaded ? loaded : stub_on_disk(snapshot);
    if (where) finding.evidence.push_back(*where);
    const Text path = env_of(snapshot, "LD_LIBRARY_PATH");
    if (path.get() && path.get()->find("stubs") != std::string::npos)
      finding.evidence.push_back(seen("/env/LD_LIBRARY_PATH", *path.get()));
    finding.fix = {{.text = "Take every folder that ends in /stubs out of LD_LIBRARY_PATH and of /etc/ld.so.conf.d; in "
                            "a container make sure that the driver's libcuda.so.1 is "
                            "passed in (--gpus all)."}};
    return;
  }
  const Text libcuda = nvidia::libcuda(snapshot);
  if (libcuda.get()) return answers.sound(id);
  if (libcuda.outcome() == Outcome::absent) return answers.not_applicable(id, "no libcuda.so.1 is found");
  if (nvidia::cuinit(snapshot).get()) return answers.sound(id);
  answers.unknown(id, why_unknown(nvidia::libcuda_place(snapshot), libcuda));
}

}  // namespace

Check driver_libcuda_stub() { return {{id}, run}; }

}  // namespace envdoctor

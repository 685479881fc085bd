// driver.libcuda-stub: programs load the toolkit's link-time stub instead of the driver's library.
#include "checks/driver/nvidia_facts.h"

namespace envdoctor::driver_libcuda_stub {

using enum SymptomClass;

// The path of a stub that a program would load, as evidence.
std::optional<Evidence> stub_loaded(const Snapshot& snapshot) {
  if (nvidia::libcuda(snapshot).or_empty().find("/stubs/") != std::string::npos)
    return nvidia::libcuda_evidence(snapshot);
  for (const auto& [i, row] : numbered(snapshot.libraries)) {
    if (row.soname.is("libcuda.so.1") && row.found.is(true) && row.stub.is(true) && !row.shadowed_by.get())
      return evidence(at("/libraries", i, "stub"), row.path.value_or("true"));
  }
  return std::nullopt;
}

// The place of a stub without a version, which linkers use and programs seldom load.
std::optional<Evidence> stub_on_disk(const Snapshot& snapshot) {
  for (const auto& [i, row] : numbered(snapshot.libraries)) {
    if (row.path.or_empty().find("/stubs/libcuda.so") != std::string::npos)
      return evidence(at("/libraries", i, "path"), *row.path.get());
  }
  return std::nullopt;
}

void report_finding(const Facts& facts, bool answered, const std::optional<Evidence>& place, Answers& answers) {
  Finding& finding =
      nvidia::fault(answers, facts, Confidence::certain,
                    answered ? nvidia::cuinit_evidence(facts) : std::vector<Evidence>{}, "library:libcuda.so.1");
  finding.explanation =
      "The CUDA toolkit brings a libcuda that is good for linking only: each of its functions returns an error. It was "
      "found before the driver's own.";
  if (const Symptom* line = facts.first({{present, "stub-folder-in-search-path"}}))
    finding.evidence.push_back(evidence(*line));
  if (place) finding.evidence.push_back(*place);
  const std::string path = env_of(facts, "LD_LIBRARY_PATH").or_empty();
  if (path.find("stubs") != std::string::npos) finding.evidence.push_back(evidence("/env/LD_LIBRARY_PATH", path));
  finding.fix = {{.text = "Take every folder that ends in /stubs out of LD_LIBRARY_PATH and of /etc/ld.so.conf.d; in a "
                          "container make sure that the driver's libcuda.so.1 is passed in (--gpus all)."}};
}

void judge(const Facts& facts, Answers& answers) {
  if (nvidia::cuda_works(facts)) return answers.passed();
  const auto loaded = stub_loaded(facts);
  const Text cuinit = nvidia::cuinit(facts), libcuda = nvidia::libcuda(facts);
  const bool answered = cuinit.is(cuda_error::stub_library);
  // Images keep the stub for a start without a GPU; then the driver's own library is missing with its nodes.
  if (!loaded && answered && facts.saw({{missing, "device-node"}}))
    return answers.not_applicable("the GPU's device node is missing as well, so the driver is not here");
  if (loaded || answered) return report_finding(facts, answered, loaded ? loaded : stub_on_disk(facts), answers);
  if (libcuda.get()) return answers.passed();
  if (libcuda.outcome() == Outcome::absent) return answers.not_applicable("no libcuda.so.1 is found");
  if (cuinit.get()) return answers.passed();
  answers.unknown(why_unknown(nvidia::libcuda_place(facts), libcuda));
}

// A file named libcuda.so.1 is a stub, or the driver's library that a container mounts under that name alone. A stub
// answers 34, or that there is no device; an unknown error comes from a driver.
bool not_refused_by_a_driver(const Facts& facts) { return !nvidia::cuinit(facts).is(cuda_error::unknown); }

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
      .explains = with_unusable_driver({"driver.init-failed", "runtime.library-shadowed"}),
      .symptoms =
          {
              {{unsupported, "libcuda-version"}, likely, not_refused_by_a_driver, "version", "1"},
              {{present, "libcuda-stub"}, likely},
          },
      .not_here = nvidia::not_here,
      .judge = judge,
  };
}

}  // namespace envdoctor::driver_libcuda_stub

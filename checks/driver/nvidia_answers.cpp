// What cuInit and NVML answered: as asked on this host, or as a program's log tells it.
#include <array>

#include "checks/driver/nvidia_facts.h"
#include "knowledge/codes/names.h"
#include "knowledge/gpus/drivers.h"

namespace envdoctor::nvidia {
namespace {

using enum SymptomClass;

struct FromLog {
  Kind kind;
  const char* error;  // empty: `field` holds it
  const char* field;
};

constexpr std::array<FromLog, 10> cuinit_events{{
    {{failed, "cuinit"}, "", "code"},
    {{failed, "cuda-call"}, "", "code"},
    {{missing, "system-initialization"}, cuda_error::system_not_ready, ""},
    {{unsupported, "cuda-compatibility-package"}, cuda_error::compat_not_supported_on_device, ""},
    {{mismatch, "driver-and-libcuda"}, cuda_error::system_driver_mismatch, ""},
    {{present, "libcuda-stub"}, cuda_error::stub_library, ""},
    {{refused, "operating-system-call"}, cuda_error::operating_system, ""},
    {{busy, "cuda-device"}, cuda_error::device_unavailable, ""},
    {{missing, "cuda-device"}, cuda_error::no_device, ""},
    {{failed, "cuda"}, cuda_error::unknown, ""},
}};

constexpr std::array<FromLog, 7> nvml_events{{
    {{mismatch, "driver-library-version"}, nvml_error::lib_rm_version_mismatch, ""},
    {{refused, "nvml"}, nvml_error::no_permission, ""},
    {{missing, "libnvidia-ml"}, nvml_error::library_not_found, ""},
    {{missing, "loaded-driver"}, nvml_error::driver_not_loaded, ""},
    {{lost, "gpu"}, nvml_error::gpu_is_lost, ""},
    {{failed, "nvml"}, nvml_error::unknown, ""},
    {{missing, "nvml-device"}, nvml_error::not_found, ""},
}};

struct Answer {
  Text name{};
  std::vector<Evidence> evidence{};
};

// What the lines of a log say, and each that says the same.
template <class Table>
Answer from_log(const Snapshot& snapshot, const Table& table) {
  Answer answer;
  for (const FromLog& row : table) {
    for (const Symptom* line : symptoms_of(snapshot, row.kind)) {
      std::string name = row.error;
      if (name.empty()) {
        const std::string printed = line->detail(row.field);
        if (printed.empty()) continue;
        name = knowledge::cuda_error_name(printed);
      }
      if (!answer.name.get()) answer.name = name;
      if (!answer.name.is(name)) continue;
      answer.evidence.push_back(evidence(*line, name));
      break;
    }
  }
  return answer;
}

// The host's own answer, and the lines of a log that say the same.
template <class Table>
Answer both(const Snapshot& snapshot, const Text& error, std::string name, const char* place, const Table& table) {
  Answer answer{name, {evidence(place, *error.get())}};
  if (Answer told = from_log(snapshot, table); told.name.is(name))
    answer.evidence.insert(answer.evidence.end(), told.evidence.begin(), told.evidence.end());
  return answer;
}

Answer cuinit_answer(const Snapshot& snapshot) {
  const Text error = of(snapshot.nvidia, &Nvidia::cuinit_error);
  if (error.get())
    return both(snapshot, error, knowledge::cuda_error_name(*error.get()), "/nvidia/cuinit_error", cuinit_events);
  if (error.outcome() == Outcome::absent) {
    // 'Absent' also stands where there was no library to ask.
    const auto cuda = of(snapshot.nvidia, &Nvidia::cuda_devices);
    if (of(snapshot.nvidia, &Nvidia::cuda_library).get() || (cuda.get() && !cuda.get()->empty())) return {error, {}};
    return {envdoctor::failed("cuInit was not asked: " + error.why()), {}};
  }
  Answer told = from_log(snapshot, cuinit_events);
  return told.name.get() || error.outcome() == Outcome::not_probed ? told : Answer{error, {}};
}

Answer nvml_answer(const Snapshot& snapshot) {
  const Text error = of(snapshot.nvidia, &Nvidia::nvml_error);
  if (error.get())
    return both(snapshot, error, knowledge::nvml_error_name(*error.get()), "/nvidia/nvml_error", nvml_events);
  if (error.outcome() == Outcome::absent) {
    if (of(snapshot.nvidia, &Nvidia::nvml_library).get() || of(snapshot.nvidia, &Nvidia::devices).get())
      return {error, {}};
    return {envdoctor::failed("NVML was not asked: " + error.why()), {}};
  }
  Answer told = from_log(snapshot, nvml_events);
  return told.name.get() || error.outcome() == Outcome::not_probed ? told : Answer{error, {}};
}

}  // namespace

Text cuinit(const Snapshot& snapshot) { return cuinit_answer(snapshot).name; }
std::vector<Evidence> cuinit_evidence(const Snapshot& snapshot) { return cuinit_answer(snapshot).evidence; }
Text nvml(const Snapshot& snapshot) { return nvml_answer(snapshot).name; }
std::vector<Evidence> nvml_evidence(const Snapshot& snapshot) { return nvml_answer(snapshot).evidence; }

Versions versions(const Snapshot& snapshot) {
  const Text kernel = of(snapshot.nvidia, &Nvidia::kernel_driver_version);
  const Text user = of(snapshot.nvidia, &Nvidia::userspace_driver_version);
  Versions found;
  if (kernel.get()) {
    found.kernel = *kernel.get();
    found.evidence.push_back(evidence("/nvidia/kernel_driver_version", found.kernel));
  }
  if (user.get()) {
    found.user = *user.get();
    found.evidence.push_back(evidence("/nvidia/userspace_driver_version", found.user));
  }
  const bool known = kernel.get() && user.get();
  if (known && knowledge::compare_versions(found.kernel, found.user) == 0) return found;
  for (const Symptom* line : symptoms_of(snapshot, {mismatch, "driver-version"})) {
    if (found.user.empty()) found.user = line->detail("library");
    if (found.kernel.empty()) found.kernel = line->detail("kernel");
    // The kernel names its own version on a line of its own.
    for (const Symptom* second : symptoms_of(snapshot, {mismatch, "kernel-module-version"})) {
      if (found.kernel.empty()) found.kernel = second->detail("kernel");
    }
    found.told_to_differ = true;
    if (known) return found;
    const auto told = [](const std::string& version) { return version.empty() ? std::string("?") : version; };
    found.evidence.push_back(evidence(*line, "kernel " + told(found.kernel) + ", library " + told(found.user)));
    break;
  }
  return found;
}

bool Versions::differ() const {
  if (kernel.empty() || user.empty()) return told_to_differ;
  return knowledge::compare_versions(kernel, user) != 0;
}

std::vector<Evidence> joined(std::vector<Evidence> first, const std::vector<Evidence>& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

}  // namespace envdoctor::nvidia

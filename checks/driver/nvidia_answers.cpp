// What cuInit and NVML returned: on this host, or according to a program's log.
#include <span>

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

constexpr FromLog cuinit_events[] = {
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
};

constexpr FromLog nvml_events[] = {
    {{mismatch, "driver-library-version"}, nvml_error::lib_rm_version_mismatch, ""},
    {{refused, "nvml"}, nvml_error::no_permission, ""},
    {{missing, "libnvidia-ml"}, nvml_error::library_not_found, ""},
    {{missing, "loaded-driver"}, nvml_error::driver_not_loaded, ""},
    {{lost, "gpu"}, nvml_error::gpu_is_lost, ""},
    {{failed, "nvml"}, nvml_error::unknown, ""},
    {{missing, "nvml-device"}, nvml_error::not_found, ""},
};

struct Answer {
  Text name{};
  std::vector<Evidence> evidence{};
};

// The value in the lines of a log, with every line that agrees.
Answer from_log(const Snapshot& snapshot, std::span<const FromLog> table) {
  Answer answer;
  for (const FromLog& row : table) {
    for (const Symptom* line : symptoms_of(snapshot, row.kind)) {
      const std::string name = *row.error ? row.error : knowledge::cuda_error_name(line->detail(row.field));
      if (name.empty()) continue;
      if (!answer.name.get()) answer.name = name;
      if (!answer.name.is(name)) continue;
      answer.evidence.push_back(evidence(*line, name));
      break;
    }
  }
  return answer;
}

// The host's own answer, with the log lines that agree; otherwise the log's value.
Answer answer_of(const Snapshot& snapshot, const Text& error, std::string (*name_of)(std::string_view),
                 const char* place, std::span<const FromLog> table) {
  Answer logged = from_log(snapshot, table);
  if (!error.get()) return logged.name.get() || error.outcome() == Outcome::not_probed ? logged : Answer{error, {}};
  Answer answer{name_of(*error.get()), {evidence(place, *error.get())}};
  if (logged.name.is(*answer.name.get())) answer.evidence = joined(answer.evidence, logged.evidence);
  return answer;
}

// 'Absent' also occurs where there was no library to call.
Answer success(const Text& error, bool asked, const char* what) {
  return {asked ? error : Text(envdoctor::failed(fmt::format("{} was not asked: {}", what, error.why()))), {}};
}

Answer cuinit_answer(const Snapshot& snapshot) {
  const Text error = of(snapshot.nvidia, &Nvidia::cuinit_error);
  if (error.outcome() == Outcome::absent)
    return success(error,
                   of(snapshot.nvidia, &Nvidia::cuda_library).get() ||
                       !of(snapshot.nvidia, &Nvidia::cuda_devices).or_empty().empty(),
                   "cuInit");
  return answer_of(snapshot, error, knowledge::cuda_error_name, "/nvidia/cuinit_error", cuinit_events);
}

Answer nvml_answer(const Snapshot& snapshot) {
  const Text error = of(snapshot.nvidia, &Nvidia::nvml_error);
  if (error.outcome() == Outcome::absent)
    return success(
        error, of(snapshot.nvidia, &Nvidia::nvml_library).get() || of(snapshot.nvidia, &Nvidia::devices).get(), "NVML");
  return answer_of(snapshot, error, knowledge::nvml_error_name, "/nvidia/nvml_error", nvml_events);
}

std::string branch(const std::string& version) { return version.substr(0, version.find('.')); }

}  // namespace

Text cuinit(const Snapshot& snapshot) { return cuinit_answer(snapshot).name; }
std::vector<Evidence> cuinit_evidence(const Snapshot& snapshot) { return cuinit_answer(snapshot).evidence; }
Text nvml(const Snapshot& snapshot) { return nvml_answer(snapshot).name; }
std::vector<Evidence> nvml_evidence(const Snapshot& snapshot) { return nvml_answer(snapshot).evidence; }

Versions versions(const Snapshot& snapshot) {
  const Text kernel = of(snapshot.nvidia, &Nvidia::kernel_driver_version);
  const Text user = of(snapshot.nvidia, &Nvidia::userspace_driver_version);
  Versions found{.kernel = kernel.or_empty(), .user = user.or_empty()};
  if (kernel.get()) found.evidence.push_back(evidence("/nvidia/kernel_driver_version", found.kernel));
  if (user.get()) found.evidence.push_back(evidence("/nvidia/userspace_driver_version", found.user));
  const bool known = kernel.get() && user.get();
  if (known && knowledge::compare_versions(found.kernel, found.user) == 0) return found;
  const Symptom* line = first_symptom(snapshot, {{mismatch, "driver-version"}});
  if (!line) return found;
  found.reported_different = true;
  if (found.user.empty()) found.user = line->detail("library");
  if (found.kernel.empty()) found.kernel = line->detail("kernel");
  // The kernel prints its own version on a separate line.
  for (const Symptom* second : symptoms_of(snapshot, {mismatch, "kernel-module-version"})) {
    if (found.kernel.empty()) found.kernel = second->detail("kernel");
  }
  const auto shown = [](const std::string& version) { return version.empty() ? "?" : version; };
  if (!known)
    found.evidence.push_back(evidence(*line, "kernel " + shown(found.kernel) + ", library " + shown(found.user)));
  return found;
}

bool Versions::differ() const {
  if (kernel.empty() || user.empty()) return reported_different;
  return knowledge::compare_versions(kernel, user) != 0;
}

std::optional<Evidence> compat_path(const Snapshot& snapshot) {
  if (libcuda(snapshot).or_empty().find("/compat/") == std::string::npos) return std::nullopt;
  return libcuda_evidence(snapshot);
}

std::vector<Evidence> compat_signs(const Snapshot& snapshot) {
  if (on_wsl(snapshot) || on_platform(snapshot, "windows")) return {};
  const Text kernel = of(snapshot.nvidia, &Nvidia::kernel_driver_version);
  const Text cuda = of(snapshot.nvidia, &Nvidia::cuda_driver_version);
  const Versions both = versions(snapshot);
  // NVML compares the libraries of the driver itself: if they don't match the module, no package is needed to explain
  // other differences.
  if (both.kernel.empty() || nvml(snapshot).is(nvml_error::lib_rm_version_mismatch)) return {};
  // Outside containers a newer driver library includes its newer CUDA.
  const bool upgraded = both.differ() && !contained(snapshot);
  if (kernel.get() && cuda.get() && !upgraded) {
    const auto own = knowledge::max_cuda_of_driver(*kernel.get());
    if (own && knowledge::compare_versions(*cuda.get(), *own) > 0)
      return {evidence("/nvidia/kernel_driver_version", *kernel.get()),
              evidence("/nvidia/cuda_driver_version", *cuda.get())};
  }
  // The package brings a library of a newer branch into an image; an upgrade on the host usually stays in its branch.
  const bool newer = !both.user.empty() && knowledge::compare_versions(both.user, both.kernel) > 0 &&
                     branch(both.user) != branch(both.kernel);
  if (newer && contained(snapshot)) return both.evidence;
  return {};
}

const Symptom* driver_serves_toolkit(const Facts& facts) {
  const Symptom* line = facts.first({{SymptomClass::noted, "toolkit-and-driver"}});
  return line && knowledge::compare_versions(line->detail("driver"), line->detail("toolkit")) >= 0 ? line : nullptr;
}

std::vector<Evidence> joined(std::vector<Evidence> first, const std::vector<Evidence>& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

}  // namespace envdoctor::nvidia

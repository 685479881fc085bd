// What cuInit and NVML answered: as asked on this host, or as a program's log tells it.
#include <array>

#include "checks/nvidia.h"
#include "knowledge/names.h"

namespace envdoctor::nvidia {
namespace {

struct FromLog {
  const char* event;
  const char* error;  // empty: `field` holds it
  const char* field;
};

constexpr std::array<FromLog, 10> cuinit_events{{
    {"cuinit-failed", "", "code"},
    {"cuda-count-failed", "", "number"},
    {"system-not-ready", "CUDA_ERROR_SYSTEM_NOT_READY", ""},
    {"compat-on-unsupported", "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE", ""},
    {"driver-combination", "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", ""},
    {"libcuda-stub", "CUDA_ERROR_STUB_LIBRARY", ""},
    {"cuda-os-call", "CUDA_ERROR_OPERATING_SYSTEM", ""},
    {"devices-busy", "CUDA_ERROR_DEVICE_UNAVAILABLE", ""},
    {"cuda-no-device", "CUDA_ERROR_NO_DEVICE", ""},
    {"cuda-unknown-error", "CUDA_ERROR_UNKNOWN", ""},
}};

constexpr std::array<FromLog, 8> nvml_events{{
    {"driver-library-mismatch", "NVML_ERROR_LIB_RM_VERSION_MISMATCH", ""},
    {"nvml-no-permission", "NVML_ERROR_NO_PERMISSION", ""},
    {"nvml-library-missing", "NVML_ERROR_LIBRARY_NOT_FOUND", ""},
    {"nvml-driver-not-loaded", "NVML_ERROR_DRIVER_NOT_LOADED", ""},
    {"smi-no-driver", "NVML_ERROR_DRIVER_NOT_LOADED", ""},
    {"gpu-lost", "NVML_ERROR_GPU_IS_LOST", ""},
    {"nvml-unknown-error", "NVML_ERROR_UNKNOWN", ""},
    {"smi-no-devices", "NVML_ERROR_NOT_FOUND", ""},
}};

struct Answer {
  Text name{};
  Evidence evidence{};
};

template <class Table>
Answer from_log(const Snapshot& snapshot, const Table& table) {
  for (const FromLog& row : table) {
    for (const LogEvent* line : events_of(snapshot, row.event)) {
      std::string name = row.error;
      if (name.empty()) {
        const auto field = line->fields.find(row.field);
        if (field == line->fields.end() || field->second.empty()) continue;
        name = cuda_error_name(field->second);
      }
      return {name, seen(*line, name)};
    }
  }
  return {};
}

Answer cuinit_answer(const Snapshot& snapshot) {
  const Text error = of(snapshot.nvidia, &Nvidia::cuinit_error);
  if (error.get()) return {cuda_error_name(*error.get()), seen("/nvidia/cuinit_error", *error.get())};
  if (error.outcome() == Outcome::absent) {
    // 'Absent' also stands where there was no library to ask.
    const auto cuda = of(snapshot.nvidia, &Nvidia::cuda_devices);
    if (of(snapshot.nvidia, &Nvidia::cuda_library).get() || (cuda.get() && !cuda.get()->empty())) return {error, {}};
    return {failed("cuInit was not asked: " + error.why()), {}};
  }
  Answer told = from_log(snapshot, cuinit_events);
  return told.name.get() || error.outcome() == Outcome::not_probed ? told : Answer{error, {}};
}

Answer nvml_answer(const Snapshot& snapshot) {
  const Text error = of(snapshot.nvidia, &Nvidia::nvml_error);
  if (error.get()) return {nvml_error_name(*error.get()), seen("/nvidia/nvml_error", *error.get())};
  if (error.outcome() == Outcome::absent) {
    if (of(snapshot.nvidia, &Nvidia::nvml_library).get() || of(snapshot.nvidia, &Nvidia::devices).get())
      return {error, {}};
    return {failed("NVML was not asked: " + error.why()), {}};
  }
  Answer told = from_log(snapshot, nvml_events);
  return told.name.get() || error.outcome() == Outcome::not_probed ? told : Answer{error, {}};
}

}  // namespace

Text cuinit(const Snapshot& snapshot) { return cuinit_answer(snapshot).name; }
Evidence cuinit_evidence(const Snapshot& snapshot) { return cuinit_answer(snapshot).evidence; }
Text nvml(const Snapshot& snapshot) { return nvml_answer(snapshot).name; }
Evidence nvml_evidence(const Snapshot& snapshot) { return nvml_answer(snapshot).evidence; }

}  // namespace envdoctor::nvidia

#pragma once
// What several checks of the NVIDIA driver ask of a snapshot.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checks/check.h"
#include "checks/facts.h"
#include "checks/gpus.h"

namespace envdoctor::nvidia {

// Why checks of NVIDIA's driver don't apply on this host ("the PCI bus shows no NVIDIA GPU"); empty: they do, or nobody
// knows.
std::string not_here(const Snapshot& snapshot);

// The NVIDIA GPUs that were given to this job and are not set aside for a virtual machine.
std::vector<Gpu> gpus(const Snapshot& snapshot);

// "gpu:0000:65:00.0", or "cuda:0" where the address is not known.
std::string subject_of(const NvidiaDevice& device);

// Evidence that CUDA lists or uses a device here: whatever else looks odd, the driver works.
std::optional<Evidence> cuda_works(const Snapshot& snapshot);

// Whether the kernel module runs: its version is known, or it is in the list of modules.
Flag kernel_driver_runs(const Snapshot& snapshot);

// Where the loader finds libcuda.so.1; absent: nowhere.
Text libcuda(const Snapshot& snapshot);
// Where in the snapshot the answer of libcuda() stands.
std::string libcuda_place(const Snapshot& snapshot);
// The same as evidence: the path, or that it was not found.
Evidence libcuda_evidence(const Snapshot& snapshot);
// Whether any part of the driver's user space (libcuda or NVML) is installed.
Flag user_space_installed(const Snapshot& snapshot);

// What cuInit answered, as the name of a CUresult, from the snapshot or else from a log; absent: CUDA_SUCCESS; failed
// or not probed: it was not asked.
Text cuinit(const Snapshot& snapshot);
// Where that stands. Only where cuinit() has a value.
Evidence cuinit_evidence(const Snapshot& snapshot);
// What NVML's start answered, as the name of an nvmlReturn_t, from the snapshot or else from a log; absent: it started;
// failed or not probed: not asked.
Text nvml(const Snapshot& snapshot);
Evidence nvml_evidence(const Snapshot& snapshot);

// "CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected" or "UNKNOWN ERROR (303)" -> the name alone.
std::string cuda_error_name(std::string_view text);
// "Failed to initialize NVML: Driver/library version mismatch" -> NVML_ERROR_LIB_RM_VERSION_MISMATCH.
std::string nvml_error_name(std::string_view text);

bool on_wsl(const Snapshot& snapshot);
bool on_platform(const Snapshot& snapshot, std::string_view platform);
// A container of any kind; false where nobody knows.
bool contained(const Snapshot& snapshot);
// Whether at least one of NVIDIA's device nodes is here; unknown where the nodes are not known.
Flag has_nodes(const Snapshot& snapshot);

// error, or warning where the GPUs are usable all the same: CUDA works, or OpenCL lists one and no framework wants
// CUDA.
Severity fault_severity(const Snapshot& snapshot);

}  // namespace envdoctor::nvidia

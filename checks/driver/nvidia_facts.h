#pragma once
// Facts of a snapshot that several checks of the NVIDIA driver need.
#include "checks/engine/rule.h"

namespace envdoctor::nvidia {

// Why checks of NVIDIA's driver don't apply on this host ("the PCI bus shows no NVIDIA GPU"); empty: they do, or that
// is unknown.
std::string not_here(const Snapshot& snapshot);

// The NVIDIA GPUs that were given to this job and are not set aside for a virtual machine.
std::vector<Gpu> gpus(const Snapshot& snapshot);

// "gpu:0000:65:00.0", or "cuda:0" where the address is unknown.
std::string subject_of(const NvidiaDevice& device);

// Evidence that CUDA lists or uses a device here: whatever else looks wrong, the driver works.
std::optional<Evidence> cuda_works(const Snapshot& snapshot);

// Evidence that the driver answers: CUDA works, cuInit succeeds or NVML lists a device. It outranks everything that
// seems to be missing: a bus, /proc/modules or nodes that a sandbox doesn't show, or a message of another time.
std::optional<Evidence> driver_answers(const Snapshot& snapshot);

// Whether the kernel module runs: the driver answers, its version is known, or it is in the list of modules.
Flag kernel_driver_runs(const Snapshot& snapshot);

// Whether Secure Boot is on, probed or stated by a line; it locks the kernel down, which can have other reasons.
bool secure_boot_is_on(const Facts& facts);

// Where the loader finds libcuda.so.1; absent: it finds none.
Text libcuda(const Snapshot& snapshot);
// The place of libcuda()'s answer in the snapshot.
std::string libcuda_place(const Snapshot& snapshot);
// The same as evidence: the path, or that it was not found.
Evidence libcuda_evidence(const Snapshot& snapshot);
// Whether any part of the driver's user space (libcuda or NVML) is installed.
Flag user_space_installed(const Snapshot& snapshot);

// cuInit's result, as the name of a CUresult, from the snapshot or else from a log; absent: CUDA_SUCCESS; failed
// or not probed: it was not called.
Text cuinit(const Snapshot& snapshot);
// The evidence for it: the host's own answer, and each log line that agrees. Empty without a value.
std::vector<Evidence> cuinit_evidence(const Snapshot& snapshot);
// NVML's init result, as the name of an nvmlReturn_t, from the snapshot or else from a log; absent: success;
// failed or not probed: not called.
Text nvml(const Snapshot& snapshot);
std::vector<Evidence> nvml_evidence(const Snapshot& snapshot);

// The module's and the libraries' version, from the host or else from a log, with the evidence.
struct Versions {
  std::string kernel{};
  std::string user{};
  std::vector<Evidence> evidence{};
  bool reported_different = false;  // a log says so, perhaps without naming both
  [[nodiscard]] bool differ() const;
};
Versions versions(const Snapshot& snapshot);

// libcuda of a CUDA forward-compatibility package takes precedence over the driver's own: its path is in a compat
// folder.
std::optional<Evidence> compat_path(const Snapshot& snapshot);
// The driver reports a CUDA version that its branch doesn't have ("470 with CUDA 11.7"), or, in a container, libcuda is
// newer than the host's module. Empty: no such sign.
std::vector<Evidence> compat_signs(const Snapshot& snapshot);

// A program's line that names the CUDA of its toolkit and that of the driver, where the driver serves at least as much.
const Symptom* driver_serves_toolkit(const Facts& facts);

// Both lists, one after the other.
std::vector<Evidence> joined(std::vector<Evidence> first, const std::vector<Evidence>& more);

bool on_wsl(const Snapshot& snapshot);
bool on_platform(const Snapshot& snapshot, const std::string& platform);
// A container of any kind, known or indicated by a log; false if unknown.
bool contained(const Snapshot& snapshot);
// The rules of the cgroup, if they let nobody open NVIDIA's nodes.
std::optional<Evidence> cgroup_forbids(const Snapshot& snapshot);
// Whether at least one of NVIDIA's device nodes exists; unknown where the nodes are unknown.
Flag has_nodes(const Snapshot& snapshot);

// error, or warning where the GPUs are usable anyway: CUDA works, or OpenCL lists one and no framework wants
// CUDA.
Severity fault_severity(const Snapshot& snapshot);
// A finding of that severity.
Finding& fault(Answers& answers, const Snapshot& snapshot, Confidence confidence, std::vector<Evidence> proof,
               std::string subject = "host");

// The first of NVIDIA's nodes that may not be opened, because of permissions or the cgroup; those whose path
// begins with one of `but` don't count. Null: none.
const DeviceNode* closed_node(const Snapshot& snapshot, std::initializer_list<std::string_view> but);

}  // namespace envdoctor::nvidia

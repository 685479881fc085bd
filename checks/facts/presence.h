#pragma once
// Which hardware and software exists, and whether it is used: this decides how severe a fault is.
#include <optional>
#include <string>
#include <vector>

#include "checks/engine/diagnosis.h"
#include "checks/facts/gpus.h"

namespace envdoctor {

// Whether this host has a GPU of this vendor that was given to us; unknown if no source could have shown one.
Flag has_gpu(const Snapshot& snapshot, Vendor vendor);
// The same for any GPU, and for one that isn't integrated in the CPU.
Flag has_any_gpu(const Snapshot& snapshot);
bool has_discrete_gpu(const Snapshot& snapshot);
// The place of this vendor's GPUs in the snapshot: its own software's list if there is one, otherwise the bus.
Evidence gpus_seen(const Snapshot& snapshot, Vendor vendor);

// Evidence that CUDA gave a program here a device; then no variable can be at fault.
std::optional<Evidence> cuda_device_seen(const Snapshot& snapshot);
std::optional<Evidence> hip_device_seen(const Snapshot& snapshot);
// CUDA starts and answers that it has no device, by its own error or in a log; none: no such answer.
std::optional<Evidence> cuda_finds_none(const Snapshot& snapshot);
// CUDA, HIP or Level Zero lists a GPU, so OpenCL is not the only way to it.
bool gpu_works_without_opencl(const Snapshot& snapshot);
// The devices of all OpenCL platforms.
std::vector<const OpenclDevice*> opencl_devices(const Snapshot& snapshot);
// An OpenCL platform lists a GPU.
bool opencl_lists_gpu(const Snapshot& snapshot);

// PyTorch is a build for ROCm, whose devices have the names of CUDA's.
bool torch_is_for_rocm(const Snapshot& snapshot);
// The frameworks that are installed here: tensorflow, torch, jax; by their own sections or the package list.
std::vector<std::string> frameworks(const Snapshot& snapshot);
// The version from the framework itself or its package; empty: not installed, or unknown.
std::string framework_version(const Snapshot& snapshot, const std::string& framework);
// The same as evidence, with its place.
Evidence framework_seen(const Snapshot& snapshot, const std::string& framework);

// The host itself was not probed: the facts come from a report or a log, so a library named there was requested.
bool from_report(const Snapshot& snapshot);
// A text has lines that look like a failure.
bool text_fails(const Snapshot& snapshot);

// The text of a reading, or nothing.
std::string text_of(const Text& reading);

}  // namespace envdoctor

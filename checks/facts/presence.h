#pragma once
// What is here to be used, and whether something uses it: the ground on which a check weighs a fault.
#include <optional>
#include <string>
#include <vector>

#include "checks/engine/diagnosis.h"
#include "checks/facts/gpus.h"

namespace envdoctor {

// Whether this host has a GPU of this vendor that was given to us; unknown where nobody could have seen one.
Flag has_gpu(const Snapshot& snapshot, Vendor vendor);
// The same for any GPU, and for one that isn't part of the processor.
Flag has_any_gpu(const Snapshot& snapshot);
bool has_discrete_gpu(const Snapshot& snapshot);
// Where in the snapshot this vendor's GPUs stand: its own software's list if there is one, else the bus.
Evidence gpus_seen(const Snapshot& snapshot, Vendor vendor);

// Evidence that CUDA gave a program here a device; nothing that a variable does can be at fault then.
std::optional<Evidence> cuda_device_seen(const Snapshot& snapshot);
std::optional<Evidence> hip_device_seen(const Snapshot& snapshot);
// CUDA starts and answers that it has no device, by its own error or in a log; nothing of the kind was heard: none.
std::optional<Evidence> cuda_finds_none(const Snapshot& snapshot);
// CUDA, HIP or Level Zero lists a GPU, so that OpenCL is a second way and not the only one.
bool gpu_works_without_opencl(const Snapshot& snapshot);
// The devices of all OpenCL platforms.
std::vector<const OpenclDevice*> opencl_devices(const Snapshot& snapshot);
// An OpenCL platform lists a GPU.
bool opencl_lists_gpu(const Snapshot& snapshot);

// PyTorch is a build for ROCm, whose devices have the names of CUDA's.
bool torch_is_for_rocm(const Snapshot& snapshot);
// The frameworks that are installed here: tensorflow, torch, jax; by their own sections or the package list.
std::vector<std::string> frameworks(const Snapshot& snapshot);
// What the framework itself or its package says; empty: not installed, or not known.
std::string framework_version(const Snapshot& snapshot, const std::string& framework);
// The same as evidence, with its place.
Evidence framework_seen(const Snapshot& snapshot, const std::string& framework);

// Nobody looked at this host: the facts are what a report or a log told, so a library named there was asked for.
bool from_report(const Snapshot& snapshot);
// A text that was read holds lines that look like a failure.
bool text_fails(const Snapshot& snapshot);

// The text of a reading, or nothing.
std::string text_of(const Text& reading);

}  // namespace envdoctor

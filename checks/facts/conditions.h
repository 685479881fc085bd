#pragma once
// Conditions that the symptoms of several diagnoses share: other facts decide what a line of text means.
#include "checks/facts/symptoms.h"

namespace envdoctor::when {

// Nothing shows that the driver works: no program uses a device, and neither CUDA nor a framework lists one.
bool no_driver_answers(const Facts& facts);
// The same, and no line names the cause: an ambiguous message is reported only then.
bool no_better_cause(const Facts& facts);
// A program queried OpenCL's platforms or devices.
bool opencl_asked(const Facts& facts);
// A program works on a device, or lists a GPU.
bool gpu_listed(const Facts& facts);
// Operators that the CPU lacks in half precision: the kernel's name shows on which side the work ran.
bool half_precision_failed_on_gpu(const Facts& facts);
// No line says that the driver is missing, too old or fails to start: a later call failed, then, as in a forked
// process.
bool driver_starts(const Facts& facts);
// It runs under WSL, or a line says so.
bool wsl_or_named(const Facts& facts);
// The line that names a build of Windows older than this one; null: none does.
const Symptom* windows_before(const Facts& facts, int build);

}  // namespace envdoctor::when

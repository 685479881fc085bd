#pragma once
// What the OpenCL checks ask of a snapshot.
#include "checks/engine/rule.h"

namespace envdoctor::opencl {

// Whose devices a driver or platform is for; `other` is none of these: a CPU's, or not known.
enum class Maker { nvidia, amd, intel, mesa, cpu, other };

// By the driver's library or the platform's name.
Maker maker_of(std::string_view name);
bool is_rusticl(std::string_view name);
bool is_pocl(std::string_view name);
// Whether a GPU that this maker's driver could drive was given to us.
Flag has_gpu_of(const Snapshot& snapshot, Maker maker);

// The registered drivers, and the platforms; null: not known.
const std::vector<OpenclIcd>* icds(const Snapshot& snapshot);
const std::vector<OpenclPlatform>* platforms(const Snapshot& snapshot);
// Present, absent (looked, none), or not known. Facts of a report may tell it through the library alone.
Reading<OpenclLoader> loader(const Snapshot& snapshot);
// ocl-icd, khronos, vendor, unknown; by what the loader says of itself where the probe told no kind.
std::string loader_kind(const OpenclLoader& loader);
// An application gets no platform: by its own count or error, or because no driver has one.
Flag no_platform(const Snapshot& snapshot);

bool has_no_device(const OpenclPlatform& platform);

// A platform without a device, or a driver that loads and has not even a platform.
struct Empty {
  std::string name{};  // of the platform or the library
  std::string subject{};
  Evidence evidence{};
};
std::vector<Empty> empties(const Snapshot& snapshot);
// Whether this one is rusticl and RUSTICL_ENABLE is not known to name a driver: opencl.rusticl-not-enabled.
bool rusticl_not_enabled(const Snapshot& snapshot, const Empty& empty);

// What an OpenCL diagnosis about platforms says where it finds nothing: unknown where platforms or their devices are
// not known, not applicable where `present` is false, else passed.
void answer_without_finding(const Snapshot& snapshot, bool present, const char* why_not_applicable, Answers& answers);

// NVIDIA's OpenCL driver library in /libraries; none: not there, or not known.
std::optional<std::size_t> nvidia_library(const Snapshot& snapshot);
// A program in a container gets no platform while NVIDIA's driver is there: NVIDIA's container toolkit passes the
// driver's library on, and not the file that registers it.
bool nvidia_in_container(const Facts& facts);

// How bad it is that OpenCL lacks this host's GPU: information where there is none or where nobody asked for OpenCL, a
// warning where the GPU works another way, else `usual`.
Severity weigh(const Snapshot& snapshot, Severity usual = Severity::error);

// "sudo apt-get install ocl-icd-libopencl1" and the like on this host; empty where it isn't known which is right.
std::string install(const Snapshot& snapshot, std::string_view debian, std::string_view fedora, std::string_view arch);

}  // namespace envdoctor::opencl

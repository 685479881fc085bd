#pragma once
// Facts of a snapshot that the OpenCL checks need.
#include "checks/engine/rule.h"

namespace envdoctor::opencl {

// The vendor whose devices a driver or platform supports; `other`: none of these, such as a CPU, or unknown.
enum class Maker { nvidia, amd, intel, mesa, cpu, other };

// By the driver's library or the platform's name.
Maker maker_of(std::string_view name);
bool is_rusticl(std::string_view name);
bool is_pocl(std::string_view name);
// Whether we were given a GPU that this vendor's driver supports.
Flag has_gpu_of(const Snapshot& snapshot, Maker maker);

// The registered drivers, and the platforms; null: unknown.
const std::vector<OpenclIcd>* icds(const Snapshot& snapshot);
const std::vector<OpenclPlatform>* platforms(const Snapshot& snapshot);
// Present, absent (probed, none), or unknown. A report may show it only through the library.
Reading<OpenclLoader> loader(const Snapshot& snapshot);
// ocl-icd, khronos, vendor, unknown; by the loader's own name where the probe gave no kind.
std::string loader_kind(const OpenclLoader& loader);
// An application gets no platform: by its own count or error, or because no driver has one.
Flag no_platform(const Snapshot& snapshot);

bool has_no_device(const OpenclPlatform& platform);

// A platform without a device, or a driver that loads but has no platform.
struct Empty {
  std::string name{};  // of the platform or the library
  std::string subject{};
  Evidence evidence{};
};
std::vector<Empty> empties(const Snapshot& snapshot);
// Whether this is rusticl, and RUSTICL_ENABLE is not known to name a driver: opencl.rusticl-not-enabled.
bool rusticl_not_enabled(const Snapshot& snapshot, const Empty& empty);

// The answer of an OpenCL diagnosis about platforms without a finding: unknown where platforms or their devices are
// not known, not applicable where `present` is false, else passed.
void answer_without_finding(const Snapshot& snapshot, bool present, const char* why_not_applicable, Answers& answers);

// NVIDIA's OpenCL driver library in /libraries; none: absent, or unknown.
std::optional<std::size_t> nvidia_library(const Snapshot& snapshot);
// A program in a container gets no platform while NVIDIA's driver is there: NVIDIA's container toolkit passes the
// driver's library on, but not the file that registers it.
bool nvidia_in_container(const Facts& facts);

// How severe it is that OpenCL lacks this host's GPU: information where there is none or where nothing uses OpenCL, a
// warning where the GPU works another way, else `usual`.
Severity weigh(const Snapshot& snapshot, Severity usual = Severity::error);

// "sudo apt-get install ocl-icd-libopencl1" and the like on this host; empty if the right one is unknown.
std::string install(const Snapshot& snapshot, std::string_view debian, std::string_view fedora, std::string_view arch);

}  // namespace envdoctor::opencl

#include <memory>

#include "probe/cuda.h"
#include "probe/nvidia_proc.h"
#include "probe/nvml.h"
#include "probe/probes.h"
#include "probe/vendor.h"

namespace envdoctor {
namespace {

// NVML's word on the version of the libraries comes first; without it the number in libcuda's file name stands.
void version_by_file_name(Session& session) {
  const auto* nvidia = session.so_far().nvidia.get();
  if (!nvidia || nvidia->userspace_driver_version.get()) return;
  const auto version = nvidia->cuda_library.then(
      [&](const std::string& path) { return session.host.files.resolve(path).then(version_in_file_name); });
  session.add({.nvidia = Nvidia{.userspace_driver_version = version}});
}

// NVML and the CUDA driver, a child each.
void start_libraries(Session& session) {
  const auto running = std::make_shared<int>(2);
  const auto over = [&session, running] {
    if (--*running == 0) version_by_file_name(session);
  };
  start_nvml(session, nvml::soname, {}, over);
  start_cuda(session, cuda::soname, {}, over);
}

}  // namespace

void probe_nvidia(Session& session) {
  if (session.host.live) start_libraries(session);
  session.add({.nvidia = read_nvidia_proc(session.host.files)});
}

}  // namespace envdoctor

// In a child: the device of a job, by its backend.
#include "kernels/verify.h"

namespace envdoctor::kernels {

std::unique_ptr<Device> open_device(const Target& target, const OpenOptions& options) {
  if (target.backend == "opencl") return open_opencl(target, options);
  if (target.backend == "cuda") return open_cuda(target, options);
  if (target.backend == "host") return open_host(options);
  if (target.backend == "framework") return open_framework(target, options);
  throw DeviceError("no such kind of device: " + target.backend);
}

void with_device(const Job& job, const VerifyOptions& options, const Told& told,
                 const std::function<void(Device& device, const Told& told)>& work) {
  std::string doing = "opening";
  const Told named{.so_far = told.so_far, .step = [&](const std::string& what) {
                     doing = what;
                     told.step(what);
                   }};
  const auto device =
      open_device(job.target, {.trace = [&](const std::string& call) { told.step(doing + ", " + call); },
                               .code_name = options.code_name,
                               .vector_bytes = options.vector_bytes,
                               .guard_bytes = options.guard_bytes});
  work(*device, named);
}

}  // namespace envdoctor::kernels

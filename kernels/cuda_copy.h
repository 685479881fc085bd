#pragma once
#include <functional>
#include <memory>

#include "host/cuda_compute.h"
#include "kernels/device.h"

namespace envdoctor::kernels {

using CudaCheck = std::function<void(const char* call, cuda::Code code)>;  // throws DeviceError unless it went well

std::unique_ptr<Copy> cuda_copy(cuda::ComputeApi& api, CudaCheck check, const CopySpec& spec);

}  // namespace envdoctor::kernels

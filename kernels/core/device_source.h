#pragma once
// The embedded device sources: kernels/cl/*, and the PTX that the build compiled from them for CUDA.
#include <string>
#include <vector>

#include "evidence/reading.h"
#include "kernels/core/kernel.h"

namespace envdoctor::kernels {

// One OpenCL C program with these kernels, in each of their precisions that the device has.
std::string program_source(const std::vector<const Kernel*>& kernels, const Capabilities& capabilities);

// The same source as PTX, all precisions. Absent if this program was built without clang or libclc.
Reading<std::string> ptx(const Kernel& kernel);

}  // namespace envdoctor::kernels

// Compiled, never run: compares host/vendor's declarations of the vendors' libraries with one vendor's own headers,
// which are chosen by -DVENDOR_…; codes.inc has the entries of knowledge/codes/error_codes.json for the codes that they
// define.
#include <cstddef>

#define SAME_SIZE(ours, theirs) static_assert(sizeof(ours) == sizeof(theirs), #theirs)
#define WIDTH(type, member) sizeof(static_cast<type*>(nullptr)->member)
#define SAME_PLACE(ours, member, theirs, their_member)                                                                \
  static_assert(                                                                                                      \
      offsetof(ours, member) == offsetof(theirs, their_member) && WIDTH(ours, member) == WIDTH(theirs, their_member), \
      #theirs "." #their_member)
#define SAME_NUMBER(ours, theirs) static_assert(static_cast<long long>(ours) == static_cast<long long>(theirs), #theirs)

#ifdef VENDOR_NVML
#define NVML_NO_UNVERSIONED_FUNC_DEFS
#include <nvml.h>

#include "host/vendor/nvml_api.cpp"
namespace ours = envdoctor::nvml;
SAME_SIZE(ours::CPci, nvmlPciInfo_t);
SAME_PLACE(ours::CPci, domain, nvmlPciInfo_t, domain);
SAME_PLACE(ours::CPci, bus, nvmlPciInfo_t, bus);
SAME_PLACE(ours::CPci, device, nvmlPciInfo_t, device);
SAME_PLACE(ours::CPci, id, nvmlPciInfo_t, busId);
SAME_SIZE(ours::CMemory, nvmlMemory_t);
SAME_PLACE(ours::CMemory, total, nvmlMemory_t, total);
SAME_PLACE(ours::CMemory, free, nvmlMemory_t, free);
SAME_SIZE(ours::CMemoryV2, nvmlMemory_v2_t);
SAME_PLACE(ours::CMemoryV2, total, nvmlMemory_v2_t, total);
SAME_PLACE(ours::CMemoryV2, reserved, nvmlMemory_v2_t, reserved);
SAME_PLACE(ours::CMemoryV2, free, nvmlMemory_v2_t, free);
SAME_NUMBER(0x02000028, nvmlMemory_v2);
SAME_SIZE(ours::CUtilization, nvmlUtilization_t);
SAME_PLACE(ours::CUtilization, gpu, nvmlUtilization_t, gpu);
SAME_SIZE(ours::CProcessV1, nvmlProcessInfo_v1_t);
SAME_PLACE(ours::CProcessV1, memory, nvmlProcessInfo_v1_t, usedGpuMemory);
SAME_SIZE(ours::CProcess, nvmlProcessInfo_v2_t);
SAME_PLACE(ours::CProcess, memory, nvmlProcessInfo_v2_t, usedGpuMemory);
SAME_PLACE(ours::CProcess, compute_instance, nvmlProcessInfo_v2_t, computeInstanceId);
SAME_SIZE(ours::CProcessLoad, nvmlProcessUtilizationSample_t);
SAME_PLACE(ours::CProcessLoad, pid, nvmlProcessUtilizationSample_t, pid);
SAME_PLACE(ours::CProcessLoad, at_us, nvmlProcessUtilizationSample_t, timeStamp);
SAME_PLACE(ours::CProcessLoad, multiprocessors, nvmlProcessUtilizationSample_t, smUtil);
#if NVML_API_VERSION >= 12
SAME_SIZE(ours::CFabricInfo, nvmlGpuFabricInfo_t);
SAME_PLACE(ours::CFabricInfo, status, nvmlGpuFabricInfo_t, status);
SAME_PLACE(ours::CFabricInfo, state, nvmlGpuFabricInfo_t, state);
#endif
SAME_NUMBER(ours::not_supported, NVML_ERROR_NOT_SUPPORTED);
SAME_NUMBER(ours::not_found, NVML_ERROR_NOT_FOUND);
SAME_NUMBER(ours::insufficient_size, NVML_ERROR_INSUFFICIENT_SIZE);
SAME_NUMBER(ours::gpu_is_lost, NVML_ERROR_GPU_IS_LOST);
SAME_NUMBER(ours::ErrorKind::corrected, NVML_MEMORY_ERROR_TYPE_CORRECTED);
SAME_NUMBER(ours::ErrorKind::uncorrected, NVML_MEMORY_ERROR_TYPE_UNCORRECTED);
SAME_NUMBER(ours::RetirementCause::single_bit, NVML_PAGE_RETIREMENT_CAUSE_MULTIPLE_SINGLE_BIT_ECC_ERRORS);
SAME_NUMBER(ours::RetirementCause::double_bit, NVML_PAGE_RETIREMENT_CAUSE_DOUBLE_BIT_ECC_ERROR);
SAME_NUMBER(0, NVML_VOLATILE_ECC);  // since the driver was loaded
SAME_NUMBER(0, NVML_TEMPERATURE_GPU);
#endif

#ifdef VENDOR_CUDA
#include <cuda.h>

#include "host/vendor/cuda_api.cpp"
#include "host/vendor/cuda_compute_api.cpp"
namespace ours = envdoctor::cuda;
using Which = ours::Attribute;
SAME_SIZE(ours::Uuid, CUuuid);
SAME_SIZE(ours::Device, CUdevice);
SAME_SIZE(ours::Pointer, CUdeviceptr);
SAME_SIZE(ours::Handle, CUmodule);
SAME_NUMBER(ours::capability_major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SAME_NUMBER(ours::capability_minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
SAME_NUMBER(Which::max_threads_per_block, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME_NUMBER(Which::max_shared_memory_per_block, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
SAME_NUMBER(Which::clock_khz, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
SAME_NUMBER(Which::multiprocessor_count, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
SAME_NUMBER(Which::memory_clock_khz, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
SAME_NUMBER(Which::memory_bus_bits, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
SAME_NUMBER(Which::compute_capability_major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SAME_NUMBER(Which::compute_capability_minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
SAME_NUMBER(ours::jit_error_log, CU_JIT_ERROR_LOG_BUFFER);
SAME_NUMBER(ours::jit_error_log_size, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
SAME_NUMBER(ours::jit_optimisation, CU_JIT_OPTIMIZATION_LEVEL);
#endif

#ifdef VENDOR_CUDA_RUNTIME
#include <driver_types.h>
#endif

#ifdef VENDOR_HIP
#define __HIP_PLATFORM_AMD__
#include <hip/hip_runtime_api.h>

#include "host/vendor/hip_api.cpp"
namespace ours = envdoctor::hip;
SAME_SIZE(ours::Device, hipDevice_t);
SAME_SIZE(std::uint64_t, std::size_t);
SAME_NUMBER(ours::success, hipSuccess);
#endif

#ifdef VENDOR_LEVEL_ZERO
#include <level_zero/ze_api.h>

#include "host/vendor/level_zero_api.cpp"
namespace ours = envdoctor::level_zero;
SAME_SIZE(ours::CDeviceProperties, ze_device_properties_t);
SAME_PLACE(ours::CDeviceProperties, kind, ze_device_properties_t, stype);
SAME_PLACE(ours::CDeviceProperties, next, ze_device_properties_t, pNext);
SAME_PLACE(ours::CDeviceProperties, type, ze_device_properties_t, type);
SAME_PLACE(ours::CDeviceProperties, uuid, ze_device_properties_t, uuid);
SAME_PLACE(ours::CDeviceProperties, name, ze_device_properties_t, name);
SAME_SIZE(ours::CMemory, ze_device_memory_properties_t);
SAME_PLACE(ours::CMemory, total, ze_device_memory_properties_t, totalSize);
SAME_SIZE(ours::CPci, ze_pci_ext_properties_t);
SAME_PLACE(ours::CPci, place, ze_pci_ext_properties_t, address);
SAME_PLACE(ours::PciPlace, function, ze_pci_address_ext_t, function);
SAME_PLACE(ours::PciPlace, domain, ze_pci_address_ext_t, domain);
SAME_NUMBER(0x3, ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES);
SAME_NUMBER(0x7, ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES);
SAME_NUMBER(0x10008, ZE_STRUCTURE_TYPE_PCI_EXT_PROPERTIES);
SAME_NUMBER(1, ZE_DEVICE_TYPE_GPU);
SAME_NUMBER(2, ZE_DEVICE_TYPE_CPU);
SAME_NUMBER(3, ZE_DEVICE_TYPE_FPGA);
SAME_NUMBER(4, ZE_DEVICE_TYPE_MCA);
SAME_NUMBER(5, ZE_DEVICE_TYPE_VPU);
#endif

#ifdef VENDOR_OPENCL
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_icd.h>
// The table that other loaders and drivers were built with: calls stand at these places.
SAME_NUMBER(offsetof(cl_icd_dispatch, clGetPlatformIDs), 0);
SAME_NUMBER(offsetof(cl_icd_dispatch, clGetDeviceIDs), 2 * sizeof(void*));
SAME_NUMBER(offsetof(cl_icd_dispatch, clCreateContext), 4 * sizeof(void*));
#endif

#include "codes.inc"

#pragma once
// The codes that rules ask for, by the names that vendors give them. A test compares them with error_codes.json and
// xid.json, so that a rule can't ask for a code that no table knows.
#include <cstdint>

namespace envdoctor {

namespace cuda_error {  // CUresult, and where only the runtime has the code, cudaError_t
inline constexpr const char* assert_failed = "CUDA_ERROR_ASSERT";
inline constexpr const char* compat_not_supported_on_device = "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE";
inline constexpr const char* device_unavailable = "CUDA_ERROR_DEVICE_UNAVAILABLE";
inline constexpr const char* ecc_uncorrectable = "CUDA_ERROR_ECC_UNCORRECTABLE";
inline constexpr const char* hardware_stack_error = "CUDA_ERROR_HARDWARE_STACK_ERROR";
inline constexpr const char* illegal_address = "CUDA_ERROR_ILLEGAL_ADDRESS";
inline constexpr const char* illegal_instruction = "CUDA_ERROR_ILLEGAL_INSTRUCTION";
inline constexpr const char* invalid_device = "CUDA_ERROR_INVALID_DEVICE";
inline constexpr const char* invalid_image = "CUDA_ERROR_INVALID_IMAGE";
inline constexpr const char* invalid_ptx = "CUDA_ERROR_INVALID_PTX";
inline constexpr const char* invalid_value = "CUDA_ERROR_INVALID_VALUE";
inline constexpr const char* launch_failed = "CUDA_ERROR_LAUNCH_FAILED";
inline constexpr const char* launch_out_of_resources = "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES";
inline constexpr const char* launch_timeout = "CUDA_ERROR_LAUNCH_TIMEOUT";
inline constexpr const char* misaligned_address = "CUDA_ERROR_MISALIGNED_ADDRESS";
inline constexpr const char* mps_connection_failed = "CUDA_ERROR_MPS_CONNECTION_FAILED";
inline constexpr const char* not_found = "CUDA_ERROR_NOT_FOUND";
inline constexpr const char* not_initialized = "CUDA_ERROR_NOT_INITIALIZED";
inline constexpr const char* no_binary_for_gpu = "CUDA_ERROR_NO_BINARY_FOR_GPU";
inline constexpr const char* no_device = "CUDA_ERROR_NO_DEVICE";
inline constexpr const char* operating_system = "CUDA_ERROR_OPERATING_SYSTEM";
inline constexpr const char* out_of_memory = "CUDA_ERROR_OUT_OF_MEMORY";
inline constexpr const char* shared_object_init_failed = "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED";
inline constexpr const char* stub_library = "CUDA_ERROR_STUB_LIBRARY";
inline constexpr const char* system_driver_mismatch = "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH";
inline constexpr const char* system_not_ready = "CUDA_ERROR_SYSTEM_NOT_READY";
inline constexpr const char* unknown = "CUDA_ERROR_UNKNOWN";
inline constexpr const char* unsupported_ptx_version = "CUDA_ERROR_UNSUPPORTED_PTX_VERSION";
inline constexpr const char* insufficient_driver = "cudaErrorInsufficientDriver";
}  // namespace cuda_error

namespace nvml_error {  // nvmlReturn_t
inline constexpr const char* driver_not_loaded = "NVML_ERROR_DRIVER_NOT_LOADED";
inline constexpr const char* gpu_is_lost = "NVML_ERROR_GPU_IS_LOST";
inline constexpr const char* insufficient_power = "NVML_ERROR_INSUFFICIENT_POWER";
inline constexpr const char* library_not_found = "NVML_ERROR_LIBRARY_NOT_FOUND";
inline constexpr const char* lib_rm_version_mismatch = "NVML_ERROR_LIB_RM_VERSION_MISMATCH";
inline constexpr const char* not_found = "NVML_ERROR_NOT_FOUND";
inline constexpr const char* no_permission = "NVML_ERROR_NO_PERMISSION";
inline constexpr const char* operating_system = "NVML_ERROR_OPERATING_SYSTEM";
inline constexpr const char* uninitialized = "NVML_ERROR_UNINITIALIZED";
inline constexpr const char* unknown = "NVML_ERROR_UNKNOWN";
}  // namespace nvml_error

namespace xid {  // the NVIDIA kernel module's numbered errors
inline constexpr std::int64_t off_the_bus = 79;  // ROBUST_CHANNEL_GPU_HAS_FALLEN_OFF_THE_BUS
}  // namespace xid

}  // namespace envdoctor

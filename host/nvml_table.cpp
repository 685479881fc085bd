#include "host/nvml_table.h"

namespace envdoctor::nvml {

Table::Table(const VendorLibrary& library) {
  library.bind(init, {"nvmlInit_v2", "nvmlInit"});
  library.bind(shutdown, {"nvmlShutdown"});
  library.bind(driver_version, {"nvmlSystemGetDriverVersion"});
  library.bind(library_version, {"nvmlSystemGetNVMLVersion"});
  library.bind(process_name, {"nvmlSystemGetProcessName"});
  library.bind(device_count, {"nvmlDeviceGetCount_v2", "nvmlDeviceGetCount"});
  library.bind(device, {"nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex"});
  library.bind(name, {"nvmlDeviceGetName"});
  library.bind(uuid, {"nvmlDeviceGetUUID"});
  library.bind(pci, {"nvmlDeviceGetPciInfo_v3", "nvmlDeviceGetPciInfo_v2"});
  library.bind(minor_number, {"nvmlDeviceGetMinorNumber"});
  library.bind(capability, {"nvmlDeviceGetCudaComputeCapability"});
  library.bind(memory_v2, {"nvmlDeviceGetMemoryInfo_v2"});
  library.bind(memory, {"nvmlDeviceGetMemoryInfo"});
  library.bind(generation, {"nvmlDeviceGetCurrPcieLinkGeneration"});
  library.bind(width, {"nvmlDeviceGetCurrPcieLinkWidth"});
  library.bind(max_generation, {"nvmlDeviceGetMaxPcieLinkGeneration"});
  library.bind(max_width, {"nvmlDeviceGetMaxPcieLinkWidth"});
  library.bind(mig_mode, {"nvmlDeviceGetMigMode"});
  library.bind(mig_slots, {"nvmlDeviceGetMaxMigDeviceCount"});
  library.bind(mig_device, {"nvmlDeviceGetMigDeviceHandleByIndex"});
  library.bind(ecc_mode, {"nvmlDeviceGetEccMode"});
  library.bind(ecc_errors, {"nvmlDeviceGetTotalEccErrors"});
  library.bind(retired_pages, {"nvmlDeviceGetRetiredPages"});
  library.bind(retirement_pending, {"nvmlDeviceGetRetiredPagesPendingStatus"});
  library.bind(remapped_rows, {"nvmlDeviceGetRemappedRows"});
  library.bind(persistence, {"nvmlDeviceGetPersistenceMode"});
  library.bind(compute_mode, {"nvmlDeviceGetComputeMode"});
  library.bind(throttle_reasons,
               {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"});
  library.bind(temperature, {"nvmlDeviceGetTemperature"});
  library.bind(power, {"nvmlDeviceGetPowerUsage"});
  library.bind(power_limit, {"nvmlDeviceGetEnforcedPowerLimit"});
  library.bind(utilization, {"nvmlDeviceGetUtilizationRates"});
  library.bind(fabric, {"nvmlDeviceGetGpuFabricInfo"});
  library.bind(compute_processes,
               {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2"});
  library.bind(compute_processes_v1, {"nvmlDeviceGetComputeRunningProcesses"});
  library.bind(graphics_processes,
               {"nvmlDeviceGetGraphicsRunningProcesses_v3", "nvmlDeviceGetGraphicsRunningProcesses_v2"});
  library.bind(graphics_processes_v1, {"nvmlDeviceGetGraphicsRunningProcesses"});
  library.bind(process_loads, {"nvmlDeviceGetProcessUtilization"});
}

}  // namespace envdoctor::nvml

#pragma once
// What each vendor's own software reports about its GPUs.
#include "evidence/fields.h"
#include "evidence/pci.h"

namespace envdoctor {

struct Ecc {
  Flag enabled{};
  Number corrected{};  // volatile counters, since the driver was loaded
  Number uncorrected{};
  Number retired_pages{};
  Flag remap_pending{};  // rows or pages wait for a reset
  Flag remap_failed{};
  ENVDOCTOR_FIELDS(Ecc, enabled, corrected, uncorrected, retired_pages, remap_pending, remap_failed)
};

struct MigDevice {
  Number index{};
  Text name{};
  Text uuid{};
  Number memory_total_mib{};
  ENVDOCTOR_FIELDS(MigDevice, index, name, uuid, memory_total_mib)
};

struct NvidiaDevice {
  Number index{};  // NVML's, in PCI bus order
  Text name{};
  Text uuid{};
  Text pci_address{};
  Text compute_capability{};  // "8.6"
  Number memory_total_mib{};
  Number memory_free_mib{};
  Flag mig{};  // MIG mode is on
  List<MigDevice> mig_devices{};
  Number minor{};  // of /dev/nvidia<minor>
  Text error{};    // why NVML could not open or read this one
  Reading<Ecc> ecc{};
  Flag persistence{};
  Text compute_mode{};                   // default, exclusive_process, prohibited
  List<std::string> throttle_reasons{};  // power_cap, hw_slowdown, hw_thermal, hw_power_brake, sw_thermal, sync_boost
  Number temperature_c{};
  Real power_w{};
  Real power_limit_w{};
  Number utilization_percent{};
  Text fabric_state{};  // not_started, in_progress, completed, not_supported
  Reading<PciLink> link{};
  ENVDOCTOR_FIELDS(NvidiaDevice, index, name, uuid, pci_address, compute_capability, memory_total_mib, memory_free_mib,
                   mig, mig_devices, minor, error, ecc, persistence, compute_mode, throttle_reasons, temperature_c,
                   power_w, power_limit_w, utilization_percent, fabric_state, link)
};

// A GPU as /proc/driver/nvidia/gpus/<address>/information shows it.
struct NvidiaProcGpu {
  Text address{};
  Text model{};
  Text uuid{};
  Number minor{};
  ENVDOCTOR_FIELDS(NvidiaProcGpu, address, model, uuid, minor)
};

// A device as the CUDA driver lists it, in CUDA's order and after CUDA_VISIBLE_DEVICES.
struct CudaDevice {
  Number ordinal{};
  Text name{};
  Text uuid{};
  Text pci_address{};
  Text compute_capability{};
  Number memory_total_mib{};
  ENVDOCTOR_FIELDS(CudaDevice, ordinal, name, uuid, pci_address, compute_capability, memory_total_mib)
};

struct NvidiaProcess {
  Number pid{};
  Text name{};
  Number gpu{};  // NVML index
  Number memory_mib{};
  ENVDOCTOR_FIELDS(NvidiaProcess, pid, name, gpu, memory_mib)
};

struct Xid {
  Number code{};
  Text gpu{};  // PCI address
  ENVDOCTOR_FIELDS(Xid, code, gpu)
};

// A specification by which container engines pass GPUs on (CDI), and the driver whose libraries it names.
struct ContainerSpec {
  Text path{};
  Text driver_version{};
  ENVDOCTOR_FIELDS(ContainerSpec, path, driver_version)
};

struct Nvidia {
  Text kernel_driver_version{};     // /proc/driver/nvidia/version or the module's own
  Text kernel_module_kind{};        // open, proprietary
  Text userspace_driver_version{};  // of the libraries: NVML, or the number in libcuda's file name
  Text nvml_library{};              // path of the loaded file
  Text nvml_error{};                // nvmlReturn_t name; absent: initialised
  Text cuda_library{};
  Text cuda_driver_version{};  // "12.4": the highest CUDA it takes
  Text cuinit_error{};         // CUresult name; absent: CUDA_SUCCESS
  List<NvidiaProcGpu> proc_gpus{};
  Flag fabric_manager_running{};
  Flag nvswitch{};  // the host has NVSwitch devices, so a fabric manager is needed
  List<NvidiaDevice> devices{};
  List<CudaDevice> cuda_devices{};
  List<NvidiaProcess> processes{};
  List<Xid> xid{};
  List<ContainerSpec> container_specs{};
  ENVDOCTOR_FIELDS(Nvidia, kernel_driver_version, kernel_module_kind, userspace_driver_version, nvml_library,
                   nvml_error, cuda_library, cuda_driver_version, cuinit_error, proc_gpus, fabric_manager_running,
                   nvswitch, devices, cuda_devices, processes, xid, container_specs)
};

// A GPU as the kernel's KFD topology or HIP shows it.
struct RocmDevice {
  Number index{};
  Text name{};
  Text gfx{};  // "gfx90a"
  Text pci_address{};
  Text render_node{};  // /dev/dri/renderD128
  Number memory_total_mib{};
  Text unique_id{};
  ENVDOCTOR_FIELDS(RocmDevice, index, name, gfx, pci_address, render_node, memory_total_mib, unique_id)
};

struct Rocm {
  Text version{};  // of the installed ROCm
  Text kernel_driver_version{};
  List<RocmDevice> devices{};  // KFD's GPU nodes in topology order
  Text hip_library{};
  Text hip_version{};
  Text hip_error{};                // hipError_t name; absent: success
  List<RocmDevice> hip_devices{};  // what HIP lists, in its own order
  ENVDOCTOR_FIELDS(Rocm, version, kernel_driver_version, devices, hip_library, hip_version, hip_error, hip_devices)
};

struct LevelZeroDevice {
  Number index{};
  Text name{};
  Text type{};  // gpu, cpu, fpga, npu
  Text pci_address{};
  Number memory_total_mib{};
  ENVDOCTOR_FIELDS(LevelZeroDevice, index, name, type, pci_address, memory_total_mib)
};

struct LevelZero {
  Text library{};
  Text version{};
  Text error{};  // ze_result_t name; absent: success
  List<LevelZeroDevice> devices{};
  ENVDOCTOR_FIELDS(LevelZero, library, version, error, devices)
};

}  // namespace envdoctor

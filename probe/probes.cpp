#include "probe/probes.h"

namespace envdoctor {

const std::vector<Probe>& all_probes() {
  // Probes that only start children come first, so that these run while this process reads files; the longest one is
  // the first.
  static const std::vector<Probe> probes = {
      {"opencl", probe_opencl, {"opencl", "hardware", "visibility"}, "OpenCL loader, .icd files, platforms, devices"},
      {"nvidia",
       probe_nvidia,
       {"hardware", "driver", "visibility", "runtime", "memory"},
       "NVML, CUDA driver, /proc/driver/nvidia"},
      {"rocm", probe_rocm, {"hardware", "driver", "visibility", "runtime"}, "KFD topology, HIP"},
      {"level-zero",
       probe_level_zero,
       {"hardware", "driver", "visibility", "runtime"},
       "Level Zero loader and devices"},
      {"python", probe_python, {"python", "keras", "usage", "runtime", "cpu"}, "Python environment, packages, builds"},
      {"frameworks",
       probe_frameworks,
       {"python", "keras", "usage", "runtime", "visibility", "cpu"},
       "TensorFlow, PyTorch, JAX and Keras, each asked in its own interpreter"},
      {"cpu", probe_cpu, {}, "model, ISA, cores, NUMA nodes, memory, topology"},
      {"host", probe_host, {}, "distribution, kernel, container, cgroup, limits"},
      {"pci", probe_pci, {}, "display controllers and processing accelerators"},
      {"modules", probe_modules, {}, "loaded kernel modules"},
      {"device-nodes", probe_device_nodes, {}, "GPU device nodes and who may open them"},
      {"kernel-log", probe_kernel_log, {"hardware", "driver"}, "what the kernel printed about GPUs"},
      {"env", probe_env, {}, "relevant environment variables"},
      {"libraries",
       probe_libraries,
       {"driver", "runtime", "opencl", "python"},
       "GPU libraries the loader picks, and copies they shadow"},
  };
  return probes;
}

}  // namespace envdoctor

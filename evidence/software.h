#pragma once
// Libraries, toolkits, Python and the frameworks in it.
#include "evidence/fields.h"

namespace envdoctor {

// What the dynamic loader finds for one soname; further copies follow as separate rows with `shadowed_by`.
struct SharedLibrary {
  Text soname{};
  Flag found{};  // by the loader, or by packages of pip and conda, which bring their own search path; a path
                 // beside `false`: a copy lies there, but nothing leads to it
  Text path{};
  Text version{};
  Text origin{};       // ldcache, LD_LIBRARY_PATH, LD_PRELOAD, RUNPATH, default, pip, conda, toolkit, mounted
  Text shadowed_by{};  // path of the copy that is loaded instead
  Flag stub{};         // a toolkit's link-time stub, not the driver
  ENVDOCTOR_FIELDS(SharedLibrary, soname, found, path, version, origin, shadowed_by, stub)
};

struct Toolkit {
  Text path{};
  Text version{};
  Text origin{};  // /usr/local, CUDA_HOME, conda, distribution
  ENVDOCTOR_FIELDS(Toolkit, path, version, origin)
};

// A Python other than the command on PATH: a notebook kernel, or the process that a notebook runs in.
struct PythonPlace {
  Text name{};
  Text executable{};
  Text prefix{};
  List<std::string> frameworks{};  // "tensorflow 2.15.1"
  ENVDOCTOR_FIELDS(PythonPlace, name, executable, prefix, frameworks)
};

// Two distributions that write the same files.
struct WrittenTwice {
  Text folder{};                 // "tensorflow", what is imported
  List<std::string> packages{};  // "tensorflow-cpu 2.15.1"
  Text winner{};                 // the one whose files are there now, judged by their recorded sizes
  ENVDOCTOR_FIELDS(WrittenTwice, folder, packages, winner)
};

// An incomplete installation or removal.
struct PackageDamage {
  Text package{};
  Text what{};  // leftover, files-missing, metadata-missing, recorded-twice
  Text path{};  // the file or folder that shows it
  ENVDOCTOR_FIELDS(PackageDamage, package, what, path)
};

// A requirement on another package in a framework's metadata.
struct PackageRequirement {
  Text by{};         // "tensorflow"
  Text name{};       // "numpy"
  Text range{};      // "<2.0.0,>=1.23.5"
  Text installed{};  // version; absent: not installed
  ENVDOCTOR_FIELDS(PackageRequirement, by, name, range, installed)
};

// A package that carries GPU libraries or plugs a GPU into a framework: nvidia-cudnn-cu12, jax-cuda12-plugin.
struct GpuPackage {
  Text package{};
  Text version{};
  List<std::string> libraries{};  // file names
  ENVDOCTOR_FIELDS(GpuPackage, package, version, libraries)
};

struct Python {
  Text executable{};
  Text version{};
  Text kind{};      // venv, conda, pyenv, uv, system
  Text prefix{};    // sys.prefix
  Text found_by{};  // PATH, VIRTUAL_ENV, CONDA_PREFIX, --python
  // The tool that installs packages into it: pip, uv, conda, pixi; ensurepip: pip itself must come first. Absent: the
  // distribution alone may.
  Text installer{};
  Reading<PythonPlace> activated{};  // the one that VIRTUAL_ENV names if it is another; absent: no other
  List<std::string> search_path{};   // package folders in the order of import
  Map<std::string> packages{};
  Map<std::string> conda_packages{};  // name -> "version build"
  List<WrittenTwice> written_twice{};
  List<PackageDamage> damage{};
  List<PackageRequirement> requirements{};
  List<GpuPackage> gpu_packages{};
  List<std::string> others{};  // "/opt/conda/envs/tf: tensorflow 2.15.1"
  List<PythonPlace> kernels{};
  Reading<PythonPlace> notebook{};  // the kernel that this process runs under; absent: none
  ENVDOCTOR_FIELDS(Python, executable, version, kind, prefix, found_by, installer, activated, search_path, packages,
                   conda_packages, written_twice, damage, requirements, gpu_packages, others, kernels, notebook)
};

// Members before `import_error` are read from files; the others come from the framework itself. Devices are
// named as the framework names them.
struct Tensorflow {
  Text version{};
  Text package{};    // the distribution that installed it
  Text wheel_tag{};  // cp311-cp311-manylinux_2_17_x86_64
  Flag built_with_cuda{};
  Flag built_with_rocm{};
  Text cuda_version{};
  Text cudnn_version{};
  List<std::string> arch_list{};  // sm_80, compute_90
  Text import_error{};            // absent: it imports
  Number physical_gpus{};
  Number visible_gpus{};
  Number logical_gpus{};
  List<std::string> devices{};
  Text placement{};            // where a matmul without explicit placement ran
  Text placement_under_gpu{};  // where one ran under tf.device("/GPU:0")
  Flag soft_placement{};
  Text variables_on{};  // of a tiny Keras model
  Text training_on{};   // its training step
  Text training_error{};
  Flag memory_growth{};
  Number intra_op_threads{};  // 0: as many as there are CPUs
  Number inter_op_threads{};
  Flag deterministic_ops{};
  Flag tf32{};
  Flag onednn{};
  List<std::string> mapped_libraries{};  // GPU libraries in the process, by path
  ENVDOCTOR_FIELDS(Tensorflow, version, package, wheel_tag, built_with_cuda, built_with_rocm, cuda_version,
                   cudnn_version, arch_list, import_error, physical_gpus, visible_gpus, logical_gpus, devices,
                   placement, placement_under_gpu, soft_placement, variables_on, training_on, training_error,
                   memory_growth, intra_op_threads, inter_op_threads, deterministic_ops, tf32, onednn, mapped_libraries)
};

struct TorchDevice {
  Number ordinal{};
  Text name{};
  Text capability{};
  Text uuid{};
  ENVDOCTOR_FIELDS(TorchDevice, ordinal, name, capability, uuid)
};

struct Torch {
  Text version{};
  Text package{};
  Text wheel_tag{};
  Text cuda_version{};
  Text hip_version{};
  Text xpu_version{};  // of the oneAPI that it was built with, as 20250201
  Text import_error{};
  Flag cuda_available{};
  Text cuda_error{};  // torch's message why not
  Flag xpu_available{};
  Number device_count{};
  List<TorchDevice> devices{};
  List<std::string> arch_list{};
  Text cudnn_version{};  // as loaded
  Flag tf32_matmul{};
  Flag tf32_cudnn{};
  Text matmul{};  // the device that ran a tiny one
  Number threads{};
  List<std::string> mapped_libraries{};
  ENVDOCTOR_FIELDS(Torch, version, package, wheel_tag, cuda_version, hip_version, xpu_version, import_error,
                   cuda_available, cuda_error, xpu_available, device_count, devices, arch_list, cudnn_version,
                   tf32_matmul, tf32_cudnn, matmul, threads, mapped_libraries)
};

struct Jax {
  Text version{};
  Text jaxlib_version{};
  Text wheel_tag{};            // jaxlib's
  Map<std::string> plugins{};  // jax-cuda12-plugin -> version
  Text import_error{};
  Text backend{};
  List<std::string> devices{};
  Map<std::string> backend_errors{};  // platform -> why it was not used
  Text matmul{};
  List<std::string> mapped_libraries{};
  ENVDOCTOR_FIELDS(Jax, version, jaxlib_version, wheel_tag, plugins, import_error, backend, devices, backend_errors,
                   matmul, mapped_libraries)
};

struct Keras {
  Text version{};
  Text tf_keras_version{};
  Text backend{};         // the one in use
  Text config_file{};     // keras.json, whether or not it exists
  Text config_backend{};  // its value in that file
  Text image_data_format{};
  ENVDOCTOR_FIELDS(Keras, version, tf_keras_version, backend, config_file, config_backend, image_data_format)
};

}  // namespace envdoctor

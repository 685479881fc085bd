#pragma once
// Libraries, toolkits, Python and the frameworks in it.
#include "evidence/fields.h"

namespace envdoctor {

// What the dynamic loader answers for one soname; further copies follow as rows of their own with `shadowed_by`.
struct SharedLibrary {
  Text soname{};
  Flag found{};  // by the loader, or by packages of pip and conda, which bring their own search path; a path
                 // beside `false`: a copy lies there, but nothing leads to it
  Text path{};
  Text version{};
  Text origin{};       // ldcache, LD_LIBRARY_PATH, LD_PRELOAD, RUNPATH, default, pip, conda, toolkit, mounted
  Text shadowed_by{};  // path of the copy that wins over this one
  Flag stub{};         // a toolkit's link-time stand-in, no driver
  ENVDOCTOR_FIELDS(SharedLibrary, soname, found, path, version, origin, shadowed_by, stub)
};

struct Toolkit {
  Text path{};
  Text version{};
  Text origin{};  // /usr/local, CUDA_HOME, conda, distribution
  ENVDOCTOR_FIELDS(Toolkit, path, version, origin)
};

struct Python {
  Text executable{};
  Text version{};
  Text kind{};  // venv, conda, system
  Text prefix{};
  Map<std::string> packages{};
  List<std::string> others{};
  ENVDOCTOR_FIELDS(Python, executable, version, kind, prefix, packages, others)
};

struct Tensorflow {
  Text version{};
  Flag built_with_cuda{};
  Text cuda_version{};
  Text cudnn_version{};
  Number physical_gpus{};
  Text placement{};
  ENVDOCTOR_FIELDS(Tensorflow, version, built_with_cuda, cuda_version, cudnn_version, physical_gpus, placement)
};

struct Torch {
  Text version{};
  Text cuda_version{};
  Flag cuda_available{};
  Number device_count{};
  List<std::string> arch_list{};
  ENVDOCTOR_FIELDS(Torch, version, cuda_version, cuda_available, device_count, arch_list)
};

struct Jax {
  Text version{};
  Text backend{};
  ENVDOCTOR_FIELDS(Jax, version, backend)
};

struct Keras {
  Text version{};
  Text backend{};
  Text config_backend{};
  ENVDOCTOR_FIELDS(Keras, version, backend, config_backend)
};

}  // namespace envdoctor

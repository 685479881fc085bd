// `envdoctor show python`: the environment, then each framework: what it was built for, and what it reported.
#include <fmt/ranges.h>

#include "checks/runtime/library_facts.h"
#include "reports/text/show_rows.h"

namespace envdoctor {
namespace {

std::string listed(const List<std::string>& items, std::string_view before = "") {
  return items.or_empty().empty() ? "" : fmt::format("{}{}", before, fmt::join(*items.get(), " "));
}

// File names without their folders, because the snapshot has the paths; except cuDNN, where the copy
// matters.
std::string loaded(const List<std::string>& paths) {
  if (paths.or_empty().empty()) return {};
  std::string out = "loaded:", cudnn;
  for (const std::string& path : *paths.get()) {
    const std::string name = path.substr(path.rfind('/') + 1);
    out += " " + name;
    if (name.starts_with("libcudnn.so")) cudnn = path;
  }
  return row("", out) + row("", cudnn.empty() ? "" : "cuDNN is " + cudnn);
}

std::string yes_no(const Flag& flag, std::string_view yes, std::string_view no = "") {
  return std::string(flag.get() ? (*flag.get() ? yes : no) : "");
}

// The import error, if the import was tried and failed.
std::string import_failure(const Text& error) {
  if (error.get()) return "import fails: " + *error.get();
  return error.outcome() == Outcome::failed ? "unknown: " + error.why() : "";
}

// TensorFlow's 0 means the number of CPUs.
std::string threads(const Number& number, std::string_view kind) {
  if (number.is(0)) return fmt::format("{} threads: one for each CPU", kind);
  return value(number, fmt::format("{} threads: ", kind));
}

// A query that failed, with the framework's own message.
std::string failure(const Text& reading, std::string_view what) {
  return reading.outcome() == Outcome::failed ? fmt::format("{}: {}", what, reading.why()) : "";
}

std::string show_environment(const Python& python) {
  std::string out =
      row("Python",
          joined({plain(python.version), value(python.kind), value(python.executable), value(python.found_by, "by ")}));
  out += row("prefix", plain(python.prefix));
  const auto& folders = python.search_path.or_empty();
  for (const std::string& folder : folders) out += row(&folder == &folders.front() ? "packages in" : "", folder);
  if (const auto* packages = python.packages.get())
    out += row("packages", fmt::format("{} distributions", packages->size()));
  for (const WrittenTwice& one : python.written_twice.or_empty())
    out +=
        row("written twice", joined({value(one.folder) + ":", listed(one.packages), value(one.winner, "now ")}, " "));
  for (const PackageDamage& one : python.damage.or_empty())
    out += row("damage", joined({value(one.package), value(one.what), value(one.path)}));
  for (const PythonPlace& one : python.kernels.or_empty())
    out += row("kernel", joined({value(one.name), value(one.executable), listed(one.frameworks)}));
  const PythonPlace& notebook = python.notebook.or_empty();
  out += row("notebook", joined({value(notebook.executable), listed(notebook.frameworks)}));
  for (const std::string& one : python.others.or_empty()) out += row("also", one);
  return out;
}

std::string show_tensorflow(const Tensorflow& tf) {
  std::string out = row("TensorFlow", joined({value(tf.version), value(tf.package, "package "), value(tf.wheel_tag)}));
  out += row("", joined({yes_no(tf.built_with_cuda, "built with CUDA", "built without CUDA"),
                         yes_no(tf.built_with_rocm, "built with ROCm"), value(tf.cuda_version, "CUDA "),
                         value(tf.cudnn_version, "cuDNN "), listed(tf.arch_list, "for ")}));
  out += row("", import_failure(tf.import_error));
  out += row("", joined({value(tf.physical_gpus, "GPUs: "), value(tf.visible_gpus, "visible: "),
                         value(tf.logical_gpus, "logical: "), listed(tf.devices, "devices: ")}));
  const bool moved = tf.placement_under_gpu.get() && tf.placement_under_gpu.get()->find("GPU") == std::string::npos;
  out += row("", joined({value(tf.placement, "a matmul runs on "), failure(tf.placement, "a matmul fails"),
                         value(tf.placement_under_gpu, "under tf.device('/GPU:0') on ", moved ? ", moved" : ""),
                         failure(tf.placement_under_gpu, "under tf.device('/GPU:0') it fails"),
                         yes_no(tf.soft_placement, "soft placement on", "soft placement off")}));
  out += row("", joined({value(tf.variables_on, "Keras variables on "), value(tf.training_on, "training on "),
                         value(tf.training_error, "training fails: ")}));
  out += row("", joined({yes_no(tf.memory_growth, "memory growth on", "memory growth off"),
                         yes_no(tf.deterministic_ops, "deterministic", "not deterministic"),
                         yes_no(tf.tf32, "TF32 on", "TF32 off"), yes_no(tf.onednn, "oneDNN on", "oneDNN off"),
                         threads(tf.intra_op_threads, "intra-op"), threads(tf.inter_op_threads, "inter-op")}));
  return out + loaded(tf.mapped_libraries);
}

// "9.1.0 loaded, 9.1.0.70 asked for": the version that torch was built with is the one that its package requires.
std::string torch_cudnn(const Torch& torch, const Snapshot& s) {
  const std::string* version = torch.cudnn_version.get();
  std::string out =
      version ? "cuDNN " + cudnn_version_text(*version) + " loaded" : failure(torch.cudnn_version, "cuDNN");
  const auto& needs = of(s.python, &Python::requirements);
  for (const PackageRequirement& need : needs.or_empty()) {
    if (need.by.is("torch") && value(need.name).starts_with("nvidia-cudnn")) out += value(need.range, ", built for ");
  }
  return out;
}

std::string show_torch(const Torch& torch, const Snapshot& s) {
  std::string out = row("PyTorch", joined({value(torch.version), value(torch.wheel_tag)}));
  out += row("", joined({torch.cuda_version.outcome() == Outcome::absent ? "built without CUDA"
                                                                         : value(torch.cuda_version, "CUDA "),
                         value(torch.hip_version, "HIP "), value(torch.xpu_version, "XPU "),
                         listed(torch.arch_list, "for ")}));
  out += row("", import_failure(torch.import_error));
  out += row("", joined({yes_no(torch.cuda_available, "CUDA available", "CUDA not available"),
                         value(torch.device_count, "GPUs: "), value(torch.cuda_error),
                         yes_no(torch.xpu_available, "XPU available", "XPU not available")}));
  for (const TorchDevice& one : torch.devices.or_empty())
    out += row("", joined({value(one.ordinal, "cuda:"), value(one.name), value(one.capability, "capability ")}));
  out += row("", joined({value(torch.matmul, "a matmul runs on "), failure(torch.matmul, "a matmul fails"),
                         yes_no(torch.tf32_matmul, "TF32 on in matmul", "TF32 off in matmul"),
                         yes_no(torch.tf32_cudnn, "on in cuDNN", "off in cuDNN"), value(torch.threads, "threads: ")}));
  out += row("", torch_cudnn(torch, s));
  return out + loaded(torch.mapped_libraries);
}

// Read from the variables, because querying JAX must not allocate memory.
std::string jax_preallocation(const Snapshot& s) {
  const Text advance = env_of(s, "XLA_PYTHON_CLIENT_PREALLOCATE");
  if (advance.get()) return "XLA_PYTHON_CLIENT_PREALLOCATE=" + *advance.get();
  if (advance.outcome() != Outcome::absent) return {};
  for (const char* name : {"XLA_CLIENT_MEM_FRACTION", "XLA_PYTHON_CLIENT_MEM_FRACTION"}) {
    if (const Text share = env_of(s, name); share.get())
      return fmt::format("takes {}={} of a GPU at its start", name, *share.get());
  }
  return "takes 75 % of a GPU at its start";
}

std::string show_jax(const Jax& jax, const Snapshot& s) {
  std::string out = row("JAX", joined({value(jax.version), value(jax.jaxlib_version, "jaxlib ")}));
  std::string plugins = jax.plugins.get() && jax.plugins.get()->empty() ? "no GPU plug-in" : "";
  for (const auto& [name, version] : jax.plugins.or_empty()) plugins = joined({plugins, name + " " + version});
  out += row("", plugins);
  out += row("", import_failure(jax.import_error));
  out += row("", joined({value(jax.backend, "backend "), listed(jax.devices, "devices: "),
                         value(jax.matmul, "a matmul runs on "), failure(jax.matmul, "a matmul fails")}));
  if (jax.backend.get() && !jax.backend.is("cpu")) out += row("", jax_preallocation(s));
  for (const auto& [platform, why] : jax.backend_errors.or_empty()) out += row("", "no " + platform + ": " + why);
  return out + loaded(jax.mapped_libraries);
}

std::string show_keras(const Keras& keras) {
  return row("Keras", joined({value(keras.version), value(keras.tf_keras_version, "tf-keras "),
                              value(keras.backend, "runs on "), value(keras.config_backend, "keras.json: "),
                              value(keras.image_data_format), value(keras.config_file)}));
}

}  // namespace

std::string show_python(const Snapshot& s) {
  std::string out = s.python.get() ? show_environment(*s.python.get()) : row("Python", unknown(s.python));
  if (s.tensorflow.get()) out += show_tensorflow(*s.tensorflow.get());
  if (s.torch.get()) out += show_torch(*s.torch.get(), s);
  if (s.jax.get()) out += show_jax(*s.jax.get(), s);
  if (s.keras.get()) out += show_keras(*s.keras.get());
  return out;
}

}  // namespace envdoctor

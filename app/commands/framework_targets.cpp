// The devices that the frameworks of the chosen Python list, as targets for the reference kernels.
#include "app/commands/kernel_runs.h"

#include <fmt/format.h>

#include "app/commands/gather.h"
#include "app/options/input_files.h"
#include "app/output/reporting.h"
#include "probe/python/framework_queries.h"
#include "probe/redaction/redact.h"

namespace envdoctor {
namespace {

struct Framework {
  std::string name{};
  const Text* import_error = nullptr;  // null: it isn't installed
  std::vector<std::string> devices{};  // as its program takes them, GPUs first
};

// "GPU:0" and "CPU:0" of TensorFlow's list.
Framework tensorflow(const Snapshot& snapshot) {
  const Tensorflow* section = snapshot.tensorflow.get();
  if (!section) return {"tensorflow"};
  Framework framework{"tensorflow", &section->import_error, section->devices.or_empty()};
  std::erase_if(framework.devices,
                [](const std::string& device) { return !device.starts_with("GPU:") && device != "CPU:0"; });
  return framework;
}

Framework torch(const Snapshot& snapshot) {
  const Torch* section = snapshot.torch.get();
  if (!section) return {"torch"};
  Framework framework{"torch", &section->import_error};
  for (std::int64_t i = 0; section->cuda_available.is(true) && i < section->device_count.or_empty(); ++i)
    framework.devices.push_back(fmt::format("cuda:{}", i));
  if (section->cuda_available.get()) framework.devices.emplace_back("cpu");
  return framework;
}

Framework jax(const Snapshot& snapshot) {
  const Jax* section = snapshot.jax.get();
  if (!section) return {"jax"};
  Framework framework{"jax", &section->import_error};
  const std::string* backend = section->backend.get();
  for (std::size_t i = 0; backend && *backend != "cpu" && i < section->devices.or_empty().size(); ++i)
    framework.devices.push_back(fmt::format("{}:{}", *backend, i));
  if (backend) framework.devices.emplace_back("cpu:0");
  return framework;
}

bool on_cpu(const std::string& device) { return device.starts_with("cpu") || device.starts_with("CPU"); }

// The card behind ordinal N of this process.
std::string place_of(const Snapshot& snapshot, const std::string& device) {
  const std::string ordinal = device.substr(device.find(':') + 1);
  for (const CudaDevice& card : snapshot.nvidia.or_empty().cuda_devices.or_empty()) {
    if (!on_cpu(device) && card.pci_address.get() && std::to_string(card.ordinal.value_or(-1)) == ordinal)
      return *card.pci_address.get();
  }
  return "";
}

std::string why_not(const Framework& framework) {
  if (!framework.import_error) return "error: it is not installed in this Python";
  const Text& error = *framework.import_error;
  if (error.get()) return "error: it does not import: " + *error.get();
  if (error.outcome() == Outcome::failed) return "error: " + error.why();
  return "error: it lists no device";
}

// One target for each device that a framework listed, GPUs first: subject "framework:torch/cuda:0". A framework that is
// missing or doesn't start becomes a row of compute_not_run. `only`: that framework alone; empty: every installed one.
// The snapshot must not be redacted yet.
std::vector<kernels::Target> framework_targets(Snapshot& snapshot, const std::string& only) {
  std::vector<kernels::Target> targets;
  auto& not_run = snapshot.compute_not_run.fill();
  const Text executable = snapshot.python.or_empty().executable;
  if (!executable.get()) {
    not_run.push_back({.device = "framework:" + (only.empty() ? "any" : only), .why = "error: no Python found"});
    return targets;
  }
  for (const Framework& framework : {tensorflow(snapshot), torch(snapshot), jax(snapshot)}) {
    if (only.empty() ? !framework.import_error : only != framework.name) continue;
    const bool imports = framework.import_error && framework.import_error->outcome() == Outcome::absent;
    if (!imports || framework.devices.empty())
      not_run.push_back({.device = "framework:" + framework.name, .why = why_not(framework)});
    const auto& scripts = ask_scripts();
    const std::string program = fmt::format("{}\n{}\n{}\n", scripts.at("common"), scripts.at("compute"),
                                            scripts.at("compute_" + framework.name));
    for (const std::string& device : imports ? framework.devices : std::vector<std::string>{})
      targets.push_back({.subject = fmt::format("framework:{}/{}", framework.name, device),
                         .backend = "framework",
                         .library = framework.name,
                         .gpu = place_of(snapshot, device),
                         .is_cpu = on_cpu(device),
                         .device = device,
                         .command = {*executable.get(), "-c", program},
                         .environment = ask_environment(environment(), snapshot)});
  }
  return targets;
}

// Gathers the Python environment, asks its frameworks for their devices, and does `work` on the selected ones.
// Interpreters are started by their real paths, so their answers are redacted last.
Snapshot compute_frameworks(const Options& options, kernels::VerifyOptions how, Insist insist,
                            const ComputeWork& work) {
  Options plain = options;
  plain.redact = false;
  plain.quick = false;  // frameworks are asked which devices they have, whatever sizes are run
  Snapshot snapshot = gather_here(plain, {"python", "frameworks", "nvidia", "cpu", "host", "env"});
  how.limits.time = Milliseconds(60'000);
  how.whole = time_left(options);
  const auto targets = framework_targets(snapshot, *options.verify.framework);
  add_compute(snapshot, wanted_of(targets, options.verify.devices), how, insist, work);
  const auto files = open_files("/");
  if (options.redact) redact(snapshot, identity_of({.files = *files, .env = environment()}));
  return snapshot;
}

}  // namespace

void declare_framework(Arguments& arguments, VerifyWishes& wishes) {
  arguments.option("--framework", wishes.framework, "run through TensorFlow, PyTorch and JAX, or one of them",
                   {.shown = "[NAME]", .words = {"tensorflow", "torch", "jax"}, .one = true});
}

int run_on_devices(const Options& options, kernels::VerifyOptions how, const ComputeWork& work) {
  const bool named = !options.verify.devices.empty();
  const Insist insist = named ? Insist::yes : Insist::unless_busy;
  Snapshot snapshot;
  if (options.verify.framework) {
    snapshot = compute_frameworks(options, how, insist, work);
  } else {
    snapshot = gather_here(options, {"opencl", "nvidia", "cpu", "host", "env"}, Launches::none);
    how.whole = time_left(options);
    add_compute(snapshot, wanted_targets(snapshot, options.verify.devices), how, insist, work);
    if (options.redact) redact(snapshot, identity_of(environment()));
  }
  JudgeOptions judged = judge_options(options, false);
  judged.of_devices = true;
  judged.host_asked = named;
  return write_report(judge(snapshot, judged), options);
}

}  // namespace envdoctor

// driver.libcuda-missing: the kernel driver runs, but the loader finds no libcuda.so.1.
#include "checks/driver/nvidia_facts.h"
#include "checks/runtime/library_facts.h"

namespace envdoctor::driver_libcuda_missing {

using enum SymptomClass;

// A copy that exists on disk where the loader doesn't look.
std::string copy_elsewhere(const Snapshot& snapshot) {
  for (const SharedLibrary& row : snapshot.libraries.or_empty()) {
    if (row.soname.or_empty().starts_with("libcuda.so") && row.found.is(false) && row.path.get() &&
        row.path.get()->find("/stubs/") == std::string::npos)
      return *row.path.get();
  }
  return {};
}

void report_finding(const Snapshot& snapshot, Confidence confidence, Answers& answers) {
  const std::string elsewhere = copy_elsewhere(snapshot);
  const Text version = of(snapshot.nvidia, &Nvidia::kernel_driver_version);
  Finding& finding =
      nvidia::fault(answers, snapshot, confidence, {nvidia::libcuda_evidence(snapshot)}, "library:libcuda.so.1");
  finding.explanation =
      "libcuda.so.1 is the part of the driver that CUDA programs load, and the loader doesn't find it.";
  if (version.get()) finding.evidence.push_back(evidence("/nvidia/kernel_driver_version", *version.get()));
  if (!elsewhere.empty()) {
    const std::string folder = elsewhere.substr(0, elsewhere.rfind('/'));
    finding.explanation += " A copy lies in " + folder + ", where the loader doesn't look.";
    finding.fix = {
        {.text = "Add that folder to the search path (for good: a line in /etc/ld.so.conf.d, then ldconfig).",
         .command = "export LD_LIBRARY_PATH=" + folder + "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"}};
  } else if (nvidia::contained(snapshot)) {
    finding.fix = {
        {.text = "Start the container with the driver's libraries: --gpus all, and NVIDIA_DRIVER_CAPABILITIES must "
                 "hold compute (compute,utility is usual). On Kubernetes nodes that mount the driver in "
                 "/usr/local/nvidia/lib64, add that folder to LD_LIBRARY_PATH."}};
  } else {
    const bool debian = distro_of(snapshot) == Distro::debian;
    finding.fix = {{.text = version.get() ? "Install the libraries of driver " + *version.get() +
                                                ", the same version as the kernel module."
                                          : "Install the libraries of the same version as the kernel module.",
                    .command = debian ? host_command(snapshot, "sudo apt-get install libcuda1") : ""}};
  }
}

void judge_host(const Snapshot& snapshot, Answers& answers) {
  if (const std::string why = nvidia::not_here(snapshot); !why.empty()) return answers.not_applicable(why);
  const Text libcuda = nvidia::libcuda(snapshot);
  if (libcuda.get() || nvidia::cuda_works(snapshot)) return answers.passed();
  if (nvidia::on_wsl(snapshot)) return answers.not_applicable("under WSL this is driver.wsl");
  const bool elsewhere = !copy_elsewhere(snapshot).empty();
  const bool absent = libcuda.outcome() == Outcome::absent;
  if (!elsewhere && !absent && !nvidia::cuinit(snapshot).is(cuda_error::shared_object_init_failed))
    return answers.unknown(why_unknown(nvidia::libcuda_place(snapshot), libcuda));
  const Flag runs = nvidia::kernel_driver_runs(snapshot), nodes = nvidia::has_nodes(snapshot);
  const bool contained = nvidia::contained(snapshot);
  if (runs.is(false)) return answers.not_applicable("no NVIDIA kernel driver runs");
  if (contained && nodes.is(false)) return answers.not_applicable("no GPU was given to this container");
  if (elsewhere || (runs.is(true) && (!contained || nodes.is(true))))
    return report_finding(snapshot, absent ? Confidence::certain : Confidence::likely, answers);
  // In a container whose nodes and module are unknown, the container may simply have no GPU.
  if (runs.is(true) || contained) return report_finding(snapshot, Confidence::possible, answers);
  answers.unknown("libcuda.so.1 is not found; whether the kernel driver runs is not known");
}

// Of the driver's other libraries a text names the one that is missing.
void name_library(Finding& finding) {
  constexpr std::string_view kind = "library:";
  const std::string subject = finding.subject;
  if (!subject.starts_with(kind) || subject.find("cuda.") != std::string::npos) return;
  const std::string library = subject.substr(kind.size());
  finding.title = "The driver's library " + library + " is not found";
  finding.explanation = library + " is installed with the driver, and the dynamic loader does not find it.";
  finding.fix = {{.text = "Install the user-space part of the same driver version; start a container with all parts of "
                          "the driver: NVIDIA_DRIVER_CAPABILITIES=all."}};
}

void judge(const Facts& facts, Answers& answers) {
  if (nvidia::kernel_driver_runs(facts).is(false)) return answers.not_applicable("no NVIDIA kernel driver runs");
  report_missing_libraries(facts, answers);
  for (Finding& finding : answers.findings) name_library(finding);
  if (const auto lacking = missing_symbol(facts, answers.id)) answers.found_in(*lacking->symptom, lacking->confidence);
}

bool speaks_of_cuda(const Symptom* line) {
  const std::string text = line->text.or_empty();
  return text.find("CUDA driver") != text.npos || text.find("libcuda.so.1") != text.npos;
}

// nvidia-smi lists a GPU here, so the kernel driver runs, and a program says that there is no driver of CUDA: it
// doesn't find the library. (An old library would be found, and named too old.)
bool driver_listed_but_not_loaded(const Facts& facts) {
  const auto& devices = of(facts.snapshot().nvidia, &Nvidia::devices).or_empty();
  return !devices.empty() && when::no_better_cause(facts) && !facts.wsl() && !facts.container() && !facts.used() &&
         !facts.saw({{noted, "container-named"}, {noted, "container-start"}, {too_old, "any-driver"}}) &&
         (std::ranges::any_of(facts.all({missing, "any-driver"}), speaks_of_cuda) ||
          std::ranges::any_of(facts.all({missing, "cuda"}), speaks_of_cuda));
}

bool no_container_named(const Facts& facts) {
  return when::no_better_cause(facts) && !facts.wsl() && !facts.container() &&
         !facts.saw({{noted, "container-named"}, {noted, "container-start"}, {missing, "any-driver"}});
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "driver.libcuda-missing",
      .layer = Layer::user_driver,
      .severity = Severity::error,
      .title = "The driver's library libcuda.so.1 is not found",
      .claim = "The kernel driver runs, and the dynamic loader finds no libcuda.so.1.",
      .proof = "The loader finds no libcuda.so.1 while the kernel driver runs.",
      .disproof = "libcuda.so.1 is found, or there is no NVIDIA kernel driver.",
      .remedy =
          "Install the user-space part of the same driver version, or add the folder that holds it to the library "
          "path; in a container start it with GPU access and the compute capability.",
      .explains = with_unusable_driver({"opencl.icd-broken"}),
      .symptoms =
          {
              {{missing, "vllm-platform"}, possible, when::no_better_cause},
              {{missing, "any-driver-library"}, possible, no_container_named},
              // Programs look for it on every machine.
              {{missing, "looked-for-library"},
               possible,
               [](const Facts& f) { return !nvidia::gpus(f.snapshot()).empty() && when::no_better_cause(f); }},
              {{missing, "libcuda-of-program"}, likely, when::no_driver_answers},
              // On a host of virtual GPUs, whose driver has no CUDA, it is not missed.
              {{missing, "libcuda-of-nvidia-smi"},
               possible,
               [](const Facts& f) {
                 return when::no_better_cause(f) && !f.used() &&
                        !f.saw({{noted, "vgpu-profile"}, {noted, "virtual-gpu"}});
               }},
              {{missing, "any-driver"}, likely, driver_listed_but_not_loaded},
              {{missing, "cuda"}, likely, driver_listed_but_not_loaded},
          },
      .judge_host = judge_host,
      .judge = judge,
  };
}

}  // namespace envdoctor::driver_libcuda_missing

// driver.too-old: a framework or toolkit needs a newer driver. From CUDA 11 on any driver of the same CUDA major
// version is enough (minor-version compatibility); before, each CUDA version has its own minimum.
#include "checks/driver/nvidia_facts.h"
#include "checks/facts/fitting_build.h"
#include "checks/python/package_facts.h"
#include "checks/runtime/library_facts.h"
#include "knowledge/gpus/drivers.h"

namespace envdoctor::driver_too_old {

using enum SymptomClass;

// Something that was built for a CUDA version.
struct Need {
  std::string who{};
  std::string cuda{};  // "12.1", or "12" where only the major version is known
  Evidence evidence{};
  std::string subject{};
  bool is_toolkit = false;
  bool fails = false;  // it reports itself that it can't use CUDA
};

int major_of(const std::string& version) { return std::atoi(version.c_str()); }

std::vector<Need> needs_of(const Snapshot& snapshot) {
  std::vector<Need> needs;
  const auto add = [&](const char* who, const std::string& cuda, Evidence seen, const char* subject, bool fails) {
    if (!cuda.empty()) needs.push_back({who, cuda, std::move(seen), subject, false, fails});
  };
  const Torch& torch = snapshot.torch.or_empty();
  const std::string torch_cuda = cuda_of_torch(snapshot);
  if (!torch.cuda_available.is(true))
    add("PyTorch", torch_cuda,
        torch.cuda_version.get() ? evidence("/torch/cuda_version", torch_cuda)
                                 : evidence("/torch/version", torch.version.or_empty()),
        "framework:torch", torch.cuda_available.is(false));
  const Tensorflow& tensorflow = snapshot.tensorflow.or_empty();
  if (tensorflow.physical_gpus.or_empty() <= 0) {
    const auto built = linux_tensorflow_needs(snapshot, tensorflow.version.or_empty());
    if (tensorflow.cuda_version.get())
      add("TensorFlow", *tensorflow.cuda_version.get(),
          evidence("/tensorflow/cuda_version", *tensorflow.cuda_version.get()), "framework:tensorflow",
          tensorflow.physical_gpus.is(0));
    else if (built && tensorflow.physical_gpus.is(0) && !tensorflow.built_with_cuda.is(false))
      add("TensorFlow", built->cuda, evidence("/tensorflow/version", tensorflow.version.or_empty()),
          "framework:tensorflow", false);
  }
  // JAX names the CUDA major version in its plug-in package: jax-cuda12-plugin.
  const Text backend = of(snapshot.jax, &Jax::backend);
  for (const char* major : {"11", "12", "13", "14"}) {
    const std::string package = fmt::format("jax-cuda{}-plugin", major);
    if (package_installed(snapshot, package).is(true) && !backend.is("gpu") && !backend.is("cuda"))
      add("JAX", major, evidence("/python/packages", package), "framework:jax", backend.is("cpu"));
  }
  for (const auto& [i, toolkit] : numbered(snapshot.toolkits)) {
    const std::string& version = toolkit.version.or_empty();
    if (toolkit.version.get())
      needs.push_back({"the CUDA toolkit", version, evidence(at("/toolkits", i, "version"), version), "host", true});
  }
  return needs;
}

// The package that was to be installed, where the framework finds no GPU and its build is unknown.
std::vector<Need> wanted_of(const Facts& facts) {
  if (const Symptom* image = facts.first({{noted, "image-needs-cuda"}}); image && !facts.used())
    return {{.who = "the container's image",
             .cuda = image->detail("cuda"),
             .evidence = evidence(*image),
             .subject = "host",
             .is_toolkit = true}};
  const Torch& torch = facts.snapshot().torch.or_empty();
  const Symptom* line = facts.first({{noted, "installed-for-cuda"}});
  const bool finds_none = torch.cuda_available.is(false) || facts.saw({{missing, "torch-cuda"}, {missing, "gpu"}});
  if (!line || !finds_none || torch.cuda_version.outcome() != Outcome::not_probed ||
      torch.version.or_empty().find('+') != std::string::npos)
    return {};
  return {{.who = "PyTorch", .cuda = line->detail("cuda"), .evidence = evidence(*line), .subject = "framework:torch"}};
}

struct Driver {
  std::string kernel{};    // Linux: compared with the minimums
  std::string max_cuda{};  // the version it reports, or the known one of its branch
  std::vector<Evidence> evidence{};
  bool stated = false;  // by a person only
};

Driver driver_of(const Snapshot& snapshot) {
  Driver driver;
  const Text version = of(snapshot.nvidia, &Nvidia::kernel_driver_version);
  const Text cuda = of(snapshot.nvidia, &Nvidia::cuda_driver_version);
  // Windows numbers its drivers differently, also in WSL.
  const bool linux = !nvidia::on_wsl(snapshot) && !nvidia::on_platform(snapshot, "windows");
  if (version.get()) {
    if (linux) driver.kernel = *version.get();
    driver.evidence.push_back(evidence("/nvidia/kernel_driver_version", *version.get()));
    if (const auto own = knowledge::max_cuda_of_driver(*version.get())) driver.max_cuda = *own;
  }
  if (cuda.get()) {
    driver.max_cuda = *cuda.get();
    driver.evidence.push_back(evidence("/nvidia/cuda_driver_version", *cuda.get()));
  }
  return driver;
}

// The driver that a person names and no program does, of a text that names one version and in which no GPU works.
Driver stated_driver(const Facts& facts) {
  const auto& stated = facts.all({noted, "stated-driver"});
  if (stated.empty() || nvidia::on_wsl(facts) || nvidia::on_platform(facts, "windows")) return {};
  const std::string version = stated.front()->detail("version");
  if (std::ranges::any_of(stated, [&](const Symptom* one) { return one->detail("version") != version; })) return {};
  return {.kernel = version,
          .max_cuda = knowledge::max_cuda_of_driver(version).value_or(""),
          .evidence = {evidence(*stated.front())},
          .stated = true};
}

// Whether the driver can't run programs of this CUDA version; not probed: unknown.
Flag needs_newer(const Driver& driver, const std::string& cuda) {
  const int wanted = major_of(cuda);
  const bool has_minor = cuda.find('.') != std::string::npos;
  if (!driver.max_cuda.empty()) {
    const int served = major_of(driver.max_cuda);
    if (served > wanted) return false;
    if (served < wanted && wanted >= 11) return true;
    if (wanted < 11) return has_minor ? Flag(knowledge::compare_versions(driver.max_cuda, cuda) < 0) : Flag();
    // The same major version. A compatibility package supports more than the module's own branch, so its version
    // counts.
    const auto own = knowledge::max_cuda_of_driver(driver.kernel);
    if (own && major_of(*own) != served) return false;
  }
  if (driver.kernel.empty()) return driver.max_cuda.empty() ? Flag() : Flag(false);
  const auto least = knowledge::min_driver_for_cuda(cuda);
  return least ? Flag(knowledge::compare_versions(driver.kernel, *least) < 0) : Flag();
}

void report_finding(const Snapshot& snapshot, const Need& need, const Driver& driver, Answers& answers) {
  Finding& finding = answers.found_on(need.subject);
  if (need.is_toolkit) {
    finding.severity = Severity::info;
    finding.title = "The CUDA toolkit is newer than the driver";
  } else {
    finding.confidence = need.fails && !driver.stated ? Confidence::certain : Confidence::likely;
  }
  const auto least = knowledge::min_driver_for_cuda(need.cuda);
  finding.explanation = fmt::format(
      "{} was built for CUDA {}{}{}.{}", need.who, need.cuda,
      least ? fmt::format(", which needs driver {} or newer", *least) : "",
      driver.max_cuda.empty() ? "" : fmt::format("; the installed driver serves CUDA up to {}", driver.max_cuda),
      need.is_toolkit ? " Programs compiled with it won't start here; frameworks from pip and conda don't use it."
                      : "");
  finding.evidence = nvidia::joined(driver.evidence, {need.evidence});
  finding.fix = {
      {.text = on_the_host(snapshot) + "update the NVIDIA driver" + (least ? " to " + *least + " or newer." : "."),
       .command = install_nvidia_driver(snapshot)}};
  if (need.is_toolkit) return;
  finding.fix.push_back(
      {.text = fmt::format("Or install a build of {} for the driver's CUDA version. Another toolkit changes nothing.",
                           need.who)});
  if (auto build = fitting_build_in_use(snapshot, need.subject.substr(need.subject.find(':') + 1)))
    finding.fix.push_back(std::move(*build));
}

// "11.4" of the 11040 in PyTorch's message; empty: it names no CUDA.
std::string cuda_of_number(const std::string& found) {
  const int number = std::atoi(found.c_str());
  return number < 1000 || number > 99'999 ? "" : fmt::format("{}.{}", number / 1000, number % 1000 / 10);
}

// CUDA's own word that the GPU's memory is full comes from a driver that took the program: it was updated since.
bool ran_since(const Facts& facts, const Symptom& refusal) {
  return std::ranges::any_of(facts.all({exhausted, "cuda-memory"}), [&](const Symptom* full) {
    return full->source == refusal.source && full->line.or_empty() > refusal.line.or_empty() &&
           full->text.or_empty().find("ut of memory") != std::string::npos;
  });
}

// A program reported it itself.
void judge_log(const Facts& facts, const Driver& driver, Answers& answers) {
  for (const Symptom* line : symptoms_of(facts, {too_old, "driver"})) {
    // No driver answered at all, or another library in its place.
    if (line->detail("found") == "0" || ran_since(facts, *line) ||
        facts.saw({{present, "libcuda-stub"}, {missing, "driver-version"}}) || nvidia::driver_serves_toolkit(facts))
      continue;
    // FFmpeg names the driver that it needs whatever kept it from opening the encoder's library.
    if (facts.with({missing, "library"}, "library", "libnvidia-encode") ||
        (!line->detail("needs").empty() && facts.with({missing, "library"}, "library", "libcuda")))
      continue;
    // Without a version the message may also mean that no driver answered.
    const std::string needs = line->detail("needs");
    const Symptom* stated = facts.first({{noted, "stated-driver"}});
    // A container's image names the CUDA version that it needs, others name the driver's version.
    const bool of_cuda = !needs.empty() && major_of(needs) < 100;
    const std::string here = of_cuda                           ? driver.max_cuda
                             : driver.kernel.empty() && stated ? stated->detail("version")
                                                               : driver.kernel;
    if (!needs.empty() && !here.empty() && knowledge::compare_versions(here, needs) >= 0) continue;  // another fault
    const bool compared = !line->detail("found").empty() || !line->detail("needs").empty();
    if (!compared && facts.driver_dead()) continue;
    Finding& finding = answers.found();
    finding.explanation = "A program refused to start: the driver is older than the CUDA version it was built for.";
    finding.evidence = nvidia::joined({evidence(*line, "driver too old")}, driver.evidence);
    const std::string wanted = line->detail("program") == "torch" ? cuda_of_torch(facts) : "";
    const auto least = wanted.empty() ? std::nullopt : knowledge::min_driver_for_cuda(wanted);
    finding.fix = {
        on_host(facts, "update the NVIDIA driver" +
                           (least ? fmt::format(" to {} or newer, which CUDA {} needs.", *least, wanted) : ".")),
        {.text = "Or install a build for an older CUDA version. Another toolkit changes nothing."}};
    const knowledge::BuildNeeds served{.max_cuda = cuda_of_number(line->detail("found"))};
    if (auto build = fitting_build_in_use(facts, line->detail("program"), served))
      finding.fix.push_back(std::move(*build));
    return;
  }
}

// PyTorch works, as its own CUDA fits this driver, and a program that takes CUDA from another package is refused.
bool judge_other_package(const Facts& facts, const Driver& driver, Answers& answers) {
  const Symptom* line = facts.first({{too_old, "driver"}});
  if (!line || driver.max_cuda.empty()) return false;
  const auto& packages = of(facts.snapshot().python, &Python::packages).or_empty();
  for (const char* name : {"cuda-python", "cuda-bindings", "nvidia-cuda-runtime", "cuda-cudart", "cuda-toolkit"}) {
    const auto package = packages.find(name);
    if (package == packages.end() || major_of(package->second) <= major_of(driver.max_cuda)) continue;
    Finding& finding = answers.found_in(*line, Confidence::likely);
    finding.explanation = fmt::format(
        "{} {} belongs to CUDA {}, and the installed driver serves CUDA up to {}; what works here was built "
        "for an older CUDA.",
        name, package->second, major_of(package->second), driver.max_cuda);
    finding.evidence = nvidia::joined(nvidia::joined(std::move(finding.evidence), driver.evidence),
                                      {evidence(std::string("/python/packages/") + name, package->second)});
    finding.fix = {on_host(facts, "update the NVIDIA driver."),
                   {.text = fmt::format("Or install {} for the driver's CUDA version.", name),
                    .command = pip_install(facts, fmt::format("\"{}<{}\"", name, major_of(driver.max_cuda) + 1))}};
    return true;
  }
  return false;
}

// A call that this driver does not know yet is refused, though programs start: the toolkit is of a later branch.
void judge_refused_call(const Facts& facts, Driver driver, Answers& answers) {
  const Symptom* refused = facts.first({{unsupported, "cuda-operation"}});
  const Symptom* stated = facts.first({{noted, "stated-driver"}});
  const auto& toolkits = facts.snapshot().toolkits.or_empty();
  if (!refused || toolkits.empty() || !toolkits.front().version.get() || facts.saw({{noted, "vgpu-profile"}})) return;
  if (driver.kernel.empty() && stated) driver.kernel = stated->detail("version");
  if (driver.kernel.empty()) return;
  const auto own = knowledge::max_cuda_of_driver(driver.kernel);
  if (!own || knowledge::compare_versions(*own, *toolkits.front().version.get()) >= 0) return;
  Finding& finding = answers.found_in(*refused, Confidence::possible);
  finding.explanation = fmt::format(
      "The program was compiled with CUDA {}, and driver {} knows CUDA up to {}: a call that came later is refused.",
      *toolkits.front().version.get(), driver.kernel, *own);
  finding.fix = {on_host(facts, "update the NVIDIA driver.")};
}

// cuDNN gives no handle while most of the memory is free, and the program itself suspects the driver.
void judge_guess(const Facts& facts, Answers& answers) {
  const Symptom* guess = facts.first({{noted, "driver-version-guess"}});
  const Symptom* memory = facts.first({{noted, "free-beside-handle"}});
  if (!guess || !memory || facts.saw({{mismatch, "cudnn-version"}, {missing, "library"}, {noted, "xid"}})) return;
  if (std::atof(memory->detail("free").c_str()) * 2 < std::atof(memory->detail("total").c_str())) return;
  Finding& finding = answers.found_in(*guess, Confidence::possible);
  finding.evidence.push_back(evidence(*memory));
  finding.explanation =
      "cuDNN could not start though most of the GPU's memory is free, and the program names the driver's version "
      "as what may be insufficient.";
  finding.fix = {on_host(facts, "update the NVIDIA driver."),
                 {.text = "Or install a build for an older CUDA version. Another toolkit changes nothing."}};
}

void judge(const Facts& facts, Answers& answers) {
  const Snapshot& snapshot = facts;
  Driver driver = driver_of(snapshot);
  const bool works = nvidia::cuda_works(snapshot).has_value();
  if (driver.evidence.empty() && !works && !facts.used()) driver = stated_driver(facts);
  bool found = false;
  bool unknown = false;
  std::vector<Need> needs = needs_of(snapshot);
  for (Need& one : wanted_of(facts)) needs.push_back(std::move(one));
  if (driver.stated) std::erase_if(needs, [](const Need& need) { return need.is_toolkit; });
  for (const Need& need : needs) {
    const Flag old = needs_newer(driver, need.cuda);
    if (old.is(true)) report_finding(snapshot, need, driver, answers);
    found = found || old.is(true);
    unknown = unknown || !old.get();
  }
  if (!works) judge_log(facts, found ? Driver{} : driver, answers);
  if (works && !found) found = judge_other_package(facts, driver, answers);
  if (!found) judge_refused_call(facts, driver, answers);
  if (!found) judge_guess(facts, answers);  // the driver lists its GPUs beside such a guess
  if (!driver.evidence.empty() && !driver.stated)
    return unknown ? answers.unknown("which driver this CUDA version needs is not recorded") : answers.passed();
  if (works) return answers.passed();
  if (nvidia::kernel_driver_runs(snapshot).is(false) && !nvidia::on_wsl(snapshot))
    return answers.not_applicable("no NVIDIA driver runs");
  answers.unknown(why_unknown("/nvidia/kernel_driver_version", of(snapshot.nvidia, &Nvidia::kernel_driver_version)));
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "driver.too-old",
      .layer = Layer::runtime,
      .severity = Severity::error,
      .title = "The NVIDIA driver is too old for the CUDA version in use",
      .claim = "The framework or toolkit was built for a CUDA version that the installed driver doesn't run.",
      .proof = "The program's own message with the driver's version, or a build whose CUDA this driver doesn't take.",
      .disproof = "The driver meets that CUDA version's minimum, or CUDA programs of that version run.",
      .remedy =
          "Update the driver, or install a build for an older CUDA version. Installing another toolkit changes "
          "nothing.",
      .explains = {"usage.detected-unused", "runtime.arch-unsupported"},
      .symptoms =
          {
              {{failed, "cuda-call"}, certain, when::no_driver_answers, "code", cuda_error::insufficient_driver},
              {{failed, "cuda-call"}, likely, when::no_driver_answers, "code", cuda_error::unsupported_ptx_version},
              {{unsupported, "ptx-version"}, likely},
              {{too_old, "driver-for-image"}, likely, not_used},
              {{too_old, "any-driver"}, possible, when::no_driver_answers},
              // The library is there and lacks a function that later drivers have.
              {{missing, "driver-function"},
               possible,
               [](const Facts& facts) {
                 return !nvidia::driver_serves_toolkit(facts) && !facts.driver_dead() &&
                        !facts.saw({{missing, "any-driver-library"}});
               }},
          },
      .not_here = nvidia::not_here,
      .judge = judge,
  };
}

}  // namespace envdoctor::driver_too_old

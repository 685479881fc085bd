// driver.too-old: a framework or toolkit needs a newer driver. From CUDA 11 on any driver of the same CUDA major will
// do (minor-version compatibility); before, each CUDA version has its own minimum.
#include <fmt/format.h>

#include <cctype>
#include <cstdlib>

#include "checks/driver/nvidia_facts.h"
#include "checks/facts/conditions.h"
#include "checks/facts/distro.h"
#include "knowledge/gpus/drivers.h"

namespace envdoctor::driver_too_old {
namespace {

constexpr const char* id = "driver.too-old";

// Something that was built for a CUDA version.
struct Need {
  std::string who{};
  std::string cuda{};  // "12.1", or "12" where only the major version is known
  Evidence evidence{};
  std::string subject{};
  bool is_toolkit = false;
  bool fails = false;  // it says itself that it can't use CUDA
};

int major_of(const std::string& version) { return std::atoi(version.c_str()); }

// "2.1.2+cu121" -> "12.1".
std::string cuda_of_tag(const std::string& version) {
  const auto tag = version.find("+cu");
  if (tag == std::string::npos) return {};
  std::string digits;
  for (std::size_t i = tag + 3; i < version.size() && std::isdigit(static_cast<unsigned char>(version[i])); ++i)
    digits += version[i];
  if (digits.size() < 2 || digits.size() > 3) return {};
  return digits.substr(0, digits.size() - 1) + "." + digits.back();
}

void add_torch(const Snapshot& snapshot, std::vector<Need>& needs) {
  const Torch* torch = snapshot.torch.get();
  if (!torch) return;
  Need need{.who = "PyTorch", .subject = "framework:torch", .fails = torch->cuda_available.is(false)};
  if (torch->cuda_version.get()) {
    need.cuda = *torch->cuda_version.get();
    need.evidence = evidence("/torch/cuda_version", need.cuda);
  } else if (torch->version.get()) {
    need.cuda = cuda_of_tag(*torch->version.get());
    need.evidence = evidence("/torch/version", *torch->version.get());
  }
  if (!need.cuda.empty() && !torch->cuda_available.is(true)) needs.push_back(std::move(need));
}

void add_tensorflow(const Snapshot& snapshot, std::vector<Need>& needs) {
  const Tensorflow* tensorflow = snapshot.tensorflow.get();
  if (!tensorflow || !tensorflow->cuda_version.get()) return;
  const Number gpus = tensorflow->physical_gpus;
  if (gpus.get() && *gpus.get() > 0) return;
  needs.push_back({.who = "TensorFlow",
                   .cuda = *tensorflow->cuda_version.get(),
                   .evidence = evidence("/tensorflow/cuda_version", *tensorflow->cuda_version.get()),
                   .subject = "framework:tensorflow",
                   .fails = gpus.is(0)});
}

// JAX names the CUDA major version in its plug-in package: jax-cuda12-plugin.
void add_jax(const Snapshot& snapshot, std::vector<Need>& needs) {
  if (of(snapshot.jax, &Jax::backend).is("gpu") || of(snapshot.jax, &Jax::backend).is("cuda")) return;
  for (const char* major : {"11", "12", "13", "14"}) {
    const std::string package = fmt::format("jax-cuda{}-plugin", major);
    if (!package_installed(snapshot, package).is(true)) continue;
    needs.push_back({.who = "JAX",
                     .cuda = major,
                     .evidence = evidence("/python/packages", package),
                     .subject = "framework:jax",
                     .fails = of(snapshot.jax, &Jax::backend).is("cpu")});
  }
}

void add_toolkits(const Snapshot& snapshot, std::vector<Need>& needs) {
  const auto* toolkits = snapshot.toolkits.get();
  for (std::size_t i = 0; toolkits && i < toolkits->size(); ++i) {
    const Text& version = (*toolkits)[i].version;
    if (!version.get()) continue;
    needs.push_back({.who = "the CUDA toolkit",
                     .cuda = *version.get(),
                     .evidence = evidence(at("/toolkits", i, "version"), *version.get()),
                     .subject = "host",
                     .is_toolkit = true});
  }
}

struct Driver {
  std::string kernel{};    // Linux: by which minimums are judged
  std::string max_cuda{};  // what it reports, or what its branch is known for
  std::vector<Evidence> evidence{};
};

Driver driver_of(const Snapshot& snapshot) {
  Driver driver;
  const Text version = of(snapshot.nvidia, &Nvidia::kernel_driver_version);
  const Text cuda = of(snapshot.nvidia, &Nvidia::cuda_driver_version);
  // Windows numbers its drivers otherwise, also where WSL hands the number on.
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

// Whether the driver doesn't run programs of this CUDA version; not probed: can't be told.
Flag too_old(const Driver& driver, const std::string& cuda) {
  const int wanted = major_of(cuda);
  const bool has_minor = cuda.find('.') != std::string::npos;
  if (!driver.max_cuda.empty()) {
    const int served = major_of(driver.max_cuda);
    if (served > wanted) return false;
    if (served < wanted && wanted >= 11) return true;
    if (wanted < 11) return has_minor ? Flag(knowledge::compare_versions(driver.max_cuda, cuda) < 0) : Flag();
    // The same major version. A compatibility package serves more than the module's own branch: its word counts.
    const auto own = knowledge::max_cuda_of_driver(driver.kernel);
    if (own && major_of(*own) != served) return false;
  }
  if (driver.kernel.empty()) return driver.max_cuda.empty() ? Flag() : Flag(false);
  const auto least = knowledge::min_driver_for_cuda(cuda);
  return least ? Flag(knowledge::compare_versions(driver.kernel, *least) < 0) : Flag();
}

void tell(const Snapshot& snapshot, const Need& need, const Driver& driver, Answers& answers) {
  Finding& finding = answers.found(id, need.subject);
  if (need.is_toolkit) {
    finding.severity = Severity::info;
    finding.title = "The CUDA toolkit is newer than the driver";
  } else {
    finding.severity = Severity::error;
    finding.confidence = need.fails ? Confidence::certain : Confidence::likely;
  }
  finding.explanation = fmt::format("{} was built for CUDA {}", need.who, need.cuda);
  const auto least = knowledge::min_driver_for_cuda(need.cuda);
  if (least) finding.explanation += fmt::format(", which needs driver {} or newer", *least);
  if (!driver.max_cuda.empty())
    finding.explanation += fmt::format("; the installed driver serves CUDA up to {}", driver.max_cuda);
  finding.explanation +=
      need.is_toolkit ? ". Programs compiled with it won't start here; frameworks from pip and conda don't use it."
                      : ".";
  finding.evidence = driver.evidence;
  finding.evidence.push_back(need.evidence);
  finding.fix = {{.text = on_the_host(snapshot) + (least ? "update the NVIDIA driver to " + *least + " or newer."
                                                         : "update the NVIDIA driver."),
                  .command = install_nvidia_driver(snapshot)}};
  if (!need.is_toolkit)
    finding.fix.push_back(
        {.text = fmt::format("Or install a build of {} for the driver's CUDA version. Another toolkit changes nothing.",
                             need.who)});
}

// A program said so itself.
bool from_log(const Facts& facts, const Driver& driver, Answers& answers) {
  const Snapshot& snapshot = facts.snapshot();
  for (const Symptom* line : symptoms_of(snapshot, {SymptomClass::too_old, "driver"})) {
    if (line->detail("found") == "0") continue;  // no driver answered at all
    // Without a version the words may also mean that none answered.
    const bool compared = !line->detail("found").empty() || !line->detail("needs").empty();
    if (!compared && facts.driver_dead()) continue;
    Finding& finding = answers.found(id);
    finding.explanation = "A program refused to start: the driver is older than the CUDA version it was built for.";
    finding.evidence = driver.evidence;
    finding.evidence.insert(finding.evidence.begin(), evidence(*line, "driver too old"));
    finding.fix = {{.text = on_the_host(snapshot) + "update the NVIDIA driver."},
                   {.text = "Or install a build for an older CUDA version. Another toolkit changes nothing."}};
    return true;
  }
  return false;
}

void judge(const Facts& facts, Answers& answers) {
  const Snapshot& snapshot = facts.snapshot();
  if (const std::string why = nvidia::not_here(snapshot); !why.empty()) return answers.not_applicable(id, why);
  const Driver driver = driver_of(snapshot);
  std::vector<Need> needs;
  add_torch(snapshot, needs);
  add_tensorflow(snapshot, needs);
  add_jax(snapshot, needs);
  add_toolkits(snapshot, needs);
  bool found = false;
  bool unknown = false;
  for (const Need& need : needs) {
    const Flag old = too_old(driver, need.cuda);
    if (old.is(true)) {
      tell(snapshot, need, driver, answers);
      found = true;
    }
    unknown = unknown || !old.get();
  }
  const bool refused = !nvidia::cuda_works(snapshot) && from_log(facts, found ? Driver{} : driver, answers);
  if (found || refused) return;
  if (driver.evidence.empty()) {
    if (nvidia::cuda_works(snapshot)) return answers.passed(id);
    if (nvidia::kernel_driver_runs(snapshot).is(false) && !nvidia::on_wsl(snapshot))
      return answers.not_applicable(id, "no NVIDIA driver runs");
    return answers.unknown(
        id, why_unknown("/nvidia/kernel_driver_version", of(snapshot.nvidia, &Nvidia::kernel_driver_version)));
  }
  if (unknown) return answers.unknown(id, "which driver this CUDA version needs is not recorded");
  answers.passed(id);
}

}  // namespace

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
              {{SymptomClass::failed, "cuda-call"},
               certain,
               when::no_driver_answers,
               "code",
               cuda_error::insufficient_driver},
              {{SymptomClass::failed, "cuda-call"},
               likely,
               when::no_driver_answers,
               "code",
               cuda_error::unsupported_ptx_version},
              {{SymptomClass::unsupported, "ptx-version"}, likely},
              {{SymptomClass::too_old, "driver-for-image"}, likely, not_used},
          },
      .judge = judge,
  };
}

}  // namespace envdoctor::driver_too_old

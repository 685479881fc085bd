// runtime.library-shadowed: LD_LIBRARY_PATH or LD_PRELOAD puts another version of a CUDA library before the
// framework's.
#include <re2/re2.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include "checks/engine/rule.h"
#include "checks/python/package_facts.h"
#include "checks/runtime/library_facts.h"
#include "knowledge/lazy_regex.h"

namespace envdoctor::runtime_library_shadowed {

using enum SymptomClass;

bool concerns_frameworks(const std::string& soname) { return diagnosis_of_library(soname).starts_with("runtime."); }

// An installed framework reports no GPU although no driver failure was seen.
std::optional<Evidence> framework_on_cpu(const Snapshot& snapshot) {
  if (of(snapshot.nvidia, &Nvidia::cuinit_error).get()) return {};
  if (of(snapshot.jax, &Jax::backend).is("cpu")) return evidence("/jax/backend", "cpu");
  if (of(snapshot.tensorflow, &Tensorflow::physical_gpus).is(0)) return evidence("/tensorflow/physical_gpus", "0");
  if (of(snapshot.torch, &Torch::cuda_available).is(false)) return evidence("/torch/cuda_available", "false");
  return {};
}

void report(const Snapshot& snapshot, const LibraryRow& winner, const std::string& other, bool same_unknown,
            Answers& answers) {
  const SharedLibrary& row = *winner.library;
  Finding& finding = answers.found_on("library:" + *row.soname.get());
  const auto on_cpu = framework_on_cpu(snapshot);
  finding.severity = on_cpu ? Severity::error : Severity::warning;
  finding.confidence = same_unknown && !on_cpu ? Confidence::possible : Confidence::likely;
  const std::string variable = row.origin.is("LD_PRELOAD") ? "LD_PRELOAD" : "LD_LIBRARY_PATH";
  finding.explanation = variable + " puts " + text_of(row.path) +
                        (row.version.get() ? " (" + *row.version.get() + ")" : "") + " before " + other +
                        ", so one process loads libraries of two CUDA installations.";
  finding.evidence = {evidence(at("/libraries", winner.index, "path"), text_of(row.path))};
  const Text value = env_of(snapshot, variable);
  if (value.get()) finding.evidence.push_back(evidence("/env/" + variable, *value.get()));
  if (on_cpu) finding.evidence.push_back(*on_cpu);
  finding.fix = {{.text = "Start the program without this variable; if that helps, remove the CUDA folder from it.",
                  .command = "unset " + variable}};
}

// A copy from a variable takes precedence over the environment's own.
bool judge_copies(const Snapshot& snapshot, Answers& answers) {
  bool found = false;
  for (const SharedLibrary& own : snapshot.libraries.or_empty()) {
    const std::string soname = text_of(own.soname);
    if (!concerns_frameworks(soname) || precedence(own) != 2 || !own.shadowed_by.get()) continue;
    for (const LibraryRow& winner : rows_of(snapshot, soname)) {
      if (precedence(*winner.library) > 1 || !winner.library->path.is(*own.shadowed_by.get())) continue;
      const bool known = winner.library->version.get() && own.version.get();
      if (known ? winner.library->version == own.version : !framework_on_cpu(snapshot)) continue;
      report(snapshot, winner,
             "the environment's own copy" + (own.version.get() ? " (" + *own.version.get() + ")" : std::string()),
             !known, answers);
      found = true;
    }
  }
  return found;
}

bool lies_in(const std::string& path, const std::string& folders) {
  std::istringstream list(folders);
  for (std::string folder; std::getline(list, folder, ':');) {
    if (folder.size() > 1 && path.starts_with(folder + "/")) return true;
  }
  return false;
}

// JAX finds its own libraries unless LD_LIBRARY_PATH names others; then it falls back to the CPU and says that it was
// not built for CUDA, which is wrong.
void judge_jax(const Snapshot& snapshot, Answers& answers) {
  const std::string path = text_of(env_of(snapshot, "LD_LIBRARY_PATH"));
  if (!of(snapshot.jax, &Jax::backend).is("cpu") || !framework_on_cpu(snapshot)) return;
  const auto& libraries = snapshot.libraries.or_empty();
  for (std::size_t i = 0; i < libraries.size(); ++i) {
    const SharedLibrary& row = libraries[i];
    if (!concerns_frameworks(text_of(row.soname)) || !row.found.is(true) || !lies_in(text_of(row.path), path) ||
        row.shadowed_by.get())
      continue;
    return report(snapshot, {&row, i}, "the copies that JAX's packages bring", false, answers);
  }
}

void judge_host(const Snapshot& snapshot, Answers& answers) {
  if (has_gpu(snapshot, Vendor::nvidia).is(false)) return answers.not_applicable("no NVIDIA GPU");
  if (!snapshot.libraries.get()) return answers.unknown(why_unknown("/libraries", snapshot.libraries));
  if (!snapshot.env.get() && from_report(snapshot))
    return answers.unknown(why_unknown("/env/LD_LIBRARY_PATH", snapshot.env));
  if (!judge_copies(snapshot, answers)) judge_jax(snapshot, answers);
  answers.passed();
}

// PyTorch reaches the GPU, and CUDA answers Numba that there is none: they load different copies of the driver's
// library.
void judge_two_programs(const Facts& facts, Answers& answers) {
  const Symptom* refused = facts.first({{failed, "cuinit"}, {failed, "cuda-call"}});
  const bool of_numba =
      refused && refused->program.is("numba") && refused->text.or_empty().find("cuInit") != std::string::npos;
  if (!of_numba || !of(facts.snapshot().torch, &Torch::cuda_available).is(true)) return;
  const bool wsl = of(facts.snapshot().host, &HostFacts::platform).is("wsl2");
  Finding& finding = answers.found_in(*refused, Confidence::possible);
  finding.title = "Numba loads another copy of the driver's library than PyTorch";
  finding.explanation =
      std::string("PyTorch reaches the GPU, and the libcuda.so.1 that Numba loads says that there is none") +
      (wsl ? ": mostly a Linux driver package inside WSL, whose library has no device to talk to." : ".");
  finding.evidence.push_back(evidence("/torch/cuda_available", "true"));
  finding.fix = {
      {.text = "See which copies there are, and remove the package that brings the wrong one.",
       .command = "ldconfig -p | grep libcuda.so"},
      {.text = wsl ? "Until then let Numba load the right one: NUMBA_CUDA_DRIVER=/usr/lib/wsl/lib/libcuda.so.1"
                   : "Until then name the right one in NUMBA_CUDA_DRIVER."}};
}

// A program shows that it loaded a library of the toolkit, whose folder names another release than the environment's
// own package of that library has. Only libraries that have CUDA's numbers.
void judge_loaded(const Facts& facts, Answers& answers) {
  static const LazyRegex toolkit(R"(/cuda-(\d+\.\d+)/(?:.*/)?lib(nvJitLink|nvrtc|cudart|nvvm)\.so.*)", RE2::Latin1);
  const auto& packages = of(facts.snapshot().python, &Python::packages).or_empty();
  for (const Symptom* line : facts.all({noted, "library-loaded"})) {
    std::string release, library;
    if (!RE2::PartialMatch(line->detail("path"), toolkit, &release, &library)) continue;
    std::ranges::transform(library, library.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const auto own = std::ranges::find_if(packages, [&](const auto& package) {
      const std::string& name = package.first;
      return name == "lib" + library || name == "cuda-" + library || name.starts_with("nvidia-" + library) ||
             (library == "cudart" && name.starts_with("nvidia-cuda-runtime")) ||
             (library == "nvrtc" && name.starts_with("nvidia-cuda-nvrtc"));
    });
    if (own == packages.end() || own->second.starts_with(release + ".") || own->second == release) continue;
    Finding& finding = answers.found_in(*line, Confidence::possible);
    finding.explanation = fmt::format("{} is loaded from the toolkit of CUDA {}, and the environment has {} {}.",
                                      line->detail("path"), release, own->first, own->second);
    finding.evidence.push_back(evidence("/python/packages/" + own->first, own->second));
    finding.fix = {{.text = "Start the program without the toolkit's folder in LD_LIBRARY_PATH.",
                    .command = "unset LD_LIBRARY_PATH"}};
    return;
  }
}

// "libcusparse.so.12: undefined symbol: __nvJitLinkComplete_12_4": the symbol names the CUDA that it came with, and
// PyPI's packages of both lie side by side.
void name_linker_package(const Facts& facts, Answers& answers) {
  static const LazyRegex symbol(R"((\S*/nvidia/)?\S*: undefined symbol: _*nvJitLink\w*_(\d+)_(\d+)\b)", RE2::Latin1);
  each_without_command(answers, [&](Finding& finding) {
    std::string folder, major, minor;
    if (finding.evidence.empty() || !RE2::PartialMatch(finding.evidence.front().value, symbol, &folder, &major, &minor))
      return;
    const std::string own = std::filesystem::path(folder + "nvjitlink/lib").lexically_normal().string();
    finding.explanation +=
        fmt::format(" Here it is libnvJitLink, which must be that of CUDA {}.{} or later.", major, minor);
    finding.fix = {
        {.text = "Start the program without LD_LIBRARY_PATH, where a toolkit's older libnvJitLink comes first" +
                 (folder.empty() ? "." : ", or with " + own + " before it.")},
        {.text = "If it stays, the package itself is too old."}};
    install_by_pip(facts, fmt::format("\"nvidia-nvjitlink-cu{}>={}.{}\"", major, major, minor), finding.fix.back());
  });
}

void judge(const Facts& facts, Answers& answers) {
  judge_host(facts.snapshot(), answers);
  judge_two_programs(facts, answers);
  judge_loaded(facts, answers);
  if (const auto lacking = missing_symbol(facts, answers.id)) answers.found_in(*lacking->symptom, lacking->confidence);
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "runtime.library-shadowed",
      .layer = Layer::runtime,
      .severity = Severity::error,
      .title = "Another copy of a library is loaded before the right one",
      .claim = "The search path puts a copy of another version first.",
      .proof = "Two copies are found and the wrong one wins, or a symbol of one version is missing in the other.",
      .disproof = "The copy that is loaded has the version that the program needs.",
      .remedy = "Take the folder out of LD_LIBRARY_PATH, or remove the other copy.",
      .explains = {"runtime.cudnn-mismatch", "runtime.cuda-library-missing", "usage.detected-unused"},
      .symptoms =
          {
              helped_by("no-library-path"),
              {{mismatch, "cudnn-version"},
               likely,
               [](const Facts& f) {
                 return f.saw({{duplicate, "cudnn"}});
               }},
              {{missing, "jax-library"}, likely, cuda_in_library_path},
              {{mismatch, "gpu-library-symbol-version"}, likely},
              {{too_old, "libstdcxx"}, possible},
          },
      .judge = judge,
      .complete = name_linker_package,
  };
}

}  // namespace envdoctor::runtime_library_shadowed

#include "checks/runtime/library_facts.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <cstdlib>

#include "checks/facts/presence.h"
#include "checks/python/package_facts.h"
#include "knowledge/lazy_regex.h"

namespace envdoctor {

namespace {

constexpr const char* cuda_id = "runtime.cuda-library-missing";
constexpr const char* cudnn_id = "runtime.cudnn-missing";

struct LibraryOwner {
  std::string_view diagnosis;  // empty: optional, or not ours
  std::vector<std::string_view> prefixes;
};

// The first row with a prefix of the name counts.
const std::vector<LibraryOwner>& library_owners() {
  static const std::vector<LibraryOwner> owners = {
      {"opencl.icd-broken",
       {"libamdocl", "libnvidia-opencl", "libigdrcl", "libpocl", "libMesaOpenCL", "libRusticlOpenCL", "libintelocl",
        "libigdgmm", "libigdfcl", "libigc."}},
      {"driver.libcuda-missing",
       {"libcuda.so", "nvcuda", "libnvidia-ptxjitcompiler", "libnvidia-nvvm", "libnvidia-encode", "libnvcuvid",
        "nvcuvid", "nvEncodeAPI", "libnvidia-gl", "libnvidia-eglcore", "libnvidia-tls", "libnvidia-gpucomp",
        "libnvidia-rtcore", "libnvidia-opticalflow", "libnvidia-fbc", "libnvidia-allocator", "libnvoptix",
        "libGLX_nvidia", "libEGL_nvidia"}},
      {cudnn_id, {"libcudnn", "cudnn"}},
      {"opencl.loader-missing", {"libOpenCL", "OpenCL"}},
      {"driver.level-zero-missing", {"libze_loader"}},
      {{}, {"libnvinfer", "libcupti", "cupti", "libnccl-net", "libnvrtc-builtins"}},
      {cuda_id, {"libcuda",     "libcublas",    "libcufft",   "libcurand",      "libcusolver",   "libcusparse",
                 "libnvrtc",    "libnvJitLink", "libnccl",    "libcufile",      "libnvToolsExt", "cudart",
                 "cublas",      "cufft",        "curand",     "cusolver",       "cusparse",      "nvrtc",
                 "libamdhip",   "librocblas",   "libMIOpen",  "libhsa-runtime", "librccl",       "libhip",
                 "libroc",      "cuda",         "libnvshmem", "libcudss",       "libsycl",       "libur_loader",
                 "libmkl_sycl", "libccl",       "libnpp",     "nppi",           "libnvvm",       "nvvm"}}};
  return owners;
}

// dlerror may name a dependency instead of the file that was asked for.
std::string culprit(const Symptom& symptom) {
  static const LazyRegex named("^(?:.*?/)?([^/ ]+): cannot open", RE2::Latin1);
  std::string library = symptom.detail("library");
  if (library.starts_with("libnvinfer")) return library;  // TensorRT may lack whatever it needs: most do without it
  RE2::PartialMatch(symptom.detail("why"), named, &library);
  return library;
}

bool found_in_another_version(const Symptom& symptom) {
  static const LazyRegex lacks("undefined symbol|not defined in file", RE2::Latin1);
  return RE2::PartialMatch(symptom.detail("why"), lacks);
}

// Programs try these and continue without them, except one whose import fails.
bool ends_an_import(const Symptom& symptom) {
  static const LazyRegex end("^(?:ImportError|OSError): (?:libnvinfer|libcupti|libnvrtc-builtins)[^ ]*: cannot open",
                             RE2::Latin1);
  return RE2::PartialMatch(text_of(symptom.text), end);
}

// A loader that tries every vendor's plug-in reports each one without its libraries: no fault by itself.
bool of_a_plug_in(const Facts& facts, const Symptom& symptom) {
  return std::ranges::any_of(facts.all({SymptomClass::ignored, "plug-in"}), [&symptom](const Symptom* skipped) {
    return skipped->line == symptom.line && skipped->source == symptom.source;
  });
}

// The same line tells of it as what TensorRT, which most do without, lacks.
bool of_tensorrt(const Facts& facts, const Symptom& symptom) {
  return std::ranges::any_of(facts.all({SymptomClass::missing, "library"}), [&symptom](const Symptom* one) {
    return one != &symptom && one->line == symptom.line && one->source == symptom.source &&
           one->detail("library").starts_with("libnvinfer");
  });
}

// Keras ended the program for a reason of its own, and nothing says that somebody asked for a GPU.
bool keras_ended_it(const Facts& facts) {
  return facts.saw({{SymptomClass::mismatch, "keras-layer-class"},
                    {SymptomClass::mismatch, "keras-version"},
                    {SymptomClass::unsupported, "channels-first-on-cpu"}}) &&
         !of(facts.snapshot().tensorflow, &Tensorflow::physical_gpus).get() && !has_any_gpu(facts).is(true) &&
         !facts.saw({{SymptomClass::noted, "stated-gpu"},
                     {SymptomClass::noted, "nvidia-smi-versions"},
                     {SymptomClass::missing, "tensorflow-gpu"},
                     {SymptomClass::missing, "any-gpu"}});
}

// No driver answers either: then missing libraries are not the only reason why the GPU is not used.
bool driver_first(const Facts& facts) {
  return !no_driver_fault(facts) || facts.saw({{SymptomClass::too_old, "driver"}});
}

// TensorFlow from 2.13 on says that libraries are missing and names none. The list of libraries may say which.
const Symptom* unnamed_libraries(const Facts& facts, std::string_view id) {
  const auto missing_ones = missing_libraries(facts);
  const auto named = [](const MissingLibrary& one) { return one.symptom && one.symptom->subject.is("library"); };
  if (driver_first(facts) || std::ranges::any_of(missing_ones, named)) return nullptr;
  bool cudnn = false, cuda = false;
  for (const SharedLibrary& library : facts.snapshot().libraries.or_empty()) {
    const std::string_view owner = library.found.is(false) ? diagnosis_of_library(text_of(library.soname)) : "";
    cudnn = cudnn || owner == cudnn_id;
    cuda = cuda || owner == cuda_id;
  }
  if (id != (cudnn && !cuda ? cudnn_id : cuda_id)) return nullptr;
  const auto& all = facts.all({SymptomClass::missing, "gpu-libraries"});
  const auto first = std::ranges::find_if(all, [](const Symptom* s) { return s->detail("kind") != "TensorRT"; });
  return first == all.end() ? nullptr : *first;
}

// Suggests the pip extra of a release that has one for the libraries, but not for the system's own Python.
Fix fix_for(const Snapshot& snapshot, const std::string& version, const knowledge::TensorflowNeeds& needs) {
  if (version.empty())
    return {.text = "Install the CUDA libraries of the version that the framework asks for, in its own environment."};
  if (needs.cuda_extra.empty())
    return {.text = "Install CUDA " + needs.cuda + " and cuDNN " + needs.cudnn + ", for which TensorFlow " + version +
                    " was built, where the loader finds them."};
  const Text& kind = of(snapshot.python, &Python::kind);
  const bool own = kind.is("venv") || kind.is("conda");
  return {.text = "Install the CUDA libraries that belong to this TensorFlow into its own environment.",
          .command = own ? pip_install(snapshot, "\"" + needs.cuda_extra + "==" + version + "\"") : ""};
}

Evidence not_found(std::size_t index, const std::string& soname) {
  return evidence(at("/libraries", index, "found"), soname + " not found");
}

void report_lacking(const Snapshot& snapshot, const char* id, const std::vector<std::string>& names,
                    const std::string& who, const Fix& fix, Answers& answers) {
  Finding& finding = answers.found(id, "library:" + names.front());
  finding.confidence = Confidence::likely;
  finding.explanation =
      fmt::format("{} needs {}, which {} not found.", who, fmt::join(names, ", "), names.size() == 1 ? "is" : "are");
  for (const std::string& soname : names) {
    for (const LibraryRow& row : rows_of(snapshot, soname))
      if (row.library->found.is(false)) finding.evidence.push_back(not_found(row.index, soname));
  }
  finding.fix = {fix};
}

// A library that a report lists as not found, if the build that needs it is unknown.
void judge_report(const Facts& facts, const char* id, Answers& answers) {
  std::vector<std::string> lacking;
  for (const MissingLibrary& one : missing_libraries(facts)) {
    if (!one.symptom && one.diagnosis == id && std::ranges::find(lacking, one.name) == lacking.end())
      lacking.push_back(one.name);
  }
  if (lacking.empty()) return answers.unknown(id, "which libraries the framework needs is not known");
  report_lacking(facts.snapshot(), id, lacking, "The program", fix_for(facts.snapshot(), "", {}), answers);
}

// Whether any copy is there, in the loader's path or in the Python environment; unknown where no row lists it.
Flag library_found(const Snapshot& snapshot, std::string_view soname) {
  if (!snapshot.libraries.get()) return snapshot.libraries.missing();
  Flag answer;
  for (const LibraryRow& row : rows_of(snapshot, soname)) {
    if (row.library->found.is(true)) return true;
    if (row.library->found.get() && answer.outcome() == Outcome::not_probed) answer = false;
    if (row.library->found.outcome() == Outcome::failed) answer = row.library->found;
  }
  return answer;
}

void judge_needs(const Snapshot& snapshot, const char* id, const std::string& version,
                 const knowledge::TensorflowNeeds& needs, Answers& answers) {
  std::vector<std::string> lacking;
  std::string unseen;
  for (const std::string& soname : id == std::string_view(cudnn_id) ? std::vector{needs.cudnn_soname} : needs.sonames) {
    const Flag found = library_found(snapshot, soname);
    if (found.is(false)) lacking.push_back(soname);
    if (!found.get()) unseen = soname;
  }
  if (lacking.empty() && unseen.empty()) return answers.passed(id);
  if (lacking.empty()) return answers.unknown(id, "/libraries: nobody looked for " + unseen);
  report_lacking(snapshot, id, lacking, "TensorFlow " + version, fix_for(snapshot, version, needs), answers);
  if (!of(snapshot.tensorflow, &Tensorflow::physical_gpus).is(0)) return;
  answers.findings.back().confidence = Confidence::certain;
  answers.findings.back().evidence.push_back(evidence("/tensorflow/physical_gpus", "0"));
}

// PyTorch and JAX bundle their libraries; TensorFlow looks for those of its build's CUDA by name.
void judge_tensorflow(const Facts& facts, const char* id, Answers& answers) {
  const Snapshot& snapshot = facts.snapshot();
  const std::string version = framework_version(snapshot, "tensorflow");
  if (has_gpu(snapshot, Vendor::nvidia).is(false)) return answers.not_applicable(id, "no NVIDIA GPU");
  if (of(snapshot.tensorflow, &Tensorflow::physical_gpus).or_empty() > 0) return answers.passed(id);
  if (of(snapshot.tensorflow, &Tensorflow::built_with_cuda).is(false) ||
      package_installed(snapshot, "tensorflow-rocm").is(true))
    return answers.not_applicable(id, "this TensorFlow is no CUDA build");
  const auto needs = linux_tensorflow_needs(snapshot, version);
  if (!needs && version.empty() && of(snapshot.python, &Python::packages).get())
    return answers.not_applicable(id, "no framework that looks for CUDA libraries outside its packages");
  if (!snapshot.libraries.get()) return answers.unknown(id, why_unknown("/libraries", snapshot.libraries));
  if (needs) return judge_needs(snapshot, id, version, *needs, answers);
  if (from_report(snapshot)) return judge_report(facts, id, answers);
  answers.unknown(id, version.empty() ? "which framework is installed is not known"
                                      : "what TensorFlow " + version + " needs is not recorded");
}

// "_ZN3c104cuda9SetDeviceEi": the caller of PyTorch's own functions was built for another PyTorch.
bool of_pytorch(const std::string& symbol) {
  static const LazyRegex mangled("^_Z.{0,3}(?:3c10|2at|5torch|6caffe2)", RE2::Latin1);
  return RE2::PartialMatch(symbol, mangled);
}

// A library of PyTorch: two torches are mixed if one lacks a symbol that the other needs.
// Torch's companions (libtorchaudio.so, libtorchtext.so) are extensions like others.
bool of_torch_itself(const std::string& library) {
  return library.starts_with("libtorch.") || library.starts_with("libtorch_") || library.starts_with("libc10");
}

// "clCreateBuffer": the caller was built for a newer loader than the installed one.
bool of_opencl(const std::string& symbol) {
  static const LazyRegex function("^cl[A-Z]", RE2::Latin1);
  return RE2::PartialMatch(symbol, function);
}

// Every libcuda has these functions: whoever lacks them has loaded none.
bool of_every_libcuda(const std::string& symbol) {
  static const LazyRegex oldest("cu(?:Init|DriverGetVersion|DeviceGet(?:Count|Name|Attribute)?)(?:_v2)?", RE2::Latin1);
  return RE2::FullMatch(symbol, oldest);
}

// Two versions of a GPU library are mixed if one lacks a symbol that the other needs.
bool of_a_gpu_library(const Symptom& symptom) {
  static const LazyRegex functions("^(?:ze|hip|hsa_|nvrtc)", RE2::Latin1),
      libraries("cudnn|cublas|nvjitlink|nvJitLink|cusparse|nccl|cuda|level_zero|amdhip|miopen", RE2::Latin1);
  const std::string symbol = symptom.detail("symbol");
  return RE2::PartialMatch(symbol, functions) ||
         RE2::PartialMatch(symptom.detail("library") + symbol + symptom.detail("version"), libraries);
}

}  // namespace

std::vector<LibraryRow> rows_of(const Snapshot& snapshot, std::string_view soname) {
  std::vector<LibraryRow> rows;
  const auto& libraries = snapshot.libraries.or_empty();
  for (std::size_t i = 0; i < libraries.size(); ++i) {
    if (text_of(libraries[i].soname) == soname) rows.push_back({&libraries[i], i});
  }
  return rows;
}

int precedence(const SharedLibrary& library) {
  const std::string origin = text_of(library.origin);
  if (origin == "LD_PRELOAD") return 0;
  if (origin == "LD_LIBRARY_PATH") return 1;
  if (origin == "pip" || origin == "conda" || origin == "RUNPATH") return 2;
  return 3;
}

std::string cudnn_version_text(std::string_view version) {
  static const LazyRegex digits("[0-9]{4,6}", RE2::Latin1);
  if (!RE2::FullMatch(version, digits)) return std::string(version);
  const long number = std::atol(std::string(version).c_str());
  const long unit = number >= 10000 ? 10000 : 1000;  // the form changed with version 9
  return fmt::format("{}.{}.{}", number / unit, number % unit / 100, number % 100);
}

std::string_view diagnosis_of_library(std::string_view name) {
  if (name == "libcuda.so") return "driver.libcuda-linker-name";
  for (const LibraryOwner& owner : library_owners()) {
    if (std::ranges::any_of(owner.prefixes, [&](std::string_view start) { return name.starts_with(start); }))
      return owner.diagnosis;
  }
  return {};
}

std::string cuda_of_torch(const Snapshot& snapshot) {
  const Torch& torch = snapshot.torch.or_empty();
  return torch.cuda_version.value_or(knowledge::cuda_of_torch_version(torch.version.or_empty()).value_or(""));
}

std::optional<knowledge::TensorflowNeeds> linux_tensorflow_needs(const Snapshot& snapshot, const std::string& version) {
  const Text& platform = of(snapshot.host, &HostFacts::platform);
  const bool linux = !platform.is("windows") && !platform.is("macos");
  return linux && !version.empty() ? knowledge::tensorflow_needs(version) : std::nullopt;
}

std::optional<knowledge::JaxNeeds> jax_needs(const Snapshot& snapshot, const std::string& version) {
  for (const std::string cuda : {"13", "12"}) {
    if (!version.empty() && package_installed(snapshot, "jax-cuda" + cuda + "-plugin").is(true))
      return knowledge::jax_needs(version, cuda);
  }
  return std::nullopt;
}

std::vector<MissingLibrary> missing_libraries(const Facts& facts) {
  std::vector<MissingLibrary> all;
  const auto add = [&all](const std::string& name, Confidence confidence, const Evidence& where,
                          const Symptom* symptom) {
    std::string_view diagnosis = diagnosis_of_library(name);
    if (diagnosis.empty() && symptom && ends_an_import(*symptom)) diagnosis = cuda_id;
    if (!diagnosis.empty()) all.push_back({name, diagnosis, where, confidence, symptom});
  };
  // ldd asks the loader as the shell would; a program that sets its own search path may find what ldd does not.
  for (const Symptom* symptom : facts.all({SymptomClass::missing, "library-by-ldd"})) {
    if (facts.used()) continue;
    add(symptom->detail("library"), Confidence::possible, evidence(*symptom), symptom);
    if (!all.empty() && all.back().diagnosis == "opencl.icd-broken") all.back().confidence = Confidence::likely;
  }
  const bool fatal = facts.saw({{SymptomClass::missing, "gpu-libraries"}});
  for (const Symptom* symptom : facts.all({SymptomClass::missing, "library"})) {
    const std::string name = culprit(*symptom);
    const bool tried = symptom->program.is("tensorflow") && !fatal;  // TensorFlow tries some that it can do without
    const auto same = [&name](const MissingLibrary& one) {
      return one.name == name && one.symptom->subject.is("library");
    };
    // A program that tries every vendor's library uses a name of libcuda that only compilers need.
    const bool searched = name == "libcuda.so" && facts.saw({{SymptomClass::missing, "opencl-device"}});
    if (searched || found_in_another_version(*symptom) || of_a_plug_in(facts, *symptom) ||
        of_tensorrt(facts, *symptom) || (facts.used() && tried) || std::ranges::any_of(all, same))
      continue;
    Confidence sure = driver_first(facts) ? Confidence::possible : tried ? Confidence::likely : Confidence::certain;
    if (tried && keras_ended_it(facts)) sure = Confidence::possible;
    if (diagnosis_of_library(name) == "driver.libcuda-missing") {
      // Programs for video ask for NVIDIA's encoder and decoder wherever they run, and go on without them.
      const bool for_video = name.find("nvidia-encode") != name.npos || name.find("nvcuvid") != name.npos;
      const bool needless = for_video && !has_gpu(facts, Vendor::nvidia).is(true);
      sure = facts.used() || needless ? Confidence::possible : Confidence::likely;
    }
    add(name, sure, evidence(*symptom), symptom);
  }
  if (!from_report(facts.snapshot())) return all;
  const auto& rows = facts.snapshot().libraries.or_empty();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string soname = text_of(rows[i].soname);
    if (rows[i].found.is(false)) add(soname, Confidence::likely, not_found(i, soname), nullptr);
  }
  return all;
}

void report_missing_libraries(const Facts& facts, Answers& answers) {
  for (const MissingLibrary& one : missing_libraries(facts)) {
    if (!one.symptom || one.diagnosis != answers.id) continue;
    const auto names_it = [&one](const Evidence& e) { return e.value == one.name + " not found"; };
    const auto same = std::ranges::find_if(answers.findings, [&](const Finding& finding) {
      return finding.id == answers.id && std::ranges::any_of(finding.evidence, names_it);
    });
    if (same == answers.findings.end()) {
      answers.found_in(*one.symptom, one.confidence, "library:" + one.name);
      continue;
    }
    same->evidence.push_back(one.evidence);
    same->confidence = std::max(same->confidence, one.confidence);
  }
}

void judge_framework_libraries(const Facts& facts, Answers& answers) {
  judge_tensorflow(facts, answers.id, answers);
  report_missing_libraries(facts, answers);
  if (const Symptom* symptom = unnamed_libraries(facts, answers.id)) answers.found_in(*symptom, Confidence::likely);
}

namespace {

// A package's own library asks for a name of that package ("rmm::…" in site-packages/rmm/): its parts are of two
// versions, whatever words of CUDA the name holds.
bool of_own_package(const std::string& symbol, const std::string& line) {
  static const LazyRegex mangled("^_ZN[KVr]*([0-9]{1,2})(.*)", RE2::Latin1);
  std::size_t length = 0;
  std::string rest;
  if (!RE2::FullMatch(symbol, mangled, &length, &rest) || length < 3 || rest.size() < length) return false;
  return line.find("-packages/" + rest.substr(0, length) + "/") != std::string::npos;
}

}  // namespace

std::optional<MissingSymbol> missing_symbol(const Facts& facts, std::string_view id) {
  for (const Symptom* symptom : facts.all({SymptomClass::missing, "library-symbol"})) {
    const std::string symbol = symptom->detail("symbol");
    const bool of_libcuda = symptom->detail("library").find("libcuda.so") != std::string::npos;
    if (of_libcuda && facts.saw({{SymptomClass::too_old, "driver"}})) continue;  // an old driver lacks new functions
    const bool gpu = of_a_gpu_library(*symptom), torch = of_pytorch(symbol);
    const bool own = of_own_package(symbol, symptom->text.or_empty());
    const std::string_view owner = of_opencl(symbol)                         ? "opencl.wrong-loader"
                                   : of_every_libcuda(symbol) && !of_libcuda ? "driver.libcuda-missing"
                                   : own                                     ? "python.broken-install"
                                   : gpu && !torch                           ? "runtime.library-shadowed"
                                   : torch && !of_torch_itself(symptom->detail("library"))
                                       ? "runtime.extension-mismatch"
                                       : "python.broken-install";
    if (owner != id) return std::nullopt;
    return MissingSymbol{symptom, of_opencl(symbol) || gpu || torch ? Confidence::likely : Confidence::possible};
  }
  return std::nullopt;
}

bool no_driver_fault(const Facts& facts) {
  return !facts.driver_dead() && !facts.saw({{SymptomClass::failed, "cuinit"}});
}

bool no_library_named(const Facts& facts) { return facts.all({SymptomClass::missing, "library"}).empty(); }

bool unnamed_and_unused(const Facts& facts) { return no_library_named(facts) && !facts.used(); }

bool cuda_in_library_path(const Facts& facts) {
  return text_of(env_of(facts.snapshot(), "LD_LIBRARY_PATH")).find("cuda") != std::string::npos;
}

}  // namespace envdoctor

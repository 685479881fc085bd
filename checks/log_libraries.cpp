// A library that could not be opened: which one, and whose it is.
#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "checks/log_facts.h"

namespace envdoctor {
namespace {

bool begins_with_any(const std::string& name, std::initializer_list<std::string_view> starts) {
  return std::ranges::any_of(starts, [&name](std::string_view start) { return name.starts_with(start); });
}

// The diagnosis that a missing library belongs to; null: none of ours.
const char* cause_of(const std::string& library) {
  if (begins_with_any(library, {"libamdocl", "libnvidia-opencl", "libigdrcl", "libpocl", "libMesaOpenCL",
                                "libRusticlOpenCL", "libintelocl", "libigdgmm", "libigdfcl", "libigc."})) {
    return "opencl.icd-broken";
  }
  if (library == "libcuda.so") return "driver.libcuda-linker-name";
  if (begins_with_any(library, {"libcuda.so", "nvcuda", "libnvidia-ptxjitcompiler", "libnvidia-nvvm",
                                "libnvidia-encode", "libnvcuvid", "nvcuvid", "nvEncodeAPI"})) {
    return "driver.libcuda-missing";
  }
  if (begins_with_any(library, {"libcudnn", "cudnn"})) return "runtime.cudnn-missing";
  if (begins_with_any(library, {"libOpenCL", "OpenCL"})) return "opencl.loader-missing";
  if (begins_with_any(library, {"libnvinfer", "libcupti", "cupti", "libnccl-net", "libnvrtc-builtins"})) return nullptr;
  if (begins_with_any(
          library,
          {"libcuda",        "libcublas", "libcufft",  "libcurand",     "libcusolver", "libcusparse", "libnvrtc",
           "libnvJitLink",   "libnccl",   "libcufile", "libnvToolsExt", "cudart",      "cublas",      "cufft",
           "curand",         "cusolver",  "cusparse",  "nvrtc",         "libamdhip",   "librocblas",  "libMIOpen",
           "libhsa-runtime", "librccl",   "libhip",    "libroc",        "cuda",        "libze_loader"})) {
    return "runtime.cuda-library-missing";
  }
  return nullptr;
}

// dlerror may name a dependency instead of the file that was asked for.
std::string culprit(const LogEvent& event) {
  const std::string library = field_of(event, "library"), why = field_of(event, "why");
  const std::size_t colon = why.find(": cannot open");
  if (colon == std::string::npos) return library;
  const std::size_t slash = why.rfind('/', colon);
  const std::string named =
      why.substr(slash == std::string::npos ? 0 : slash + 1, colon - (slash == std::string::npos ? 0 : slash + 1));
  return named.empty() || named.find(' ') != std::string::npos ? library : named;
}

// The host's own list says which one: TensorFlow from 2.13 on names none.
bool only_cudnn_missing(const LogFacts& facts) {
  const auto* libraries = facts.snapshot().libraries.get();
  if (!libraries) return false;
  bool cudnn = false, others = false;
  for (const SharedLibrary& library : *libraries) {
    if (!library.found.is(false) || !library.soname.get()) continue;
    const char* cause = cause_of(*library.soname.get());
    cudnn |= cause && std::string_view(cause) == "runtime.cudnn-missing";
    others |= cause && std::string_view(cause) == "runtime.cuda-library-missing";
  }
  return cudnn && !others;
}

// No driver answers either: then the libraries are not what keeps the GPU from being used, or not alone.
bool driver_first(const LogFacts& facts) {
  return facts.driver_dead() || !facts.all("cuinit-failed").empty() || facts.saw({"driver-too-old"});
}

// A loader that tries the plug-ins of every vendor says so of each whose libraries are not there: no fault by itself.
bool of_a_plug_in(const LogFacts& facts, const LogEvent& event) {
  return std::ranges::any_of(facts.all("plug-in-skipped"), [&event](const LogEvent* skipped) {
    return skipped->line == event.line && skipped->source == event.source;
  });
}

void old_opencl_loader(const LogEvent& event, const std::string& symbol, Answers& answers) {
  Finding& finding = log_finding(answers, event, "opencl.wrong-loader", Confidence::likely);
  finding.explanation =
      "The libOpenCL that this program was given has no " + symbol + ": it is older than the program.";
  finding.fix = {
      {.text = "Use a newer loader (ocl-icd, or Khronos' own), and keep older copies, such as a CUDA toolkit's or "
               "an environment's, out of LD_LIBRARY_PATH.",
       .command = "ldconfig -p | grep libOpenCL"}};
}

// "_ZN3c104cuda9SetDeviceEi": what calls PyTorch's own functions was built for another PyTorch.
bool of_pytorch(std::string_view symbol) {
  constexpr std::size_t longest_mark = 5;  // "_ZTVN"
  return symbol.starts_with("_Z") && std::ranges::any_of(std::array{"3c10", "2at", "5torch"}, [&](const char* space) {
           return symbol.find(space) <= longest_mark;
         });
}

// Symbols of one GPU library that another copy lacks: two versions are mixed.
void undefined_symbols(const LogFacts& facts, Answers& answers) {
  for (const LogEvent* event : facts.all("undefined-symbol")) {
    const std::string symbol = field_of(*event, "symbol");
    if (facts.saw({"driver-too-old"}) && field_of(*event, "library").find("libcuda.so") != std::string::npos) continue;
    const std::string names = field_of(*event, "library") + symbol + field_of(*event, "version");
    const std::array parts{"cudnn", "cublas", "nvjitlink",  "nvJitLink", "cusparse",
                           "nccl",  "cuda",   "level_zero", "amdhip",    "miopen"};
    // "clCreateBuffer": what calls it was built for a newer loader than the one that it was given.
    const bool opencl =
        symbol.size() > 2 && symbol.starts_with("cl") && std::isupper(static_cast<unsigned char>(symbol[2]));
    if (opencl) return old_opencl_loader(*event, symbol, answers);
    if (of_pytorch(symbol)) {
      log_finding(answers, *event, "python.broken-install", Confidence::likely);
      break;
    }
    const bool gpu =
        begins_with_any(symbol, {"ze", "hip", "hsa_"}) ||
        std::ranges::any_of(parts, [&names](const char* part) { return names.find(part) != std::string::npos; });
    log_finding(answers, *event, gpu ? "runtime.library-shadowed" : "python.broken-install",
                gpu ? Confidence::likely : Confidence::possible);
    break;
  }
}

// ldd asks the loader as the shell would; a program that sets its own search path may well find what ldd does not.
void by_ldd(const LogFacts& facts, Answers& answers) {
  for (const LogEvent* event : facts.all("ldd-not-found")) {
    const std::string library = field_of(*event, "library");
    const char* cause = cause_of(library);
    if (!cause || facts.used()) continue;
    const bool of_a_driver = std::string_view(cause) == "opencl.icd-broken";
    log_finding(answers, *event, cause, of_a_driver ? Confidence::likely : Confidence::possible, "library:" + library);
  }
}

}  // namespace

void log_libraries(const LogFacts& facts, Answers& answers) {
  undefined_symbols(facts, answers);
  by_ldd(facts, answers);
  const bool fatal = facts.saw({"tf-gpu-libraries-missing"});
  std::set<std::string> told;
  bool any = false;
  for (const LogEvent* event : facts.all("library-missing")) {
    const std::string why = field_of(*event, "why");
    if (why.find("undefined symbol") != std::string::npos || why.find("not defined in file") != std::string::npos)
      continue;  // found, and of another version
    if (of_a_plug_in(facts, *event)) continue;
    const std::string library = culprit(*event);
    const char* cause = cause_of(library);
    if (!cause || (facts.used() && !fatal && event->framework.is("tensorflow"))) continue;
    any = true;
    if (!told.insert(library).second) continue;
    Confidence sure = event->framework.is("tensorflow") && !fatal ? Confidence::likely : Confidence::certain;
    if (driver_first(facts)) sure = Confidence::possible;
    if (std::string_view(cause) == "driver.libcuda-missing")
      sure = facts.used() ? Confidence::possible : Confidence::likely;
    log_finding(answers, *event, cause, sure, "library:" + library);
  }
  if (any || driver_first(facts)) return;
  for (const LogEvent* event : facts.all("tf-gpu-libraries-missing")) {
    if (field_of(*event, "kind") == "TensorRT") continue;
    log_finding(answers, *event, only_cudnn_missing(facts) ? "runtime.cudnn-missing" : "runtime.cuda-library-missing",
                Confidence::likely);
    break;
  }
  for (const LogEvent* event : facts.all("opencl-loader-missing")) {
    log_finding(answers, *event, "opencl.loader-missing", Confidence::likely, "library:libOpenCL.so.1");
    break;
  }
}

}  // namespace envdoctor

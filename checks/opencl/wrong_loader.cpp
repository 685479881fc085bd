// opencl.wrong-loader: the libOpenCL in use looks for drivers in another place than where they are registered.
#include "checks/opencl/opencl_facts.h"
#include "checks/runtime/library_facts.h"

namespace envdoctor::opencl_wrong_loader {

using enum SymptomClass;

bool ends_in_a_file(const std::string& value) {
  return value.ends_with(".icd") || value.find(".so") != std::string::npos;
}

struct Fault {
  std::string explanation{};
  std::vector<Evidence> evidence{};
  Fix fix{};
  Confidence confidence = Confidence::likely;
};

// Khronos' loader takes a folder in OCL_ICD_VENDORS; the form with a file works with ocl-icd only.
std::optional<Fault> file_for_khronos(const Snapshot& snapshot, const OpenclLoader& loader) {
  const std::string vendors = env_of(snapshot, "OCL_ICD_VENDORS").or_empty();
  if (opencl::loader_kind(loader) != "khronos" || !ends_in_a_file(vendors)) return std::nullopt;
  return Fault{"OCL_ICD_VENDORS names a file. The loader in use is Khronos', which accepts only a folder there.",
               {evidence("/env/OCL_ICD_VENDORS", vendors)},
               {"Unset the variable, or give it the folder.", "unset OCL_ICD_VENDORS"},
               Confidence::certain};
}

// A variable or an environment's own loader reads an empty folder.
std::optional<Fault> reads_another_folder(const Snapshot& snapshot, const OpenclLoader& loader) {
  const auto* icds = opencl::icds(snapshot);
  if (!icds || !icds->empty()) return std::nullopt;
  for (const std::string name : {"OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH"}) {
    const Text value = env_of(snapshot, name);
    if (!value.get() || loader.variable.value_or(name) != name) continue;
    if (!loader.variable.get() && value.is("/etc/OpenCL/vendors")) continue;
    return Fault{
        fmt::format("{} makes the loader read \"{}\", where no driver is registered, instead of the default folder.",
                    name, *value.get()),
        {evidence("/env/" + name, *value.get()), evidence("/opencl/icds", "none")},
        {"Unset the variable.", "unset " + name}};
  }
  const std::string folder = text_of(loader.vendors_dir), path = text_of(loader.path);
  if (folder.empty() || folder == "/etc/OpenCL/vendors") return std::nullopt;
  return Fault{
      fmt::format(
          "The loader {} reads {}, where no driver is registered; the system's drivers are in /etc/OpenCL/vendors.",
          path, folder),
      {evidence("/opencl/loader/path", path), evidence("/opencl/loader/vendors_dir", folder)},
      {"Use the system's loader (conda: the package ocl-icd-system), or set OCL_ICD_VENDORS=/etc/OpenCL/vendors.",
       "export OCL_ICD_VENDORS=/etc/OpenCL/vendors"}};
}

// A driver's own libOpenCL offers that driver's devices and no others.
std::optional<Fault> is_a_driver(const Snapshot& snapshot, const OpenclLoader& loader) {
  if (!loader.kind.is("vendor") || opencl_lists_gpu(snapshot)) return std::nullopt;
  const std::string path = text_of(loader.path);
  return Fault{path + " is one vendor's driver under the loader's name; it loads no other drivers.",
               {evidence("/opencl/loader/kind", "vendor"), evidence("/opencl/loader/path", path)},
               {"Put the system's libOpenCL.so.1 before this one in the search path.", ""}};
}

void judge_loader(const Snapshot& snapshot, Answers& answers) {
  const auto reading = opencl::loader(snapshot);
  if (reading.outcome() == Outcome::absent) return answers.not_applicable("there is no OpenCL loader");
  const OpenclLoader* loader = reading.get();
  if (!loader) return answers.unknown(why_unknown("/opencl/loader", reading));
  if (has_any_gpu(snapshot).is(false)) return answers.not_applicable("no GPU that a loader could miss");
  const Flag none = opencl::no_platform(snapshot);
  const bool blind = none.is(true) || (opencl::icds(snapshot) && opencl::icds(snapshot)->empty());
  std::optional<Fault> fault;
  if (blind) fault = file_for_khronos(snapshot, *loader);
  if (blind && !fault) fault = reads_another_folder(snapshot, *loader);
  if (!fault) fault = is_a_driver(snapshot, *loader);
  if (!fault)
    return blind || none.get() ? answers.passed() : answers.unknown(why_unknown("/opencl/application_platforms", none));
  Finding& finding = answers.found_on("library:libOpenCL.so.1");
  finding.severity = opencl::weigh(snapshot);
  finding.confidence = fault->confidence;
  finding.explanation = fault->explanation;
  finding.evidence = fault->evidence;
  finding.fix = {fault->fix};
}

void judge_symbols(const Facts& facts, Answers& answers) {
  const auto lacking = missing_symbol(facts, answers.id);
  if (!lacking) return;
  Finding& finding = answers.found_in(*lacking->symptom, lacking->confidence);
  finding.explanation = "The libOpenCL that this program loads has no " + lacking->symptom->detail("symbol") +
                        ": it is older than the program.";
  finding.fix = {
      {"Use a newer loader (ocl-icd, or Khronos' own), and keep older copies, such as a CUDA toolkit's or an "
       "environment's, out of LD_LIBRARY_PATH.",
       "ldconfig -p | grep libOpenCL"}};
}

// A loader from another installation reads another folder of drivers; one without a symbol version is older.
bool wrong_loader(const Facts& facts) {
  if (opencl::nvidia_in_container(facts)) return false;
  return facts.saw({{missing, "opencl-platform"}, {missing, "opencl-device"}}) ||
         (facts.with({mismatch, "opencl-loader"}, "kind", "version") && !facts.saw({{unsupported, "float64"}}));
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "opencl.wrong-loader",
      .layer = Layer::runtime,
      .severity = Severity::error,
      .title = "The OpenCL loader in use reads another folder",
      .claim = "The libOpenCL that this program loads looks for drivers somewhere else than where they are registered.",
      .proof =
          "The libOpenCL that is loaded belongs to another installation, whose registration folder is another one.",
      .disproof = "The loader in use reads the folder that holds the .icd files.",
      .remedy = "Use the system's loader (conda: ocl-icd-system), or point OCL_ICD_VENDORS at /etc/OpenCL/vendors.",
      .explains = {"opencl.no-icd", "opencl.no-platform", "opencl.cpu-only"},
      .symptoms =
          {
              helped_by("opencl-vendors"),
              {{mismatch, "opencl-loader"}, likely, wrong_loader},
              {{mismatch, "opencl-platforms"}, likely},
          },
      .judge_host = judge_loader,
      .judge = judge_symbols,
  };
}

}  // namespace envdoctor::opencl_wrong_loader
